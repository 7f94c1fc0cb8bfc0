// SPDX-License-Identifier: Apache-2.0
// The extension module `wingbeat._wingbeat`: one source for each subject, each with one function
// that adds its classes and functions to the module.
//
// To add a subject `x`:
//   1. python/src/x.cpp defines `void wingbeat::python::bind_x(nb::module_& module)`.
//   2. Declare it below and call it in module.cpp. CMake finds the source by itself.
//   3. Pass arrays as `array` (array.hpp): Python's wingbeat._arrays makes one of any array, by
//      `view(x)`; numpy arrays convert by themselves where a parameter is `const array&`.
//   4. Take a queue by `queue_of` (queues.hpp) from what `view` found: a stream, or the host.
//   5. Release the GIL around everything that plans, compiles or runs: `nb::gil_scoped_release`.
//   6. Arguments, defaults, docstrings and doctests are in python/wingbeat/x.py, tests in
//      tests/python/x_test.py. Exceptions of the library become Python's, see errors.cpp.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>  // in every source: a caster that only some see is undefined

namespace wingbeat::python {

namespace nb = nanobind;

void bind_errors(nb::module_& module);
void bind_devices(nb::module_& module);
void bind_arrays(nb::module_& module);
void bind_array_libraries(nb::module_& module);
void bind_plans(nb::module_& module);
void bind_transforms(nb::module_& module);
void bind_long_convolutions(nb::module_& module);
void bind_xla(nb::module_& module);
void bind_convolutions(nb::module_& module);
void bind_direct_sums(nb::module_& module);
void bind_stream_filters(nb::module_& module);
void bind_searches(nb::module_& module);
void bind_images(nb::module_& module);
void bind_channelisers(nb::module_& module);

}  // namespace wingbeat::python
