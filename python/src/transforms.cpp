// SPDX-License-Identifier: Apache-2.0
// Calls that transform arrays: directly for numpy and known libraries, otherwise arrays that Python
// described.
#include <algorithm>  // find
#include <optional>
#include <stdexcept>  // runtime_error
#include <string>
#include <vector>

#include "array_library.hpp"  // array_library_of
#include "bindings.hpp"
#include "call_memory.hpp"     // released_call
#include "numpy_array.hpp"     // described, is_text
#include "queues.hpp"          // host_queue
#include "request/traits.hpp"  // kinds
#include "transform.hpp"       // transform_request, run

#include "wingbeat/error.hpp"         // plan_error
#include "wingbeat/thread_limit.hpp"  // thread_limit

namespace wingbeat::python {
namespace {

/// With fewer elements, a call is shorter than releasing the GIL.
constexpr std::size_t min_released_elements = 2048;

/// Returns the scale for SciPy's `norm`. `is_inverse`: the inverse function of the pair was called.
scaling scale_of(nb::handle norm, bool is_inverse) {
  if (norm.is_none() || is_text(norm, "backward")) {
    return is_inverse ? scaling::by_length : scaling::none;
  }
  if (is_text(norm, "ortho")) return scaling::by_sqrt_length;
  if (is_text(norm, "forward")) return is_inverse ? scaling::none : scaling::by_length;
  refuse_value("Invalid norm value " + nb::cast<std::string>(nb::repr(norm)) +
               "; it should be \"backward\", \"ortho\" or \"forward\"");
}

std::ptrdiff_t integer_of(nb::handle object, const char* name) {
  const Py_ssize_t value = PyNumber_AsSsize_t(object.ptr(), PyExc_OverflowError);
  if (value != -1 || PyErr_Occurred() == nullptr) return value;
  const bool is_large = PyErr_ExceptionMatches(PyExc_OverflowError) != 0;
  PyErr_Clear();
  if (is_large) refuse_value(std::string(name) + " is beyond 64 bits; give a smaller one");
  const std::string type = nb::cast<std::string>(nb::inst_name(object));
  refuse_type(std::string(name) + " is of type " + type + "; give an integer");
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

/// Refuses a length before memory is allocated for it, if no plan takes it.
std::size_t length_of(std::ptrdiff_t n) {
  if (n < 1) refuse_value("invalid number of data points (" + std::to_string(n) + ") specified");
  const auto length = static_cast<std::size_t>(n);
  if (length <= max_length) return length;
  throw plan_error("length " + std::to_string(n) + " cannot be transformed; choose one from 1 to " +
                   std::to_string(max_length));
}

/// Returns the points along the last axis of a transform whose input has `count` elements there.
std::ptrdiff_t points_of(transform kind, std::ptrdiff_t count) {
  return kind == transform::inverse_to_real ? 2 * (count - 1) : count;
}

/// Adds axis `axis` with `n` points; None means the array's length.
void add_axis(transform_request& request, const array& in, std::ptrdiff_t axis, nb::handle n,
              bool is_last) {
  const int d = axis_of(axis, in.rank);
  const auto end = request.axes.begin() + request.n_axes;
  if (std::find(request.axes.begin(), end, d) != end) {
    throw nb::value_error("all axes must be unique; give each axis once");
  }
  const std::size_t length = length_of(!n.is_none() ? integer_of(n, "n")
                                       : is_last    ? points_of(request.kind, in.shape[d])
                                                    : in.shape[d]);
  if (request.kind == transform::dct1 && length == 1) {  // SciPy's type of exception
    throw std::runtime_error(
        "a dct of type 1 takes 2 points or more and was given 1; choose type 2");
  }
  request.axes[request.n_axes] = d;
  request.lengths[request.n_axes++] = length;
}

/// Returns the type of the result's elements. Most libraries have no complex numbers of 16-bit
/// parts, and none has them in bfloat16.
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

/// Throws unless `out`, as given, has the wanted shape and type.
void require_result(const array& given, const array& wanted) {
  if (!has_shape(given, wanted)) {
    refuse_value("out has shape " + shape_text(given) + " and the result " + shape_text(wanted) +
                 "; give an out of that shape");
  }
  if (given.element == wanted.element) return;
  refuse_type("out has dtype " + name_of(given.element) + " and the result " +
              name_of(wanted.element) + "; give an out of that dtype");
}

/// Returns whether the kind's input is complex; kinds from reals to reals take either.
bool takes_complex(transform kind) {
  return kind == transform::forward || kind == transform::inverse ||
         kind == transform::inverse_to_real;
}

transform_request request_of(int kind, bool is_inverse, nb::handle norm, bool orthogonalize) {
  transform_request request;
  request.kind = static_cast<transform>(kind);
  request.scale = scale_of(norm, is_inverse);
  request.orthogonalize = orthogonalize;
  return request;
}

/// Fills in axes and lengths. `lengths` has None for an axis that keeps its length.
void add_axes(transform_request& request, const array& in, nb::tuple lengths, nb::tuple axes) {
  for (std::size_t a = 0; a < axes.size(); ++a) {
    add_axis(request, in, integer_of(axes[a], "an axis"), lengths[a], a + 1 == axes.size());
  }
}

/// Runs on arrays that plans take without copies.
void run_direct(const array& in, const array& out, const transform_request& request,
                bool is_inverse, std::uintptr_t stream, const allocator& memory) {
  if (in.runs_on != engine::host) {
    released_call call{in.runs_on, in.device_index, stream, memory};
    run(call.on, in, out, request, [&](std::size_t bytes) { return call.memory(bytes); });
    if (memory.library == nullptr) call.on.wait();  // x's library does not know the stream
    return;
  }
  const auto work = [&] {
    if (takes_complex(request.kind) == in.element.is_complex || is_real_to_real(request.kind)) {
      return run(host_queue(), in, out, request);
    }
    run_by_half(host_queue(), in, out, request, is_inverse);
  };
  run_released_if(out.elements() >= min_released_elements, work);
}

/// Transforms `in` into `out`. Returns false, without effect, if an array must be copied first.
bool execute(int kind, bool is_inverse, nb::handle in, nb::handle out, nb::tuple lengths,
             nb::tuple axes, nb::handle norm, bool orthogonalize) {
  const given_array operand = given_array::of(in);
  const array &source = operand.view, target = described(out);
  transform_request request = request_of(kind, is_inverse, norm, orthogonalize);
  add_axes(request, source, lengths, axes);
  array wanted;
  wanted.element = target.element;
  shape_result(wanted, source, request);
  require_result(target, wanted);
  if (!is_direct(source, target, request)) return false;
  run_direct(source, target, request, is_inverse, operand.stream(),
             {operand.library, operand.lender});
  return true;
}

/// The arguments of a function's call.
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

/// Returns the result's array (the given one, x itself or another) and describes it; None if Python
/// must make it. Throws if the given one does not fit.
nb::object place_result(const call_arguments& given, const array_library& library, const array& in,
                        array& out) {
  if (!given.out.is_none()) {
    const auto target = library.view_beside(in, given.out);
    if (!target) return nb::none();
    require_result(*target, out);
    out = *target;
    return nb::borrow(given.out);
  }
  const bool replaces = given.overwrites && has_shape(in, out) && in.element == out.element &&
                        library.is_writeable(given.x) && in.is_writable();
  if (!replaces) return library.empty(given.x, in, out);
  out = in;
  return nb::borrow(given.x);
}

/// Transforms an array of a known library. Returns None, without effect, if an array must be
/// converted or copied first.
template <class AddAxes>
nb::object transformed(const call_arguments& given, const AddAxes& add_all) {
  const array_library* const library = array_library_of(given.x);
  const auto in = library == nullptr ? std::nullopt : library->view(given.x);
  if (!in || !in->element.is_floating() || in->elements() == 0 ||
      !library->is_plain(given.x, *in)) {
    return nb::none();
  }
  transform_request request = given.request();
  const bool is_narrow = in->element.real == precision::fp16 && library->has_narrow();
  // The upper half of the spectrum of real numbers follows from the lower half.
  const bool is_half = !in->element.is_complex && in->runs_on == engine::host && !is_narrow &&
                       (request.kind == transform::forward || request.kind == transform::inverse);
  const bool is_fitting = is_real_to_real(request.kind)
                              ? in->element.real != precision::fp16 || is_narrow
                              : takes_complex(request.kind) == in->element.is_complex;
  if (!is_fitting && !is_half) return nb::none();
  add_all(request, *in);
  array out = *in;
  out.element = result_element(*in, request.kind, library->has_narrow());
  shape_result(out, *in, request);
  nb::object result = place_result(given, *library, *in, out);
  if (result.is_none()) return result;
  if (!is_direct(*in, out, request)) return nb::none();
  if (result.is(given.out) || result.is(given.x)) library->note_written(result);
  run_direct(*in, out, request, given.is_inverse, library->stream_of(given.x, *in),
             allocator{library, given.x});
  return result;
}

nb::object transform_row(int kind, bool is_inverse, nb::handle x, nb::handle n, nb::handle axis,
                         nb::handle norm, bool orthogonalize, nb::handle overwrites, nb::handle out,
                         nb::handle workers) {
  std::optional<thread_limit> limit;
  if (!workers.is_none()) {
    const long count = PyLong_CheckExact(workers.ptr()) ? PyLong_AsLong(workers.ptr()) : 0;
    if (count < 1 || count > 65536) {  // Python's code counts negative ones from the end, or
                                       // refuses
      PyErr_Clear();
      return nb::none();
    }
    limit.emplace(static_cast<unsigned>(count));
  }
  return transformed({kind, is_inverse, x, norm, orthogonalize, is_true(overwrites), out},
                     [&](transform_request& request, const array& in) {
                       add_axis(request, in, integer_of(axis, "axis"), n, true);
                     });
}

/// `n_threads`: 0 means no limit.
nb::object transform_axes(int kind, bool is_inverse, nb::handle x, nb::tuple lengths,
                          nb::tuple axes, nb::handle norm, bool orthogonalize,
                          nb::handle overwrites, nb::handle out, unsigned n_threads) {
  if (axes.size() == 0) return nb::none();
  std::optional<thread_limit> limit;
  if (n_threads > 0) limit.emplace(n_threads);
  return transformed(
      {kind, is_inverse, x, norm, orthogonalize, is_true(overwrites), out},
      [&](transform_request& request, const array& in) { add_axes(request, in, lengths, axes); });
}

}  // namespace

void bind_transforms(nb::module_& module) {
  // Numbers, because a Python enumeration costs a look-up in each call.
  for (const wingbeat::request::traits& each : wingbeat::request::kinds) {
    module.attr(("kind_" + std::string{each.name}).c_str()) = static_cast<int>(each.kind);
  }
  using nb::literals::operator""_a;
  module.def(
      "transform_row", &transform_row, "kind"_a, "is_inverse"_a, "x"_a.none(), "n"_a.none(),
      "axis"_a.none(), "norm"_a.none(), "orthogonalize"_a, "overwrites"_a.none(), "out"_a.none(),
      "workers"_a = nb::none(),
      "Transforms an array of numpy or of a known library along one axis; None where it has to be "
      "converted first.");
  module.def("transform_axes", &transform_axes, "kind"_a, "is_inverse"_a, "x"_a.none(), "lengths"_a,
             "axes"_a, "norm"_a.none(), "orthogonalize"_a, "overwrites"_a.none(), "out"_a.none(),
             "n_threads"_a = 0,
             "Transforms such an array along axes; None where it has to be converted first.");
  module.def("execute", &execute, "kind"_a, "is_inverse"_a, "input"_a, "out"_a, "lengths"_a,
             "axes"_a, "norm"_a.none(), "orthogonalize"_a,
             "Transforms arrays as they lie; False where one has to be copied first.");
}

}  // namespace wingbeat::python
