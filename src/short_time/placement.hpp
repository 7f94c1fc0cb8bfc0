// SPDX-License-Identifier: Apache-2.0
// Where frames lie in rows, as the numbers of functors; samples that frames give little weight.
#pragma once

#include <cstddef>  // size_t

#include "wingbeat/device/functors/overlap_load.hpp"  // frame_numbers, overlap_numbers
#include "wingbeat/short_time.hpp"                    // short_time_spec

namespace wingbeat::short_times {

[[nodiscard]] device::functors::frame_numbers frames_in(const short_time_spec& spec);
/// Returns how frames are added, for the inverse or the adjoint.
[[nodiscard]] device::functors::overlap_numbers overlaps_in(const short_time_spec& spec,
                                                            bool is_divided);

/// The first sample of a row whose squared weights, over all frames, add up to `least_weight` or
/// less; how many there are; and the largest sum among them.
struct weighted_samples {
  std::size_t first = 0, count = 0;
  double weight = 0;
};
[[nodiscard]] weighted_samples least_weighted(const short_time_spec& spec);

}  // namespace wingbeat::short_times
