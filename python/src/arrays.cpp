// SPDX-License-Identifier: Apache-2.0
// Arrays of any library, described by Python.
#include <nanobind/ndarray.h>

#include <string>
#include <utility>  // move
#include <vector>

#include "array.hpp"
#include "array_library.hpp"  // element_type_of
#include "bindings.hpp"
#include "queues.hpp"           // queue_of
#include "wingbeat/buffer.hpp"  // buffer

namespace wingbeat::python {
namespace {

array make_array(std::uintptr_t data, std::size_t offset_bytes, nb::tuple shape, nb::tuple strides,
                 std::ptrdiff_t stride_bytes, const std::string& dtype, engine runs_on,
                 int device_index) {
  const auto element = element_type_named(dtype);
  if (!element) {
    throw nb::type_error(("dtype " + dtype +
                          " cannot be transformed; convert to float16, float32, float64 or a "
                          "complex type")
                             .c_str());
  }
  if (shape.size() != strides.size() || shape.size() > max_rank - 1) {
    throw nb::value_error("an array has one stride for each of at most 64 dimensions");
  }
  array result{};
  result.data = reinterpret_cast<void*>(data);
  result.offset_bytes = offset_bytes;
  result.runs_on = runs_on;
  result.device_index = device_index;
  result.element = *element;
  result.rank = static_cast<int>(shape.size());
  for (int d = 0; d < result.rank; ++d) {
    result.shape[d] = nb::cast<std::ptrdiff_t>(shape[d]);
    result.strides[d] = nb::cast<std::ptrdiff_t>(strides[d]) * stride_bytes;
  }
  return result;
}

/// An array that DLPack lent: its owner lets go of it when this is destroyed.
struct imported_array {
  nb::ndarray<nb::ro> owner;
  array view;
};

element_type element_of(nb::dlpack::dtype dtype) {
  if (const auto element = element_type_of(dtype)) return *element;
  throw nb::type_error("x holds no floating point; convert to float32, float64 or a complex type");
}

imported_array import_array(nb::ndarray<nb::ro> owner) {
  array view{};
  view.data = const_cast<void*>(owner.data());
  view.runs_on = engine::cuda;
  view.device_index = owner.device_id();
  view.element = element_of(owner.dtype());
  if (owner.ndim() >= max_rank) throw nb::value_error("an array has at most 64 dimensions");
  view.rank = static_cast<int>(owner.ndim());
  for (int d = 0; d < view.rank; ++d) {
    view.shape[d] = static_cast<std::ptrdiff_t>(owner.shape(static_cast<std::size_t>(d)));
    view.strides[d] = owner.stride(static_cast<std::size_t>(d)) *
                      static_cast<std::ptrdiff_t>(view.element.bytes());
  }
  return {std::move(owner), view};
}

nb::dlpack::dtype dlpack_type(element_type element) {
  using code = nb::dlpack::dtype_code;
  const code number = element.is_complex                ? code::Complex
                      : element.real == precision::bf16 ? code::Bfloat
                                                        : code::Float;
  return {static_cast<std::uint8_t>(number), static_cast<std::uint8_t>(8 * element.bytes()), 1};
}

nb::tuple make_device_array(nb::tuple shape, const std::string& dtype, int device_index,
                            std::uintptr_t stream) {
  array view = make_array(0, 0, shape, shape, 1, dtype, engine::cuda, device_index);
  pack(view);
  buffer* memory = nullptr;
  {
    const nb::gil_scoped_release released;
    const queue on = queue_of(engine::cuda, device_index, stream);
    memory = new buffer{on, view.elements() * view.element.bytes()};
  }
  view.data = memory->view().handle;
  const nb::capsule owner{memory, [](void* owned) noexcept { delete static_cast<buffer*>(owned); }};
  std::vector<std::size_t> counts(view.shape.begin(), view.shape.begin() + view.rank);
  nb::ndarray<nb::array_api> result{view.data,
                                    counts.size(),
                                    counts.data(),
                                    owner,
                                    nullptr,
                                    dlpack_type(view.element),
                                    nb::device::cuda::value,
                                    device_index};
  return nb::make_tuple(nb::cast(result), nb::cast(view));
}

}  // namespace

void bind_arrays(nb::module_& module) {
  using nb::literals::operator""_a;
  nb::class_<array>(module, "Array", "A view of memory: it does not keep the memory alive.")
      .def_prop_ro("dtype", [](const array& self) { return name_of(self.element); })
      .def_prop_ro("is_readable", &array::is_readable, "Whether a plan reads it as it lies.")
      .def_prop_ro("is_writable", &array::is_writable, "Whether a plan writes it as it lies.")
      .def_prop_ro("shape",
                   [](const array& self) {
                     nb::list counts;
                     for (int d = 0; d < self.rank; ++d) counts.append(self.shape[d]);
                     return nb::tuple(counts);
                   })
      .def_prop_ro("pointer",
                   [](const array& self) { return reinterpret_cast<std::uintptr_t>(self.data); })
      .def_ro("device_index", &array::device_index)
      .def_ro("engine", &array::runs_on);
  module.def("array", &make_array, "data"_a, "offset_bytes"_a, "shape"_a, "strides"_a,
             "stride_bytes"_a, "dtype"_a, "engine"_a, "device_index"_a,
             "Describes an array: data is a pointer or a handle, strides count stride_bytes.");
  nb::class_<imported_array>(module, "Imported", "An array of DLPack, kept alive.")
      .def_ro("view", &imported_array::view);
  module.def("imported", &import_array, "capsule"_a, "Takes an array of a CUDA device over.");
  module.def("empty_on_device", &make_device_array, "shape"_a, "dtype"_a, "device_index"_a,
             "stream"_a,
             "Allocates on a CUDA device; returns an object with DLPack, and its view.");
  module.def(
      "wait",
      [](int device_index, std::uintptr_t stream) {
        queue_of(engine::cuda, device_index, stream).wait();
      },
      "device_index"_a, "stream"_a, nb::call_guard<nb::gil_scoped_release>(),
      "Returns when the work of a stream is done.");
}

}  // namespace wingbeat::python
