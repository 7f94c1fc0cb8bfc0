// SPDX-License-Identifier: Apache-2.0
// What points of a transform cost by its length: which length an axis is padded to.
#pragma once

#include <cstddef>  // size_t

#include "wingbeat/devices.hpp"      // device_info
#include "wingbeat/good_length.hpp"  // good_length

namespace wingbeat::tuning {

/// Returns the length from `least` on that is expected to take least time on a device: a good
/// length. It is a power of two unless another is clearly shorter; the others are multiples of 8,
/// so that real rows have halves of even length and spectra begin on whole sectors, in fp16 too.
/// Above `max_length` the next power of two, which no transform takes.
[[nodiscard]] std::size_t padded_length(std::size_t least, const device_info& device);

/// Returns how many times as long each point of a length is expected to take on a device as the
/// points of a power of two, were there one of that size.
[[nodiscard]] double relative_point_time(std::size_t length, const device_info& device);

/// Returns the good length up to `max` that costs least, the shortest of those; the next one from
/// `least` on is always considered.
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
