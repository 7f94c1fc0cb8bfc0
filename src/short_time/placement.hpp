// SPDX-License-Identifier: Apache-2.0
// Where frames lie in rows, as the numbers of functors; samples that frames give little weight.
#pragma once

#include <cstddef>  // size_t

#include "wingbeat/device/functors/frames.hpp"  // frame_numbers
#include "wingbeat/short_time.hpp"              // short_time_spec

namespace wingbeat::short_times {

[[nodiscard]] device::functors::frame_numbers frames_in(const short_time_spec& spec);

/// The first sample of a row whose squared weights, over all frames, add up to `least_weight` or
/// less; how many there are; and the largest sum among them.
struct weighted_samples {
  std::size_t first = 0, count = 0;
  double weight = 0;
};
[[nodiscard]] weighted_samples least_weighted(const short_time_spec& spec);

}  // namespace wingbeat::short_times
