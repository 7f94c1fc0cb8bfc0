// SPDX-License-Identifier: Apache-2.0
// numpy's arrays by its C interface, torch's tensors by DLPack's C interface, and those of other
// libraries by their attributes in Python.
#include <algorithm>  // max
#include <cstdlib>    // atoi
#include <memory>     // unique_ptr
#include <string>
#include <string_view>
#include <utility>  // move
#include <vector>

#include "array_library.hpp"
#include "numpy_array.hpp"  // is_numpy, numpy_library

namespace wingbeat::python {
namespace {

struct known_type {
  PyTypeObject* type;
  bool is_read_at_once;  ///< Without calling Python.
  std::unique_ptr<const array_library> library;
};

/// Never destroyed, because Python may end before static objects are destroyed.
std::vector<known_type>& known_types() {
  static auto& types = *new std::vector<known_type>;
  return types;
}

/// A library described by Python's `ArrayLibrary`.
class described_library : public array_library {
 public:
  explicit described_library(nb::handle library)
      : library_(nb::borrow(library)), runs_on_(nb::cast<engine>(library.attr("engine"))) {}

  [[nodiscard]] std::optional<array> view(nb::handle x) const override {
    const nb::object parts = layout_(x);
    std::optional<array> result{std::in_place};
    lay_out(*result, nb::cast<nb::tuple>(parts[1]), parts[2], 1);
    result->data = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(parts[0]));
    const auto place = nb::cast<std::ptrdiff_t>(parts[4]);  // torch numbers the processor -1
    result->runs_on = place < 0 ? engine::host : runs_on_;
    if (runs_on_ == engine::opencl) {
      result->offset_bytes = static_cast<std::size_t>(place);
    } else {
      result->device_index = static_cast<int>(std::max<std::ptrdiff_t>(place, 0));
    }
    result->element = element_type_stated(nb::cast<std::string>(parts[3]));
    return result;
  }

  [[nodiscard]] std::uintptr_t stream_of(nb::handle x, const array& view) const override {
    return view.runs_on == engine::host ? 0 : nb::cast<std::uintptr_t>(stream_(x));
  }

  [[nodiscard]] nb::object empty(nb::handle x, const array&, array& view) const override {
    const std::string name = name_of(view.element);
    if (!types_.contains(name)) return nb::none();
    nb::object result = empty_(x, tuple_of(view, view.shape.data(), 1), name);
    view = this->view(result).value();
    return result;
  }

 private:
  nb::object library_;
  engine runs_on_;
  nb::object layout_ = library_.attr("layout"), stream_ = library_.attr("stream_of"),
             empty_ = library_.attr("empty");

 protected:
  nb::dict types_ = library_.attr("types");
};

/// The functions of the type attribute `__dlpack_c_exchange_api__`, in DLPack 1.3's layout.
/// Functions that return an int return 0, or -1 with Python's error set.
struct exchange_interface {
  std::uint32_t major, minor;
  const void* previous;
  const void *allocate, *hand_over, *take_over;
  int (*describe)(void* tensor, nb::dlpack::dltensor* view);
  int (*current_stream)(std::int32_t device_type, std::int32_t device_index, void** stream);
};

/// torch's tensors, by the C interface if torch has it; otherwise Python reads them.
class torch_library final : public described_library {
 public:
  torch_library(const exchange_interface* functions, nb::handle type, nb::handle library)
      : described_library(library),
        functions_(functions),
        note_written_(library.attr("note_written")),
        is_neg_(type.attr("is_neg")),
        is_conj_(type.attr("is_conj")) {
    const nb::object getter_of = nb::module_::import_("operator").attr("attrgetter");
    requires_grad_ = getter_of("requires_grad");
    device_ = getter_of("device");
    const nb::module_ torch = nb::module_::import_("torch");
    empty_like_ = torch.attr("empty_like");
    empty_strided_ = torch.attr("empty_strided");
  }

  [[nodiscard]] std::optional<array> view(nb::handle x) const override {
    if (functions_ == nullptr) return described_library::view(x);
    nb::dlpack::dltensor given;
    if (functions_->describe(x.ptr(), &given) != 0) {
      PyErr_Clear();  // the tensor is sparse, or has no memory
      return std::nullopt;
    }
    const element_type element = element_type_of(given.dtype);
    const bool is_on_host = given.device.device_type == nb::device::cpu::value;
    const bool is_known = is_on_host || given.device.device_type == nb::device::cuda::value;
    if (!is_known || given.ndim >= max_rank) return std::nullopt;
    std::optional<array> result{
        array_of(given.data, element, given.ndim, given.shape, given.strides, element.bytes())};
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
    pack(view);
    nb::object result;
    if (lie_alike(source, view)) {
      result = empty_like_(x);
    } else {
      const std::string name = name_of(view.element);
      if (!types_.contains(name)) return nb::none();
      result = empty_strided_(tuple_of(view, view.shape.data(), 1),
                              tuple_of(view, view.strides.data(), view.element.bytes()),
                              nb::arg("dtype") = nb::object{types_[name.c_str()]},
                              nb::arg("device") = device_(x));
    }
    const array fresh = this->view(result).value();
    view.data = fresh.data;
    view.offset_bytes = fresh.offset_bytes;
    return result;
  }

  /// A set flag means that memory does not hold the values as they are.
  [[nodiscard]] bool is_plain(nb::handle x, const array& view) const override {
    const auto has = [&](const nb::object& flag) { return flag(x).ptr() == Py_True; };
    return !has(requires_grad_) && !has(is_neg_) && !(view.element.is_complex && has(is_conj_));
  }

  [[nodiscard]] bool has_narrow() const noexcept override { return true; }
  void note_written(nb::handle x) const override { note_written_(x); }

 private:
  const exchange_interface* functions_;
  nb::object note_written_, is_neg_, is_conj_, requires_grad_, device_, empty_like_, empty_strided_;
};

void add_library(nb::handle type, bool is_read_at_once, std::unique_ptr<array_library> library) {
  known_types().push_back(
      {reinterpret_cast<PyTypeObject*>(type.inc_ref().ptr()), is_read_at_once, std::move(library)});
}

/// Returns the functions in a capsule or, from torch 2.10, a pointer; null for None and for unknown
/// versions.
const exchange_interface* functions_of(nb::handle given) {
  if (given.is_none()) return nullptr;
  const void* const pointer = nb::isinstance<nb::capsule>(given)
                                  ? nb::borrow<nb::capsule>(given).data()
                                  : reinterpret_cast<void*>(nb::cast<std::uintptr_t>(given));
  const auto* const table = static_cast<const exchange_interface*>(pointer);
  const bool is_known =
      table->major == 1 && table->describe != nullptr && table->current_stream != nullptr;
  return is_known ? table : nullptr;
}

/// Returns the library of an array, also for subclasses of its type.
const array_library* any_library_of(nb::handle x) {
  if (is_numpy(x)) return &numpy_library();
  for (const known_type& each : known_types()) {
    if (PyObject_TypeCheck(x.ptr(), each.type)) return each.library.get();
  }
  return nullptr;
}

}  // namespace

nb::object tuple_of(const array& view, const std::ptrdiff_t* numbers, std::size_t unit) {
  nb::object tuple = nb::steal(PyTuple_New(view.rank));
  for (int d = 0; d < view.rank; ++d) {
    PyTuple_SetItem(tuple.ptr(), d,
                    PyLong_FromSsize_t(numbers[d] / static_cast<std::ptrdiff_t>(unit)));
  }
  return tuple;
}

element_type element_type_of(nb::dlpack::dtype dtype) noexcept {
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
      break;
    case code::Bfloat: return element_type{precision::bf16, false};
    case code::Int: return whole(whole_number::integer);
    case code::UInt: return whole(whole_number::natural);
    case code::Bool: return whole(whole_number::truth);
    default: break;
  }
  return opaque_element(dtype.bits / 8U);
}

element_type element_type_stated(const std::string& text) {
  if (const auto named = element_type_named(text)) return *named;
  const int bytes = text.size() > 2 ? std::atoi(&text[2]) : 0;
  // The index of a letter is DLPack's number of its kind.
  const std::size_t kind = text.size() > 2 ? std::string_view{"iuf--cb"}.find(text[1]) : 0;
  if (text[0] == '>' || bytes > 16) return opaque_element(static_cast<std::uint32_t>(bytes));
  return element_type_of(
      {static_cast<std::uint8_t>(kind), static_cast<std::uint8_t>(8 * bytes), 1});
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
  if (is_numpy(x)) return &numpy_library();
  for (const known_type& each : known_types()) {
    if (each.type == Py_TYPE(x.ptr())) return each.is_read_at_once ? each.library.get() : nullptr;
  }
  return nullptr;
}

given_array given_array::of_any(nb::handle x) {
  const array_library* const library = any_library_of(x);
  if (library != nullptr) {
    if (const auto view = library->view(x)) return {*view, nb::borrow(x), library};
  }
  const given_array* described = nullptr;
  if (nb::try_cast(x, described) && described != nullptr) return *described;
  auto lent = library == nullptr ? lent_array(x) : std::nullopt;
  if (lent) return *std::move(lent);
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
  module.def(
      "know_torch",
      [](nb::handle type, nb::handle library, nb::handle functions) {
        const exchange_interface* const table = functions_of(functions);
        add_library(type, table != nullptr, std::make_unique<torch_library>(table, type, library));
      },
      "type"_a, "library"_a, "functions"_a.none(),
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
