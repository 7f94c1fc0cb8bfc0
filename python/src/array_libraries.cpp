// SPDX-License-Identifier: Apache-2.0
// Arrays of numpy by its C interface, torch's tensors by DLPack's, and those of other libraries by
// what Python says of them.
#include <algorithm>  // max, min
#include <memory>     // unique_ptr
#include <string>
#include <utility>  // move
#include <vector>

#include "array_library.hpp"
#include "numpy_array.hpp"  // numpy_view, empty_numpy

namespace wingbeat::python {
namespace {

struct known_type {
  PyTypeObject* type;
  bool is_read_at_once;  ///< Without a look from Python.
  std::unique_ptr<const array_library> library;
};

/// Never destroyed: Python may be gone when static objects are.
std::vector<known_type>& known_types() {
  static auto& types = *new std::vector<known_type>;
  return types;
}

nb::object tuple_of(const array& view, const std::ptrdiff_t* numbers, std::size_t unit) {
  nb::object tuple = nb::steal(PyTuple_New(view.rank));
  for (int d = 0; d < view.rank; ++d) {
    PyTuple_SetItem(tuple.ptr(), d,
                    PyLong_FromSsize_t(numbers[d] / static_cast<std::ptrdiff_t>(unit)));
  }
  return tuple;
}

/// The library's dtypes, each with what it stands for.
class dtype_table {
 public:
  explicit dtype_table(const nb::dict& names) {
    for (auto [name, dtype] : names) {
      if (const auto element = element_type_named(nb::cast<std::string>(name))) {
        rows_.push_back({*element, nb::borrow(dtype)});
      }
    }
  }
  [[nodiscard]] nb::object of(element_type element) const {
    for (const row& each : rows_) {
      if (each.element == element) return each.dtype;
    }
    return nb::none();
  }
  [[nodiscard]] element_type element_of(nb::handle dtype) const {
    for (const row& each : rows_) {
      if (each.dtype.is(dtype)) return each.element;
    }
    for (const row& each : rows_) {
      if (each.dtype.equal(dtype)) return each.element;
    }
    return opaque_element(nb::cast<std::uint32_t>(dtype.attr("itemsize")));
  }

 private:
  struct row {
    element_type element;
    nb::object dtype;
  };
  std::vector<row> rows_;
};

class numpy_library final : public array_library {
 public:
  [[nodiscard]] std::optional<array> view(nb::handle x) const override { return numpy_view(x); }
  [[nodiscard]] nb::object empty(nb::handle, const array&, array& view) const override {
    return empty_numpy(view);
  }
  [[nodiscard]] bool is_plain(nb::handle x, const array&) const override {
    return is_plain_numpy(x);
  }
  [[nodiscard]] bool is_writeable(nb::handle x) const override { return is_writeable_numpy(x); }
};

/// A library that Python's `ArrayLibrary` describes.
class described_library : public array_library {
 public:
  explicit described_library(nb::handle library)
      : library_(nb::borrow(library)),
        dtypes_(library.attr("types")),
        runs_on_(nb::cast<engine>(library.attr("engine"))) {}

  [[nodiscard]] std::optional<array> view(nb::handle x) const override {
    const nb::object parts = layout_(x);
    const nb::tuple shape = nb::cast<nb::tuple>(parts[1]), strides = nb::cast<nb::tuple>(parts[2]);
    if (shape.size() >= max_rank) return std::nullopt;
    std::optional<array> result{std::in_place};
    result->data = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(parts[0]));
    const auto place = nb::cast<std::ptrdiff_t>(parts[4]);  // of torch, -1 is the processor
    result->runs_on = place < 0 ? engine::host : runs_on_;
    if (runs_on_ == engine::opencl) {
      result->offset_bytes = static_cast<std::size_t>(place);
    } else {
      result->device_index = static_cast<int>(std::max<std::ptrdiff_t>(place, 0));
    }
    result->element = dtypes_.element_of(parts[3]);
    result->rank = static_cast<int>(shape.size());
    for (int d = 0; d < result->rank; ++d) {
      result->shape[d] = PyLong_AsSsize_t(PyTuple_GetItem(shape.ptr(), d));
      result->strides[d] = PyLong_AsSsize_t(PyTuple_GetItem(strides.ptr(), d));
    }
    return result;
  }

  [[nodiscard]] std::uintptr_t stream_of(nb::handle x, const array& view) const override {
    return view.runs_on == engine::host ? 0 : nb::cast<std::uintptr_t>(stream_(x));
  }

  [[nodiscard]] nb::object empty(nb::handle x, const array&, array& view) const override {
    if (dtypes_.of(view.element).is_none()) return nb::none();
    nb::object result = empty_(x, tuple_of(view, view.shape.data(), 1), name_of(view.element));
    view = this->view(result).value();
    return result;
  }

  [[nodiscard]] nb::object workspace(nb::handle x, std::size_t bytes) const override {
    return workspace_(x, bytes);
  }

 protected:
  [[nodiscard]] const dtype_table& dtypes() const { return dtypes_; }

 private:
  nb::object library_;
  dtype_table dtypes_;
  engine runs_on_;
  nb::object layout_ = library_.attr("layout"), stream_ = library_.attr("stream_of"),
             empty_ = library_.attr("empty"), workspace_ = library_.attr("workspace");
};

/// The functions of a library's type attribute `__dlpack_c_exchange_api__`, as DLPack 1.3 lays them
/// out. Those that return an int return 0, or -1 with Python's error set.
struct exchange_interface {
  std::uint32_t major, minor;
  const void* previous;
  const void *allocate, *hand_over, *take_over;
  int (*describe)(void* tensor, nb::dlpack::dltensor* view);
  int (*current_stream)(std::int32_t device_type, std::int32_t device_index, void** stream);
};

/// torch's tensors, by the interface where there is one: the earlier versions are read by Python.
class torch_library final : public described_library {
 public:
  torch_library(const exchange_interface* functions, nb::handle library)
      : described_library(library),
        functions_(functions),
        empty_like_(library.attr("empty_like")),
        empty_strided_(library.attr("empty_strided")),
        note_written_(library.attr("note_written")),
        requires_grad_(library.attr("requires_grad")),
        is_neg_(library.attr("is_neg")),
        is_conj_(library.attr("is_conj")),
        device_(library.attr("device")) {}

  [[nodiscard]] std::optional<array> view(nb::handle x) const override {
    if (functions_ == nullptr) return described_library::view(x);
    nb::dlpack::dltensor given;
    if (functions_->describe(x.ptr(), &given) != 0) {
      PyErr_Clear();  // it is sparse, or has no memory
      return std::nullopt;
    }
    const auto element = element_type_of(given.dtype);
    const bool is_on_host = given.device.device_type == nb::device::cpu::value;
    const bool is_known = is_on_host || given.device.device_type == nb::device::cuda::value;
    if (!element || !is_known || given.ndim >= max_rank) return std::nullopt;
    std::optional<array> result{
        array_of(given.data, *element, given.ndim, given.shape, given.strides, element->bytes())};
    result->offset_bytes = given.byte_offset;
    result->runs_on = is_on_host ? engine::host : engine::cuda;
    result->device_index = is_on_host ? 0 : given.device.device_id;
    return result;
  }

  [[nodiscard]] std::uintptr_t stream_of(nb::handle x, const array& view) const override {
    if (functions_ == nullptr || view.runs_on == engine::host) {
      return described_library::stream_of(x, view);
    }
    void* stream = nullptr;
    if (functions_->current_stream(nb::device::cuda::value, view.device_index, &stream) != 0) {
      throw nb::python_error();
    }
    return reinterpret_cast<std::uintptr_t>(stream);
  }

  [[nodiscard]] nb::object empty(nb::handle x, const array& source, array& view) const override {
    const nb::object dtype = dtypes().of(view.element);
    if (dtype.is_none()) return dtype;
    pack(view);
    nb::object result =
        lie_alike(source, view)
            ? empty_like_(x)
            : empty_strided_(tuple_of(view, view.shape.data(), 1),
                             tuple_of(view, view.strides.data(), view.element.bytes()),
                             nb::arg("dtype") = dtype, nb::arg("device") = device_(x));
    const array fresh = this->view(result).value();
    view.data = fresh.data;
    view.offset_bytes = fresh.offset_bytes;
    return result;
  }

  /// Flags stand in place of values that memory does not have.
  [[nodiscard]] bool is_plain(nb::handle x, const array& view) const override {
    const auto has = [&](const nb::object& flag) { return flag(x).ptr() == Py_True; };
    return !has(requires_grad_) && !has(is_neg_) && !(view.element.is_complex && has(is_conj_));
  }

  [[nodiscard]] bool has_narrow() const noexcept override { return true; }
  void note_written(nb::handle x) const override { note_written_(x); }

 private:
  const exchange_interface* functions_;
  nb::object empty_like_, empty_strided_, note_written_, requires_grad_, is_neg_, is_conj_, device_;
};

void add_library(nb::handle type, bool is_read_at_once, std::unique_ptr<array_library> library) {
  known_types().push_back(
      {reinterpret_cast<PyTypeObject*>(type.inc_ref().ptr()), is_read_at_once, std::move(library)});
}

/// `functions` is a capsule, or of torch 2.10 a pointer, or None; of a version that is not known
/// here they are not called.
void know_torch(nb::handle type, nb::handle library, nb::handle functions) {
  const void* pointer = nullptr;
  if (nb::isinstance<nb::capsule>(functions)) {
    pointer = nb::borrow<nb::capsule>(functions).data();
  } else if (!functions.is_none()) {
    pointer = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(functions));
  }
  const auto* table = static_cast<const exchange_interface*>(pointer);
  if (table != nullptr &&
      (table->major != 1 || table->describe == nullptr || table->current_stream == nullptr)) {
    table = nullptr;
  }
  add_library(type, table != nullptr, std::make_unique<torch_library>(table, library));
}

const array_library& numpy() {
  static const auto& library = *new numpy_library;
  return library;
}

/// Returns the library of an array, of types that are derived of its own too.
const array_library* any_library_of(nb::handle x) {
  if (is_numpy(x)) return &numpy();
  for (const known_type& each : known_types()) {
    if (PyObject_TypeCheck(x.ptr(), each.type)) return each.library.get();
  }
  return nullptr;
}

}  // namespace

std::optional<element_type> element_type_of(nb::dlpack::dtype dtype) noexcept {
  using code = nb::dlpack::dtype_code;
  const bool is_complex = dtype.code == static_cast<std::uint8_t>(code::Complex);
  const int bits = is_complex ? dtype.bits / 2 : dtype.bits;
  const auto whole = [&](whole_number kind) {
    return element_type{precision::fp32, false, kind, static_cast<std::uint32_t>(bits / 8)};
  };
  switch (static_cast<code>(dtype.code)) {
    case code::Complex:
    case code::Float:
      if (bits == 16) return element_type{precision::fp16, is_complex};
      if (bits == 32) return element_type{precision::fp32, is_complex};
      if (bits == 64) return element_type{precision::fp64, is_complex};
      return std::nullopt;
    case code::Bfloat: return element_type{precision::bf16, false};
    case code::Int: return whole(whole_number::integer);
    case code::UInt: return whole(whole_number::natural);
    case code::Bool: return whole(whole_number::truth);
    default: return std::nullopt;
  }
}

nb::object array_library::workspace(nb::handle, std::size_t) const {
  return nb::none();
}

std::optional<array> array_library::view_beside(const array& x, nb::handle out) const {
  if (array_library_of(out) != this || !is_writeable(out)) return std::nullopt;
  auto result = view(out);
  const bool is_beside = result && result->runs_on == x.runs_on &&
                         result->device_index == x.device_index && is_plain(out, *result);
  if (!is_beside) result.reset();
  return result;
}

const array_library* array_library_of(nb::handle x) noexcept {
  if (is_numpy(x)) return &numpy();
  for (const known_type& each : known_types()) {
    if (each.type == Py_TYPE(x.ptr())) return each.is_read_at_once ? each.library.get() : nullptr;
  }
  return nullptr;
}

given_array given_array::of_any(nb::handle x) {
  if (const array_library* const library = any_library_of(x)) {
    if (const auto view = library->view(x)) return {*view, nb::borrow(x), library};
  }
  const given_array* described = nullptr;
  if (nb::try_cast(x, described) && described != nullptr) return *described;
  refuse_type("an array is of type " + nb::cast<std::string>(nb::inst_name(x)) +
              ", whose memory is not known here; convert it to an array of numpy");
}

given_array given_array::of(nb::handle x) {
  given_array result = of_any(x);
  if (!result.view.element.is_floating()) {
    refuse_type("an array holds no floating point; convert to float32, float64 or a complex type");
  }
  return result;
}

array described(nb::handle x) {
  return given_array::of(x).view;
}

buffer_view memory_of(nb::handle x) {
  return x.is_none() ? buffer_view{} : given_array::of_any(x).view.view();
}

void bind_array_libraries(nb::module_& module) {
  using nb::literals::operator""_a;
  module.def("know_torch", &know_torch, "type"_a, "library"_a, "functions"_a.none(),
             "Has calls read tensors of that type by themselves.");
  module.def(
      "know",
      [](nb::handle type, nb::handle library, bool is_read_at_once) {
        add_library(type, is_read_at_once, std::make_unique<described_library>(library));
      },
      "type"_a, "library"_a, "is_read_at_once"_a,
      "Has calls read arrays of that type by the library's `layout`, and transform them without a "
      "look from Python if they are read at once.");
}

}  // namespace wingbeat::python
