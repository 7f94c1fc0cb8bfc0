// SPDX-License-Identifier: Apache-2.0
// The library's exceptions as Python's.
#include "wingbeat/error.hpp"

#include <typeinfo>  // bad_cast

#include "bindings.hpp"

namespace wingbeat::python {

void bind_errors(nb::module_& module) {
  nb::exception<plan_error>(module, "PlanError", PyExc_ValueError);
  nb::exception<absent_error>(module, "AbsentError", PyExc_RuntimeError);
  nb::exception<device_error>(module, "DeviceError", PyExc_RuntimeError);
  nb::exception<file_error>(module, "FileError", PyExc_OSError);
  // The translator registered last is tried first.
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const memory_error& failed) {
      PyErr_SetString(PyExc_MemoryError, failed.what());
    } catch (const std::bad_cast&) {  // thrown by nanobind
      PyErr_SetString(PyExc_TypeError,
                      "an argument, or a part of one, is of a type that this call "
                      "does not take; convert it");
    }
  });
}

}  // namespace wingbeat::python
