// SPDX-License-Identifier: Apache-2.0
// How many templates a run of a search takes.
#pragma once

#include <cstddef>  // size_t

#include "wingbeat/devices.hpp"          // device_info
#include "wingbeat/error.hpp"            // memory_error
#include "wingbeat/template_search.hpp"  // search_spec

namespace wingbeat::searching {

/// Returns how many of `n_templates`, as far as is known, are scored at once: the same in a search
/// of all of them and in each part of it. Lengths and mode of the spec count.
[[nodiscard]] std::size_t templates_at_once(const search_spec& spec, std::size_t n_templates);

/// Returns make(count), or make(1) on an OpenCL device which cannot take several templates a run:
/// without atomic operations on 64 bits, or with too little memory. All else that `make` throws is
/// an error of the request, and passes.
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
