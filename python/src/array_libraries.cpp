// SPDX-License-Identifier: Apache-2.0
// torch's tensors by DLPack's interface of C functions, CuPy's arrays by their attributes.
#include <algorithm>  // equal
#include <memory>     // unique_ptr
#include <string>
#include <utility>  // move
#include <vector>

#include "array_library.hpp"

namespace wingbeat::python {
namespace {

struct known_type {
  PyTypeObject* type;
  std::unique_ptr<const array_library> library;
};

/// Never destroyed: Python may be gone when static objects are.
std::vector<known_type>& known_types() {
  static auto& types = *new std::vector<known_type>;
  return types;
}

void add_library(nb::handle type, std::unique_ptr<const array_library> library) {
  known_types().push_back(
      {reinterpret_cast<PyTypeObject*>(type.inc_ref().ptr()), std::move(library)});
}

/// An attribute by a name that was made once.
class attribute {
 public:
  explicit attribute(const char* name) : name_(nb::steal(PyUnicode_InternFromString(name))) {}

  [[nodiscard]] nb::object of(nb::handle x) const {
    PyObject* const value = PyObject_GetAttr(x.ptr(), name_.ptr());
    if (value == nullptr) throw nb::python_error();
    return nb::steal(value);
  }
  [[nodiscard]] bool is_true_of(nb::handle x) const { return of(x).ptr() == Py_True; }
  [[nodiscard]] bool calls_true_of(nb::handle x) const {
    PyObject* const value = PyObject_CallMethodObjArgs(x.ptr(), name_.ptr(), nullptr);
    if (value == nullptr) throw nb::python_error();
    return nb::steal(value).ptr() == Py_True;
  }

 private:
  nb::object name_;
};

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
  explicit dtype_table(nb::dict names) {
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
  [[nodiscard]] std::optional<element_type> element_of(nb::handle dtype) const {
    for (const row& each : rows_) {
      if (each.dtype.is(dtype)) return each.element;
    }
    return std::nullopt;
  }

 private:
  struct row {
    element_type element;
    nb::object dtype;
  };
  std::vector<row> rows_;
};

/// Returns whether arrays of one rank have the same elements, lying alike.
bool are_alike(const array& a, const array& b) {
  const auto are_equal = [&](const auto& of_a, const auto& of_b) {
    return std::equal(of_a.begin(), of_a.begin() + a.rank, of_b.begin());
  };
  return a.element == b.element && are_equal(a.shape, b.shape) && are_equal(a.strides, b.strides);
}

/// The functions of a library's type attribute `__dlpack_c_exchange_api__`, as DLPack 1.3 lays them
/// out. Those that return an int return 0, or -1 with Python's error set.
struct exchange_interface {
  std::uint32_t major, minor;
  const void* previous;
  const void *allocate, *hand_over, *take_over;
  int (*describe)(void* tensor, nb::dlpack::dltensor* view);
  int (*current_stream)(std::int32_t device_type, std::int32_t device_index, void** stream);
};

class torch_library final : public array_library {
 public:
  torch_library(const exchange_interface& functions, nb::dict dtypes, nb::object empty_like,
                nb::object empty_strided, nb::object workspace_near, nb::object note_written)
      : array_library(true, std::move(workspace_near)),
        functions_(functions),
        dtypes_(dtypes),
        empty_like_(std::move(empty_like)),
        empty_strided_(std::move(empty_strided)),
        note_written_(std::move(note_written)) {}

  [[nodiscard]] std::optional<array> view(nb::handle x) const override {
    nb::dlpack::dltensor given;
    if (functions_.describe(x.ptr(), &given) != 0) {
      PyErr_Clear();  // it is sparse, or has no memory
      return std::nullopt;
    }
    const auto element = element_type_of(given.dtype);
    const bool is_on_host = given.device.device_type == nb::device::cpu::value;
    const bool is_known = is_on_host || given.device.device_type == nb::device::cuda::value;
    if (!element || !is_known || given.ndim >= max_rank) return std::nullopt;
    // Flags in place of values that memory does not have, and gradients.
    if (requires_grad_.is_true_of(x) || is_neg_.calls_true_of(x)) return std::nullopt;
    if (element->is_complex && is_conj_.calls_true_of(x)) return std::nullopt;
    std::optional<array> result{std::in_place};
    result->data = given.data;
    result->offset_bytes = given.byte_offset;
    result->runs_on = is_on_host ? engine::host : engine::cuda;
    result->device_index = is_on_host ? 0 : given.device.device_id;
    result->element = *element;
    result->rank = given.ndim;
    for (int d = 0; d < given.ndim; ++d) {
      result->shape[d] = given.shape[d];
      result->strides[d] = given.strides[d] * static_cast<std::ptrdiff_t>(element->bytes());
    }
    return result;
  }

  [[nodiscard]] std::uintptr_t stream_of(const array& x) const override {
    if (x.runs_on == engine::host) return 0;
    void* stream = nullptr;
    if (functions_.current_stream(nb::device::cuda::value, x.device_index, &stream) != 0) {
      throw nb::python_error();
    }
    return reinterpret_cast<std::uintptr_t>(stream);
  }

  [[nodiscard]] nb::object empty(nb::handle x, const array& source, array& view) const override {
    const nb::object dtype = dtypes_.of(view.element);
    if (dtype.is_none()) return dtype;
    pack(view);
    nb::object result =
        are_alike(source, view)
            ? empty_like_(x)
            : empty_strided_(tuple_of(view, view.shape.data(), 1),
                             tuple_of(view, view.strides.data(), view.element.bytes()),
                             nb::arg("dtype") = dtype, nb::arg("device") = device_.of(x));
    nb::dlpack::dltensor given;
    if (functions_.describe(result.ptr(), &given) != 0) throw nb::python_error();
    view.data = given.data;
    view.offset_bytes = given.byte_offset;
    return result;
  }

  void note_written(nb::handle x) const override { note_written_(x); }

 private:
  const exchange_interface& functions_;
  dtype_table dtypes_;
  nb::object empty_like_, empty_strided_, note_written_;
  attribute requires_grad_{"requires_grad"}, is_neg_{"is_neg"}, is_conj_{"is_conj"},
      device_{"device"};
};

class cupy_library final : public array_library {
 public:
  cupy_library(nb::object ndarray, nb::dict dtypes, nb::object current_device,
               nb::object current_stream, nb::object workspace_near)
      : array_library(false, std::move(workspace_near)),
        ndarray_(std::move(ndarray)),
        dtypes_(dtypes),
        current_device_(std::move(current_device)),
        current_stream_(std::move(current_stream)) {}

  [[nodiscard]] std::optional<array> view(nb::handle x) const override {
    const auto element = dtypes_.element_of(dtype_.of(x));
    const nb::object shape = shape_.of(x), strides = strides_.of(x), memory = data_.of(x);
    const Py_ssize_t rank = PyTuple_Size(shape.ptr());
    if (!element || rank >= max_rank) return std::nullopt;
    std::optional<array> result{std::in_place};
    result->data = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(ptr_.of(memory)));
    result->runs_on = engine::cuda;
    result->device_index = nb::cast<int>(device_id_.of(memory));
    result->element = *element;
    result->rank = static_cast<int>(rank);
    for (int d = 0; d < result->rank; ++d) {
      result->shape[d] = PyLong_AsSsize_t(PyTuple_GetItem(shape.ptr(), d));
      result->strides[d] = PyLong_AsSsize_t(PyTuple_GetItem(strides.ptr(), d));
    }
    return result;
  }

  [[nodiscard]] std::uintptr_t stream_of(const array& x) const override {
    return nb::cast<std::uintptr_t>(ptr_.of(current_stream_(x.device_index)));
  }

  /// CuPy allocates on the current device.
  [[nodiscard]] nb::object empty(nb::handle, const array&, array& view) const override {
    const nb::object dtype = dtypes_.of(view.element);
    if (dtype.is_none() || nb::cast<int>(current_device_()) != view.device_index) return nb::none();
    nb::object result = ndarray_(tuple_of(view, view.shape.data(), 1), dtype);
    pack(view);
    view.offset_bytes = 0;
    view.data = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(ptr_.of(data_.of(result))));
    return result;
  }

 private:
  nb::object ndarray_;
  dtype_table dtypes_;
  nb::object current_device_, current_stream_;
  attribute dtype_{"dtype"}, shape_{"shape"}, strides_{"strides"}, data_{"data"}, ptr_{"ptr"},
      device_id_{"device_id"};
};

/// `functions` is a capsule, or of torch 2.10 a pointer. Returns whether they are of a version that
/// is known here.
bool know_torch(nb::handle type, nb::handle functions, nb::dict dtypes, nb::object empty_like,
                nb::object empty_strided, nb::object workspace_near, nb::object note_written) {
  const void* const pointer = nb::isinstance<nb::capsule>(functions)
                                  ? nb::borrow<nb::capsule>(functions).data()
                                  : reinterpret_cast<void*>(nb::cast<std::uintptr_t>(functions));
  const auto& given = *static_cast<const exchange_interface*>(pointer);
  if (given.major != 1 || given.describe == nullptr || given.current_stream == nullptr) {
    return false;
  }
  add_library(type, std::make_unique<torch_library>(
                        given, dtypes, std::move(empty_like), std::move(empty_strided),
                        std::move(workspace_near), std::move(note_written)));
  return true;
}

void know_cupy(nb::handle type, nb::dict dtypes, nb::object current_device,
               nb::object current_stream, nb::object workspace_near) {
  add_library(type,
              std::make_unique<cupy_library>(nb::borrow(type), dtypes, std::move(current_device),
                                             std::move(current_stream), std::move(workspace_near)));
}

}  // namespace

std::optional<element_type> element_type_of(nb::dlpack::dtype dtype) noexcept {
  using code = nb::dlpack::dtype_code;
  const bool is_complex = dtype.code == static_cast<std::uint8_t>(code::Complex);
  const int bits = is_complex ? dtype.bits / 2 : dtype.bits;
  if (is_complex || dtype.code == static_cast<std::uint8_t>(code::Float)) {
    if (bits == 16) return element_type{precision::fp16, is_complex};
    if (bits == 32) return element_type{precision::fp32, is_complex};
    if (bits == 64) return element_type{precision::fp64, is_complex};
  }
  if (dtype.code == static_cast<std::uint8_t>(code::Bfloat)) {
    return element_type{precision::bf16, false};
  }
  return std::nullopt;
}

const array_library* array_library_of(nb::handle x) noexcept {
  for (const known_type& each : known_types()) {
    if (each.type == Py_TYPE(x.ptr())) return each.library.get();
  }
  return nullptr;
}

void bind_array_libraries(nb::module_& module) {
  using nb::literals::operator""_a;
  module.def("know_torch", &know_torch, "type"_a, "functions"_a, "dtypes"_a, "empty_like"_a,
             "empty_strided"_a, "workspace_near"_a, "note_written"_a,
             "Has calls read tensors of that type by themselves; False where they cannot.");
  module.def("know_cupy", &know_cupy, "type"_a, "dtypes"_a, "current_device"_a, "current_stream"_a,
             "workspace_near"_a, "Has calls read arrays of that type by themselves.");
}

}  // namespace wingbeat::python
