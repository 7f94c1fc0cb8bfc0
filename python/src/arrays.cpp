// SPDX-License-Identifier: Apache-2.0
// Arrays of any library, described by Python.
#include <nanobind/stl/string.h>

#include <string>

#include "array.hpp"
#include "bindings.hpp"

namespace wingbeat::python {
namespace {

array make_array(std::uintptr_t data, std::size_t offset_bytes, nb::tuple shape, nb::tuple strides,
                 const std::string& dtype, engine runs_on, int device_index) {
  const auto element = element_type_named(dtype);
  if (!element) {
    throw nb::type_error(("dtype " + dtype +
                          " cannot be transformed; convert to float16, float32, float64 or a "
                          "complex type")
                             .c_str());
  }
  if (shape.size() != strides.size() || shape.size() > max_rank - 1) {
    throw nb::value_error("an array has one stride for each of at most 63 dimensions");
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
    result.strides[d] = nb::cast<std::ptrdiff_t>(strides[d]);
  }
  return result;
}

}  // namespace

void bind_arrays(nb::module_& module) {
  using nb::literals::operator""_a;
  nb::class_<array>(module, "Array", "A view of memory: it does not keep the memory alive.")
      .def_prop_ro("dtype", [](const array& self) { return name_of(self.element); })
      .def_prop_ro("is_readable", &array::is_readable, "Whether a plan reads it as it lies.")
      .def_prop_ro("is_writable", &array::is_writable, "Whether a plan writes it as it lies.")
      .def_ro("device_index", &array::device_index)
      .def_ro("engine", &array::runs_on);
  module.def("array", &make_array, "data"_a, "offset_bytes"_a, "shape"_a, "strides"_a, "dtype"_a,
             "engine"_a, "device_index"_a,
             "Describes an array; strides are in bytes, data is a pointer or a handle.");
}

}  // namespace wingbeat::python
