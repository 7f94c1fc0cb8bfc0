// SPDX-License-Identifier: Apache-2.0
// The number of templates in a run of a search.
#pragma once

#include <cstddef>  // size_t

#include "wingbeat/devices.hpp"          // device_info
#include "wingbeat/error.hpp"            // memory_error
#include "wingbeat/template_search.hpp"  // search_spec

namespace wingbeat::searching {

/// Returns the number of templates to score at once, given about how many there are: the same in a
/// search of all of them and in each of its parts. It depends on the spec's lengths and mode.
[[nodiscard]] std::size_t templates_at_once(const search_spec& spec, std::size_t n_templates);

/// Returns make(count), or make(1) on an OpenCL device that cannot take several templates per run,
/// because it lacks 64-bit atomic operations or memory. Other exceptions of `make` pass through.
template <class Make>
auto made_for(const device_info& device, std::size_t count, const Make& make) {
  if (!device.has_int64_atomics) return make(std::size_t{1});
  if (device.runs_on != engine::opencl || count == 1) return make(count);
  try {
    return make(count);
  } catch (const memory_error&) {
    return make(std::size_t{1});
  }
}

}  // namespace wingbeat::searching
