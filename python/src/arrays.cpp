// SPDX-License-Identifier: Apache-2.0
// Arrays of any library in Python, and arrays that only a protocol describes.
#include <nanobind/ndarray.h>

#include <stdexcept>  // runtime_error
#include <string>
#include <utility>  // move
#include <vector>

#include "array.hpp"
#include "array_library.hpp"  // given_array, element_type_of
#include "bindings.hpp"
#include "queues.hpp"                 // queue_of
#include "system/shared_library.hpp"  // shared_library
#include "wingbeat/buffer.hpp"        // buffer

namespace wingbeat::python {
namespace {

constexpr std::size_t widest_pair_bytes = 16;  // of float64; GPUs read it at once

/// Number of CUDA's legacy default stream in protocols.
constexpr std::uintptr_t legacy_stream = 1;

/// Takes over an array that DLPack lends, until the result is destroyed.
given_array imported(nb::handle x) {
  const int kind = nb::cast<int>(nb::int_(x.attr("__dlpack_device__")()[0]));
  const bool is_on_host = kind == nb::device::cpu::value;
  if (!is_on_host && kind != nb::device::cuda::value && kind != nb::device::cuda_managed::value) {
    refuse_type("x is on a device that DLPack numbers " + std::to_string(kind) +
                "; give an array of a processor or of a CUDA device");
  }
  const nb::object lend = x.attr("__dlpack__");
  auto* const kept = new nb::ndarray<nb::ro>(
      nb::cast<nb::ndarray<nb::ro>>(is_on_host ? lend() : lend(nb::arg("stream") = legacy_stream)));
  nb::capsule lender(kept,
                     [](void* owned) noexcept { delete static_cast<nb::ndarray<nb::ro>*>(owned); });
  if (kept->ndim() >= max_rank) refuse_value("an array has at most 64 dimensions");
  const element_type element = element_type_of(kept->dtype());
  array view = array_of(const_cast<void*>(kept->data()), element, static_cast<int>(kept->ndim()),
                        kept->shape_ptr(), kept->stride_ptr(), element.bytes());
  view.runs_on = is_on_host ? engine::host : engine::cuda;
  view.device_index = is_on_host ? 0 : kept->device_id();
  return {view, std::move(lender), nullptr, is_on_host ? 0 : legacy_stream};
}

/// Returns the CUDA device that memory is on.
int device_of(std::uintptr_t pointer) {
  shared_library driver{"libcuda.so.1"};
  int (*ask)(void*, int, unsigned long long) = nullptr;
  if (driver.is_open()) driver.bind(ask, "cuPointerGetAttribute");
  if (ask == nullptr) {
    throw std::runtime_error(
        "x is said to be on a CUDA device, and no driver is here; give another array");
  }
  int ordinal = 0;
  constexpr int device_ordinal = 9;  // CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
  const int failed = ask(&ordinal, device_ordinal, pointer);
  if (failed == 0) return ordinal;
  throw std::runtime_error("the CUDA driver does not know the pointer of x, error " +
                           std::to_string(failed) + "; give an array of a CUDA device");
}

/// Returns the array that `__cuda_array_interface__` states. Throws nb::python_error or
/// nb::cast_error where a key is missing or of another type than version 3 of the protocol has.
given_array read_statement(nb::handle x) {
  const nb::object interface = x.attr("__cuda_array_interface__"), get = interface.attr("get");
  const std::string type = nb::cast<std::string>(interface["typestr"]);
  if (type.starts_with('>') || !get("mask").is_none()) {
    refuse_type("x is of type " + nb::cast<std::string>(nb::inst_name(x)) +
                " and has a mask, or numbers whose bytes are in the other order; convert it");
  }
  given_array result;
  array& view = result.view;
  view.element = element_type_stated(type);
  lay_out(view, nb::cast<nb::tuple>(interface["shape"]), get("strides"), 1);
  view.data = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(interface["data"][0]));
  const nb::object stream = get("stream");
  result.fixed_stream = stream.is_none() ? legacy_stream : nb::cast<std::uintptr_t>(stream);
  result.lender = nb::borrow(x);
  return result;
}

given_array stated(nb::handle x) {
  given_array result;
  const auto refuse = [&](const std::string& reason) {
    refuse_type("x is of type " + nb::cast<std::string>(nb::inst_name(x)) +
                ", whose __cuda_array_interface__ cannot be read (" + reason +
                "); give an array that states typestr, shape and data");
  };
  try {
    result = read_statement(x);
  } catch (const nb::python_error& error) {
    refuse(nb::cast<std::string>(nb::str(error.value())));
  } catch (const nb::cast_error&) {
    refuse("a value has another type");
  }
  result.view.runs_on = engine::cuda;
  result.view.device_index = device_of(reinterpret_cast<std::uintptr_t>(result.view.data));
  return result;
}

nb::dlpack::dtype dlpack_type(element_type element) {
  using code = nb::dlpack::dtype_code;
  const code number = element.is_complex                ? code::Complex
                      : element.real == precision::bf16 ? code::Bfloat
                                                        : code::Float;
  return {static_cast<std::uint8_t>(number), static_cast<std::uint8_t>(8 * element.bytes()), 1};
}

nb::object empty_on_device(nb::tuple shape, const std::string& dtype, const given_array& x) {
  array view;
  view.element = element_type_named(dtype).value();
  lay_out(view, shape, nb::none(), 1);
  const int index = x.view.device_index;
  buffer* memory = nullptr;
  {
    const released_gil released;
    memory = new buffer{queue_of(engine::cuda, index, x.fixed_stream),
                        view.elements() * view.element.bytes()};
  }
  const nb::capsule owner{memory, [](void* owned) noexcept { delete static_cast<buffer*>(owned); }};
  const std::vector<std::size_t> counts(view.shape.begin(), view.shape.begin() + view.rank);
  return nb::cast(nb::ndarray<nb::array_api>{memory->view().handle, counts.size(), counts.data(),
                                             owner, nullptr, dlpack_type(view.element),
                                             nb::device::cuda::value, index});
}

template <auto Get>
nb::object of_view(const given_array& self) {
  return nb::cast(Get(self.view));
}

/// Returns the name of the elements' type; for types without a name here, the library's dtype.
nb::object dtype_of(const given_array& x) {
  if (x.view.element.whole != whole_number::opaque || !nb::hasattr(x.lender, "dtype")) {
    return nb::cast(name_of(x.view.element));
  }
  const nb::object dtype = x.lender.attr("dtype");
  return nb::getattr(dtype, "name", nb::str(dtype));
}

}  // namespace

void lay_out(array& view, nb::tuple shape, nb::handle strides, std::ptrdiff_t stride_bytes) {
  const bool is_packed = strides.is_none();
  if (shape.size() >= max_rank || (!is_packed && nb::len(strides) != shape.size())) {
    refuse_value("an array has one stride for each of at most 64 dimensions");
  }
  view.rank = static_cast<int>(shape.size());
  for (int d = 0; d < view.rank; ++d) {
    view.shape[d] = nb::cast<std::ptrdiff_t>(shape[d]);
    if (!is_packed) view.strides[d] = nb::cast<std::ptrdiff_t>(strides[d]) * stride_bytes;
  }
  if (is_packed) pack(view);
}

std::optional<given_array> lent_array(nb::handle x) {
  if (nb::hasattr(x, "__dlpack_device__")) return imported(x);
  if (nb::hasattr(x, "__cuda_array_interface__")) return stated(x);
  return std::nullopt;
}

void bind_arrays(nb::module_& module) {
  using nb::literals::operator""_a;
  nb::class_<given_array>(module, "Array", "Memory as an array's library describes it.")
      .def_prop_ro("dtype", &dtype_of)
      .def_prop_ro("item_bytes", of_view<[](const array& x) { return x.element.bytes(); }>)
      .def_prop_ro("is_writable", of_view<[](const array& x) { return x.is_writable(); }>,
                   "Whether a plan writes it as it lies.")
      .def_prop_ro("lies_apart", of_view<[](const array& x) { return x.lies_apart(); }>,
                   "Whether no elements share memory.")
      .def_prop_ro("starts_a_pair", of_view<[](const array& x) {
                     return x.runs_on == engine::host || x.address() % widest_pair_bytes == 0;
                   }>,
                   "Whether pairs of numbers may start where it does.")
      .def_prop_ro("shape", of_view<[](const array& x) { return tuple_of(x, x.shape.data(), 1); }>)
      .def_prop_ro("strides",
                   of_view<[](const array& x) { return tuple_of(x, x.strides.data(), 1); }>,
                   "In bytes.")
      .def_prop_ro("place", of_view<[](const array& x) {
                     return nb::make_tuple(reinterpret_cast<std::uintptr_t>(x.data),
                                           x.offset_bytes);
                   }>,
                   "A pointer or a handle, and an offset in bytes.")
      .def_prop_ro("device",
                   [](const given_array& self) {
                     return nb::make_tuple(self.view.runs_on, self.view.device_index);
                   })
      .def(
          "may_overlap",
          [](const given_array& self, const given_array& other) {
            return may_overlap(self.view, other.view);
          },
          "other"_a, "Returns whether two arrays may share bytes.")
      .def(
          "of_type",
          [](given_array self, const std::string& dtype) {
            self.view.element = element_type_named(dtype).value();
            return self;
          },
          "dtype"_a, "Returns the same memory with elements of another type, as wide.");
  module.def("view", &given_array::of_any, "x"_a,
             "Returns the `Array` that an array of any library is.");
  module.def(
      "stream_of", [](nb::handle x) { return given_array::of_any(x).stream(); }, "x"_a,
      "Returns the stream that x's library works on now; 0 on the host.");
  module.def("empty_on_device", &empty_on_device, "shape"_a, "dtype"_a, "x"_a,
             "Allocates beside x; returns an object with DLPack.");
}

}  // namespace wingbeat::python
