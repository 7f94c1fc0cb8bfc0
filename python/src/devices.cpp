// SPDX-License-Identifier: Apache-2.0
// Devices of this machine and their queues.
#include "wingbeat/devices.hpp"

#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <chrono>  // seconds
#include <optional>

#include "backend/compilation.hpp"  // compile_observer, observe_compilations
#include "bindings.hpp"
#include "queues.hpp"                   // drop_queues
#include "system/work_timer.hpp"        // work_timer
#include "wingbeat/library_folder.hpp"  // add_library_folder
#include "wingbeat/queue.hpp"           // queue
#include "wingbeat/thread_limit.hpp"    // thread_limit

namespace wingbeat::python {
namespace {

/// A `thread_limit` for the duration of a `with` statement.
class limited_threads {
 public:
  explicit limited_threads(unsigned n_threads) : n_threads_(n_threads) {}
  void enter() { limit_.emplace(n_threads_); }
  void leave() { limit_.reset(); }

 private:
  unsigned n_threads_;
  std::optional<thread_limit> limit_;
};

/// Reports long compilations to Python's logger "wingbeat", from a thread of its own.
class logged_compilations final : public backend::compile_observer {
 public:
  void begin() noexcept override { timer_.begin(); }
  void end() noexcept override { timer_.end(); }

 private:
  static void log(double seconds) {
    const held_gil held;
    try {
      nb::module_::import_("logging")
          .attr("getLogger")("wingbeat")
          .attr("info")("compiling kernels, %.0f s so far; the first run on a device takes longest",
                        seconds);
    } catch (nb::python_error& raised) {
      raised.discard_as_unraisable("the logger wingbeat");
    }
  }

  work_timer timer_{log, std::chrono::seconds{1}};
};

}  // namespace

void bind_devices(nb::module_& module) {
  using nb::literals::operator""_a;
  // Never destroyed: threads may still compile when the process ends.
  backend::observe_compilations(new logged_compilations);
  nb::enum_<engine>(module, "Engine")
      .value("reference", engine::reference)
      .value("host", engine::host)
      .value("opencl", engine::opencl)
      .value("cuda", engine::cuda);
  nb::class_<device_info>(module, "Device", "A device, as its driver describes it.")
      .def_ro("engine", &device_info::runs_on)
      .def_ro("index", &device_info::index)
      .def_ro("name", &device_info::name)
      .def_ro("architecture", &device_info::architecture)
      .def_ro("version", &device_info::version)
      .def_ro("memory_bytes", &device_info::memory_bytes)
      .def_ro("compute_units", &device_info::compute_units)
      .def_ro("has_fp64", &device_info::has_fp64)
      .def_ro("is_gpu", &device_info::is_gpu)
      .def("__repr__", [](const device_info& self) {
        return "<wingbeat.Device " + std::string{wingbeat::name_of(self.runs_on)} + ":" +
               std::to_string(self.index) + " " + self.name + ">";
      });
  module.def(
      "devices", [] { return devices(); }, nb::call_guard<released_gil>(),
      "Returns every device of every engine that works here.");
  module.def("why_absent", &why_absent, "engine"_a, nb::call_guard<released_gil>(),
             "Returns why an engine has no device, in one sentence; empty when it has one.");
  nb::class_<queue>(module, "Queue", "An ordered queue of work on one device.")
      .def(nb::init<const device_info&>(), "device"_a, nb::call_guard<released_gil>())
      .def("__init__",
           [](queue*, nb::args given, nb::kwargs) {
             const std::string text = nb::cast<std::string>(nb::repr(given));
             refuse_type("a Queue was given " + text + "; give one of wingbeat.devices()");
           })
      .def_prop_ro("device", &queue::device, nb::rv_policy::copy)
      .def("wait", &queue::wait, nb::call_guard<released_gil>(),
           "Returns when everything queued so far has finished.");
  nb::class_<limited_threads>(module, "ThreadLimit",
                              "Limits the threads of this thread's calls, within a `with`.")
      .def(nb::init<unsigned>(), "n_threads"_a)
      .def("__enter__", &limited_threads::enter)
      .def("__exit__", [](limited_threads& self, nb::args) { self.leave(); });
  module.def("thread_limit", &thread_limit::current,
             "Returns the limit of the calling thread; a large number where there is none.");
  module.def("add_library_folder", &add_library_folder, "folder"_a,
             "Has NVRTC be looked for in a folder first.");
  module.def("adopted_queue_of", &adopted_queue_of, "engine"_a, "device_index"_a, "stream"_a,
             nb::call_guard<released_gil>(),
             "Returns a queue that adopts a stream of an array's device, with a workspace.");
  module.def("drop_queues", &drop_queues, "Drops the queues that are kept for streams.");
}

}  // namespace wingbeat::python
