// SPDX-License-Identifier: Apache-2.0
// Arrays of any library as Python sees them, and those that a protocol alone describes.
#include <nanobind/ndarray.h>

#include <string>
#include <utility>  // move
#include <vector>

#include "array.hpp"
#include "array_library.hpp"  // given_array, element_type_of
#include "bindings.hpp"
#include "queues.hpp"           // queue_of
#include "wingbeat/buffer.hpp"  // buffer

namespace wingbeat::python {
namespace {

given_array make_array(std::uintptr_t data, std::size_t offset_bytes, nb::tuple shape,
                       nb::tuple strides, std::ptrdiff_t stride_bytes, const std::string& dtype,
                       engine runs_on, int device_index, std::uintptr_t stream) {
  const auto element = element_type_named(dtype);
  if (!element || !element->is_floating()) {
    refuse_type("dtype " + dtype +
                " cannot be transformed; convert to float16, float32, float64 or a complex type");
  }
  if (shape.size() != strides.size() || shape.size() > max_rank - 1) {
    throw nb::value_error("an array has one stride for each of at most 64 dimensions");
  }
  given_array result{};
  result.fixed_stream = stream;
  array& view = result.view;
  view.data = reinterpret_cast<void*>(data);
  view.offset_bytes = offset_bytes;
  view.runs_on = runs_on;
  view.device_index = device_index;
  view.element = *element;
  view.rank = static_cast<int>(shape.size());
  for (int d = 0; d < view.rank; ++d) {
    view.shape[d] = nb::cast<std::ptrdiff_t>(shape[d]);
    view.strides[d] = nb::cast<std::ptrdiff_t>(strides[d]) * stride_bytes;
  }
  return result;
}

/// Takes an array of a CUDA device over that DLPack lends: it is given back with the result.
given_array import_array(nb::ndarray<nb::ro> lent, std::uintptr_t stream) {
  const auto element = element_type_of(lent.dtype());
  if (!element || !element->is_floating()) {
    refuse_type("x holds no floating point; convert to float32, float64 or a complex type");
  }
  if (lent.ndim() >= max_rank) refuse_value("an array has at most 64 dimensions");
  array view = array_of(const_cast<void*>(lent.data()), *element, static_cast<int>(lent.ndim()),
                        lent.shape_ptr(), lent.stride_ptr(), element->bytes());
  view.runs_on = engine::cuda;
  view.device_index = lent.device_id();
  auto* const kept = new nb::ndarray<nb::ro>(std::move(lent));
  const nb::capsule lender(
      kept, [](void* owned) noexcept { delete static_cast<nb::ndarray<nb::ro>*>(owned); });
  return {view, lender, nullptr, stream};
}

nb::dlpack::dtype dlpack_type(element_type element) {
  using code = nb::dlpack::dtype_code;
  const code number = element.is_complex                ? code::Complex
                      : element.real == precision::bf16 ? code::Bfloat
                                                        : code::Float;
  return {static_cast<std::uint8_t>(number), static_cast<std::uint8_t>(8 * element.bytes()), 1};
}

nb::tuple make_device_array(nb::tuple shape, const std::string& dtype, const given_array& x) {
  const int device_index = x.view.device_index;
  given_array allocated = make_array(0, 0, shape, shape, 1, dtype, engine::cuda, device_index, 0);
  array& view = allocated.view;
  pack(view);
  buffer* memory = nullptr;
  {
    const released_gil released;
    const queue on = queue_of(engine::cuda, device_index, x.fixed_stream);
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
  return nb::make_tuple(nb::cast(result), nb::cast(allocated));
}

nb::tuple tuple_of(const array& view, const std::array<std::ptrdiff_t, max_rank>& numbers) {
  nb::list result;
  for (int d = 0; d < view.rank; ++d) result.append(numbers[d]);
  return nb::tuple(result);
}

template <auto Get>
nb::object of_view(const given_array& self) {
  return nb::cast(Get(self.view));
}

}  // namespace

void bind_arrays(nb::module_& module) {
  using nb::literals::operator""_a;
  nb::class_<given_array>(module, "Array", "Memory as an array's library describes it.")
      .def_prop_ro("dtype", of_view<[](const array& x) { return name_of(x.element); }>)
      .def_prop_ro("item_bytes", of_view<[](const array& x) { return x.element.bytes(); }>)
      .def_prop_ro("is_writable", of_view<[](const array& x) { return x.is_writable(); }>,
                   "Whether a plan writes it as it lies.")
      .def_prop_ro("shape", of_view<[](const array& x) { return tuple_of(x, x.shape); }>)
      .def_prop_ro("strides", of_view<[](const array& x) { return tuple_of(x, x.strides); }>,
                   "In bytes.")
      .def_prop_ro("pointer",
                   of_view<[](const array& x) { return reinterpret_cast<std::uintptr_t>(x.data); }>,
                   "Or a handle.")
      .def_prop_ro("offset", of_view<[](const array& x) { return x.offset_bytes; }>, "In bytes.")
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
  module.def("array", &make_array, "data"_a, "offset_bytes"_a, "shape"_a, "strides"_a,
             "stride_bytes"_a, "dtype"_a, "engine"_a, "device_index"_a, "stream"_a = 0,
             "Describes an array: data is a pointer or a handle, strides count stride_bytes.");
  module.def("imported", &import_array, "capsule"_a, "stream"_a,
             "Takes an array of a CUDA device over that a capsule of DLPack lends.");
  module.def("empty_on_device", &make_device_array, "shape"_a, "dtype"_a, "x"_a,
             "Allocates beside x; returns an object with DLPack, and its view.");
  module.def(
      "wait",
      [](const given_array& x) {
        const released_gil released;
        queue_of(x.view.runs_on, x.view.device_index, x.fixed_stream).wait();
      },
      "x"_a, "Returns when the work of the stream of an `Array` is done.");
}

}  // namespace wingbeat::python
