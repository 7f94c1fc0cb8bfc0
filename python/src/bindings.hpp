// SPDX-License-Identifier: Apache-2.0
// The extension module `wingbeat._wingbeat`: one source per subject, each with one function that
// adds its classes and functions to the module.
//
// To add a subject `x`:
//   1. python/src/x.cpp defines `void wingbeat::python::bind_x(nb::module_& module)`.
//   2. Declare it below and call it in module.cpp. CMake finds the source by itself.
//   3. Take arrays as `nb::handle`: `given_array::of(x)` (array_library.hpp) reads any that is
//      known.
//   4. A `released_call` (call_memory.hpp) of one of them has its queue, its library's memory, and
//      no GIL.
//   5. Release the GIL around everything that plans, compiles or runs: `released_gil`.
//   6. Arguments, defaults, docstrings and doctests are in python/wingbeat/x.py, tests in
//      tests/python/x_test.py. Exceptions of the library become Python's, see errors.cpp.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>  // in every source: a caster that only some see is undefined

#include <string>

#include "gil.hpp"  // released_gil, held_gil

namespace wingbeat::python {

namespace nb = nanobind;

[[noreturn]] inline void refuse_value(const std::string& text) {
  throw nb::value_error(text.c_str());
}
[[noreturn]] inline void refuse_type(const std::string& text) {
  throw nb::type_error(text.c_str());
}

void bind_errors(nb::module_& module);
void bind_devices(nb::module_& module);
void bind_arrays(nb::module_& module);
void bind_array_libraries(nb::module_& module);
void bind_plans(nb::module_& module);
void bind_transforms(nb::module_& module);
void bind_long_convolutions(nb::module_& module);
void bind_short_times(nb::module_& module);
void bind_xla(nb::module_& module);
void bind_convolutions(nb::module_& module);
void bind_direct_sums(nb::module_& module);
void bind_stream_filters(nb::module_& module);
void bind_searches(nb::module_& module);
void bind_orientation_searches(nb::module_& module);
void bind_microscopy(nb::module_& module);
void bind_template_scores(nb::module_& module);
void bind_images(nb::module_& module);
void bind_channelisers(nb::module_& module);

}  // namespace wingbeat::python
