// SPDX-License-Identifier: Apache-2.0
// Calls that transform: of numpy's arrays and known libraries' at once, and of any arrays that were
// described.
#include <algorithm>  // find
#include <optional>
#include <string>
#include <vector>

#include "array_library.hpp"  // array_library_of
#include "bindings.hpp"
#include "numpy_array.hpp"  // described, numpy_view, empty_numpy
#include "queues.hpp"       // host_queue, queue_of
#include "transform.hpp"    // transform_request, run

#include "wingbeat/error.hpp"  // plan_error

namespace wingbeat::python {
namespace {

/// Below so many elements, a call is shorter than what it takes to let other threads run.
constexpr std::size_t min_released_elements = 2048;

bool is_text(nb::handle object, const char* text) {
  return PyUnicode_Check(object.ptr()) && PyUnicode_CompareWithASCIIString(object.ptr(), text) == 0;
}

/// Returns the scale of SciPy's `norm`. `is_inverse` is which of a pair of functions was called.
scaling scale_of(nb::handle norm, bool is_inverse) {
  if (norm.is_none() || is_text(norm, "backward")) {
    return is_inverse ? scaling::by_length : scaling::none;
  }
  if (is_text(norm, "ortho")) return scaling::by_sqrt_length;
  if (is_text(norm, "forward")) return is_inverse ? scaling::none : scaling::by_length;
  const std::string given = nb::cast<std::string>(nb::repr(norm));
  throw nb::value_error(
      ("Invalid norm value " + given + "; it should be \"backward\", \"ortho\" or \"forward\"")
          .c_str());
}

std::ptrdiff_t integer_of(nb::handle object, const char* name) {
  const Py_ssize_t value = PyNumber_AsSsize_t(object.ptr(), PyExc_OverflowError);
  if (value != -1 || PyErr_Occurred() == nullptr) return value;
  const bool is_large = PyErr_ExceptionMatches(PyExc_OverflowError) != 0;
  PyErr_Clear();
  if (is_large) {
    throw nb::value_error((std::string(name) + " is beyond 64 bits; give a smaller one").c_str());
  }
  const std::string type = nb::cast<std::string>(nb::inst_name(object));
  throw nb::type_error((std::string(name) + " is of type " + type + "; give an integer").c_str());
}

bool is_true(nb::handle object) {
  const int value = PyObject_IsTrue(object.ptr());
  if (value < 0) throw nb::python_error();
  return value == 1;
}

int axis_of(std::ptrdiff_t axis, int rank) {
  if (axis >= -rank && axis < rank) return static_cast<int>(axis < 0 ? axis + rank : axis);
  throw nb::index_error(("axis " + std::to_string(axis) + " is out of bounds for an array of " +
                         std::to_string(rank) + " dimensions")
                            .c_str());
}

/// Throws before memory is asked for whose transform no plan does.
std::size_t length_of(std::ptrdiff_t n) {
  if (n < 1) {
    throw nb::value_error(
        ("invalid number of data points (" + std::to_string(n) + ") specified").c_str());
  }
  const auto length = static_cast<std::size_t>(n);
  if (length <= max_length) return length;
  throw plan_error("length " + std::to_string(n) + " cannot be transformed; choose one from 1 to " +
                   std::to_string(max_length));
}

/// Returns the points along the last axis of a transform whose input has `count` elements there.
std::ptrdiff_t points_of(transform kind, std::ptrdiff_t count) {
  return kind == transform::inverse_to_real ? 2 * (count - 1) : count;
}

/// Adds axis `axis` with `n` points; None: as many as the array has there.
void add_axis(transform_request& request, const array& in, std::ptrdiff_t axis, nb::handle n,
              bool is_last) {
  const int d = axis_of(axis, in.rank);
  const auto end = request.axes.begin() + request.n_axes;
  if (std::find(request.axes.begin(), end, d) != end) {
    throw nb::value_error("all axes must be unique; give each axis once");
  }
  request.axes[request.n_axes] = d;
  request.lengths[request.n_axes++] = length_of(!n.is_none() ? integer_of(n, "n")
                                                : is_last    ? points_of(request.kind, in.shape[d])
                                                             : in.shape[d]);
}

/// Returns the type of the result's elements, as the library has it: most have no complex numbers
/// of 16 bits, and none has those of bfloat16.
element_type result_element(const array& in, transform kind, bool has_narrow) {
  precision real = in.element.real;
  const bool is_complex =
      is_real_to_real(kind) ? in.element.is_complex : kind != transform::inverse_to_real;
  if (real == precision::fp16 && !has_narrow) real = precision::fp32;
  if (real == precision::bf16 && is_complex) real = precision::fp32;
  return {real, is_complex};
}

void shape_result(array& out, const array& in, const transform_request& request) {
  out.rank = in.rank;
  out.shape = in.shape;
  for (int a = 0; a < request.n_axes; ++a) {
    const bool is_last = a + 1 == request.n_axes;
    out.shape[request.axes[a]] = static_cast<std::ptrdiff_t>(
        is_last ? output_count(request.kind, request.lengths[a]) : request.lengths[a]);
  }
}

bool has_shape(const array& given, const array& wanted) {
  return given.rank == wanted.rank &&
         std::equal(given.shape.begin(), given.shape.begin() + given.rank, wanted.shape.begin());
}

std::string shape_text(const array& given) {
  std::string text = "(";
  for (int d = 0; d < given.rank; ++d) {
    if (d > 0) text += ", ";
    text += std::to_string(given.shape[d]);
  }
  return text + (given.rank == 1 ? ",)" : ")");
}

/// Throws unless `given`, an `out`, is as `wanted`.
void require_result(const array& given, const array& wanted) {
  if (!has_shape(given, wanted)) {
    throw nb::value_error(("out has shape " + shape_text(given) + " and the result " +
                           shape_text(wanted) + "; give an out of that shape")
                              .c_str());
  }
  if (given.element == wanted.element) return;
  throw nb::type_error(("out has dtype " + name_of(given.element) + " and the result " +
                        name_of(wanted.element) + "; give an out of that dtype")
                           .c_str());
}

/// Returns whether the kind's input is complex: of kinds between reals, either is taken.
bool takes_complex(transform kind) {
  return kind == transform::forward || kind == transform::inverse ||
         kind == transform::inverse_to_real;
}

/// A call with numpy arrays. `result` is None where Python has to convert or copy first.
struct numpy_call {
  transform_request request;
  array in{}, out{};
  nb::object result = nb::none();
  bool is_inverse = false;  ///< Of real input of a complex kind: which half follows.
  bool is_completed = false;

  void run() {
    array written = out;
    if (is_completed) {
      const int last = request.axes[request.n_axes - 1];
      request.kind = transform::forward_from_real;
      written.shape[last] =
          static_cast<std::ptrdiff_t>(request.lengths[request.n_axes - 1] / 2 + 1);
    }
    const auto work = [&] {
      python::run(host_queue(), in, written, request);
      if (is_completed) complete_spectrum(out, request, is_inverse);
    };
    if (out.elements() < min_released_elements) return work();
    const nb::gil_scoped_release released;
    work();
  }
};

/// Finds or makes the memory of a result. Returns false where Python has to.
bool place_result(numpy_call& call, nb::handle x, bool overwrites, nb::handle out) {
  call.out.element = result_element(call.in, call.request.kind, false);
  shape_result(call.out, call.in, call.request);
  if (call.in.elements() == 0 || call.out.elements() == 0) return false;
  if (!out.is_none()) {
    const auto given = numpy_view(out);
    if (!given || !is_writeable_numpy(out)) return false;
    require_result(*given, call.out);
    call.out = *given;
    call.result = nb::borrow(out);
  } else if (overwrites && has_shape(call.in, call.out) && call.in.element == call.out.element &&
             is_writeable_numpy(x) && call.in.is_writable()) {
    call.out = call.in;
    call.result = nb::borrow(x);
  } else {
    call.result = empty_numpy(call.out);
  }
  transform_request request = call.request;
  if (call.is_completed) request.kind = transform::forward_from_real;
  if (is_direct(call.in, call.out, request)) return true;
  call.result = nb::none();
  return false;
}

/// Returns whether the kind takes elements of the array; completes spectra of real ones.
bool takes(numpy_call& call) {
  const transform kind = call.request.kind;
  const bool is_complex = call.in.element.is_complex;
  if (is_real_to_real(kind)) return call.in.element.real != precision::fp16;
  if (takes_complex(kind) == is_complex) return true;
  call.is_completed = kind == transform::forward || kind == transform::inverse;
  return call.is_completed && !is_complex;
}

transform_request request_of(int kind, bool is_inverse, nb::handle norm, bool orthogonalize) {
  transform_request request;
  request.kind = static_cast<transform>(kind);
  request.scale = scale_of(norm, is_inverse);
  request.orthogonalize = orthogonalize;
  return request;
}

/// Fills in axes and lengths. `lengths` has None for each axis that stays as it is.
void add_axes(transform_request& request, const array& in, nb::tuple lengths, nb::tuple axes) {
  for (std::size_t a = 0; a < axes.size(); ++a) {
    add_axis(request, in, integer_of(axes[a], "an axis"), lengths[a], a + 1 == axes.size());
  }
}

/// Workspaces of an array library's allocator: a function of a number of bytes that returns
/// (owner, pointer); None where the engine's queue has its own.
class lent_workspace {
 public:
  explicit lent_workspace(nb::handle allocate) : allocate_(nb::borrow(allocate)) {}
  /// Beside an array of a device.
  lent_workspace(const array_library& library, nb::handle x) : library_(&library), x_(x) {}

  [[nodiscard]] workspace_source source() {
    if (library_ == nullptr && allocate_.is_none()) return {};
    return [this](std::size_t bytes) -> buffer_view {
      const nb::gil_scoped_acquire held;
      if (!allocate_.is_valid()) allocate_ = library_->workspace_near(x_);
      const nb::object memory = allocate_(bytes);
      owners_.push_back(memory[0]);
      return {reinterpret_cast<void*>(nb::cast<std::uintptr_t>(memory[1])), 0, bytes};
    };
  }

 private:
  const array_library* library_ = nullptr;
  nb::handle x_;
  nb::object allocate_;
  std::vector<nb::object> owners_;
};

void run_released(const array& source, const array& target, const transform_request& request,
                  std::uintptr_t stream, lent_workspace workspace) {
  const workspace_source memory = workspace.source();
  const nb::gil_scoped_release released;
  queue on = queue_of(source.runs_on, source.device_index, stream);
  run(on, source, target, request, memory);
}

/// Runs on arrays as they are, without a result of its own. Returns false, and does nothing, where
/// an array has to be copied first.
bool execute(int kind, bool is_inverse, nb::handle in, nb::handle out, nb::tuple lengths,
             nb::tuple axes, nb::handle norm, bool orthogonalize, std::uintptr_t stream,
             nb::handle allocate) {
  const array source = described(in), target = described(out);
  transform_request request = request_of(kind, is_inverse, norm, orthogonalize);
  add_axes(request, source, lengths, axes);
  array wanted;
  wanted.element = target.element;
  shape_result(wanted, source, request);
  require_result(target, wanted);
  if (!is_direct(source, target, request)) return false;
  run_released(source, target, request, stream, lent_workspace{allocate});
  return true;
}

/// How a function was called.
struct call_arguments {
  int kind;
  bool is_inverse;
  nb::handle x, norm;
  bool orthogonalize, overwrites;
  nb::handle out;

  [[nodiscard]] transform_request request() const {
    return request_of(kind, is_inverse, norm, orthogonalize);
  }
};

template <class AddAxes>
nb::object transform_numpy(const call_arguments& given, const array& in, const AddAxes& add_all) {
  numpy_call call;
  call.in = in;
  call.is_inverse = given.is_inverse;
  call.request = given.request();
  if (!takes(call)) return nb::none();
  add_all(call.request, in);
  if (place_result(call, given.x, given.overwrites, given.out)) call.run();
  return call.result;
}

/// The same with arrays of another library.
template <class AddAxes>
nb::object transform_known(const call_arguments& given, const array_library& library,
                           const AddAxes& add_all) {
  const auto in = library.view(given.x);
  if (!in || in->elements() == 0 || given.overwrites) return nb::none();
  transform_request request = given.request();
  const bool is_fitting = is_real_to_real(request.kind)
                              ? in->element.real != precision::fp16 || library.has_narrow()
                              : takes_complex(request.kind) == in->element.is_complex;
  if (!is_fitting) return nb::none();
  add_all(request, *in);
  array out = *in;
  out.element = result_element(*in, request.kind, library.has_narrow());
  shape_result(out, *in, request);
  nb::object result;
  if (given.out.is_none()) {
    result = library.empty(given.x, *in, out);
    if (result.is_none()) return result;
  } else {
    const bool is_alike = array_library_of(given.out) == &library;
    const auto target = is_alike ? library.view(given.out) : std::nullopt;
    if (!target || target->runs_on != in->runs_on || target->device_index != in->device_index) {
      return nb::none();
    }
    require_result(*target, out);
    out = *target;
    result = nb::borrow(given.out);
  }
  if (!is_direct(*in, out, request)) return nb::none();
  if (!given.out.is_none()) library.note_written(result);
  if (in->runs_on != engine::host) {
    run_released(*in, out, request, library.stream_of(*in), lent_workspace{library, given.x});
  } else if (out.elements() < min_released_elements) {
    run(host_queue(), *in, out, request);
  } else {
    const nb::gil_scoped_release released;
    run(host_queue(), *in, out, request);
  }
  return result;
}

/// Calls of numpy's arrays and of known libraries'. Returns None, and does nothing, where an array
/// has to be converted or copied first.
template <class AddAxes>
nb::object transformed(const call_arguments& given, const AddAxes& add_all) {
  if (const auto in = numpy_view(given.x)) return transform_numpy(given, *in, add_all);
  const array_library* const library = array_library_of(given.x);
  return library == nullptr ? nb::none() : transform_known(given, *library, add_all);
}

nb::object transform_row(int kind, bool is_inverse, nb::handle x, nb::handle n, nb::handle axis,
                         nb::handle norm, bool orthogonalize, nb::handle overwrites,
                         nb::handle out) {
  return transformed({kind, is_inverse, x, norm, orthogonalize, is_true(overwrites), out},
                     [&](transform_request& request, const array& in) {
                       add_axis(request, in, integer_of(axis, "axis"), n, true);
                     });
}

nb::object transform_axes(int kind, bool is_inverse, nb::handle x, nb::tuple lengths,
                          nb::tuple axes, nb::handle norm, bool orthogonalize,
                          nb::handle overwrites, nb::handle out) {
  if (axes.size() == 0) return nb::none();
  return transformed(
      {kind, is_inverse, x, norm, orthogonalize, is_true(overwrites), out},
      [&](transform_request& request, const array& in) { add_axes(request, in, lengths, axes); });
}

}  // namespace

void bind_transforms(nb::module_& module) {
  // Numbers, because an enumeration of Python's costs a call a look-up.
  for (int kind = 0; kind <= static_cast<int>(transform::dht); ++kind) {
    const std::string name{wingbeat::name_of(static_cast<transform>(kind))};
    module.attr(("kind_" + name).c_str()) = kind;
  }
  using nb::literals::operator""_a;
  module.def(
      "transform_row", &transform_row, "kind"_a, "is_inverse"_a, "x"_a.none(), "n"_a.none(),
      "axis"_a.none(), "norm"_a.none(), "orthogonalize"_a, "overwrites"_a.none(), "out"_a.none(),
      "Transforms an array of numpy or of a known library along one axis; None where it has to be "
      "converted first.");
  module.def("transform_axes", &transform_axes, "kind"_a, "is_inverse"_a, "x"_a.none(), "lengths"_a,
             "axes"_a, "norm"_a.none(), "orthogonalize"_a, "overwrites"_a.none(), "out"_a.none(),
             "Transforms such an array along axes; None where it has to be converted first.");
  module.def("execute", &execute, "kind"_a, "is_inverse"_a, "input"_a, "out"_a, "lengths"_a,
             "axes"_a, "norm"_a.none(), "orthogonalize"_a, "stream"_a = 0,
             "allocate"_a = nb::none(),
             "Transforms described arrays as they lie; False where one has to be copied first.");
}

}  // namespace wingbeat::python
