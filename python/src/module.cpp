// SPDX-License-Identifier: Apache-2.0
#include "bindings.hpp"
#include "numpy_array.hpp"       // load_numpy
#include "wingbeat/version.hpp"  // WINGBEAT_VERSION_MAJOR

namespace {

#define WINGBEAT_TEXT_OF(number) #number
#define WINGBEAT_TEXT(number) WINGBEAT_TEXT_OF(number)
constexpr const char* version = WINGBEAT_TEXT(WINGBEAT_VERSION_MAJOR) "." WINGBEAT_TEXT(
    WINGBEAT_VERSION_MINOR) "." WINGBEAT_TEXT(WINGBEAT_VERSION_PATCH);

}  // namespace

NB_MODULE(_wingbeat, module) {
  using namespace wingbeat::python;
  // Other modules may keep objects beyond Python's end, as pytest keeps a test's parameters once
  // torch is imported. They are not leaks of this module, which keeps no Python objects beyond a
  // call except functions of the libraries that it knows.
  nb::set_leak_warnings(false);
  load_numpy();
  module.attr("__version__") = version;
  module.attr("max_length") = wingbeat::max_length;
  watch_end_of_interpreter();
  bind_errors(module);
  bind_devices(module);
  bind_arrays(module);
  bind_array_libraries(module);
  bind_plans(module);
  bind_transforms(module);
  bind_long_convolutions(module);
  bind_short_times(module);
  bind_xla(module);
  bind_convolutions(module);
  bind_direct_sums(module);
  bind_stream_filters(module);
  bind_searches(module);
  bind_orientation_searches(module);
  bind_microscopy(module);
  bind_template_scores(module);
  bind_images(module);
  bind_channelisers(module);
}
