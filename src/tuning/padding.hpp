// SPDX-License-Identifier: Apache-2.0
// The cost of a transform's points by its length; it decides to which length an axis is padded.
#pragma once

#include <cstddef>  // size_t

#include "wingbeat/devices.hpp"      // device_info
#include "wingbeat/good_length.hpp"  // good_length

namespace wingbeat::tuning {

/// Returns the good length from `least` on that is expected to take the least time on a device. It
/// is a power of two unless another length is clearly cheaper; others are multiples of 8, so that
/// real rows have halves of even length and spectra begin on whole sectors, in fp16 too. Above
/// `max_length` it returns the next power of two, which no transform takes.
[[nodiscard]] std::size_t padded_length(std::size_t least, const device_info& device);

/// Returns the expected time per point of a length on a device, relative to a power of two of that
/// size, if there were one.
[[nodiscard]] double relative_point_time(std::size_t length, const device_info& device);

/// Returns the good length up to `max` that costs least, the shortest of equals. The next good
/// length from `least` on is always considered.
template <class Cost>
std::size_t cheapest_good_length(std::size_t least, std::size_t max, const Cost& cost_of_length) {
  std::size_t best = good_length(least);
  double min_cost = cost_of_length(best);
  for (std::size_t n = good_length(best + 1); n <= max; n = good_length(n + 1)) {
    const double cost = cost_of_length(n);
    if (cost >= min_cost) continue;
    min_cost = cost;
    best = n;
  }
  return best;
}

}  // namespace wingbeat::tuning
