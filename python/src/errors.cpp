// SPDX-License-Identifier: Apache-2.0
// The library's exceptions as Python's.
#include "wingbeat/error.hpp"

#include "bindings.hpp"

namespace wingbeat::python {

void bind_errors(nb::module_& module) {
  nb::exception<plan_error>(module, "PlanError", PyExc_ValueError);
  nb::exception<absent_error>(module, "AbsentError", PyExc_RuntimeError);
  nb::exception<device_error>(module, "DeviceError", PyExc_RuntimeError);
  nb::exception<file_error>(module, "FileError", PyExc_OSError);
}

}  // namespace wingbeat::python
