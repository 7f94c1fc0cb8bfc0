// SPDX-License-Identifier: Apache-2.0
#include "short_time/placement.hpp"

#include <algorithm>  // max, min

namespace wingbeat::short_times {

using device::functors::each_frame_over;
using device::functors::frame_numbers;

frame_numbers frames_in(const short_time_spec& spec) {
  return {.length = spec.length,
          .frames = spec.frames(),
          .n_fft = spec.n_fft,
          .hop = spec.hop,
          .before = spec.before,
          .window = spec.weights(),
          .window_at = spec.window_at,
          .outside = spec.edge,
          .is_ragged = spec.is_ragged,
          .slack = static_cast<std::size_t>(spec.slack),
          .removes_mean = spec.removes_mean,
          .emphasis = spec.emphasis};
}

device::functors::overlap_numbers overlaps_in(const short_time_spec& spec, bool is_divided) {
  device::functors::overlap_numbers numbers{frames_in(spec)};
  numbers.is_divided = is_divided;
  numbers.least = spec.least_weight;
  return numbers;
}

weighted_samples least_weighted(const short_time_spec& spec) {
  const frame_numbers numbers = frames_in(spec);
  weighted_samples found;
  const auto sum_at = [&](std::size_t sample) {
    double sum = 0;
    each_frame_over(numbers, spec.before + sample, numbers.frames, [&](std::size_t, std::size_t i) {
      const double weight = spec.window[i - spec.window_at];
      sum += weight * weight;
    });
    return sum;
  };
  const auto add = [&](std::size_t sample, double sum, std::size_t times) {
    if (sum > spec.least_weight) return;
    if (found.count == 0) found.first = sample;
    found.count += times;
    found.weight = std::max(found.weight, sum);
  };
  // Sums repeat every hop where all frames of a place exist.
  const std::size_t steady = spec.before >= spec.n_fft ? 0 : spec.n_fft - spec.before;
  const std::size_t extent = (numbers.frames - 1) * spec.hop;  // frame T - 1 begins there
  const std::size_t steady_end =
      std::min(spec.length, extent > spec.before ? extent - spec.before : 0);
  for (std::size_t i = 0; i < spec.length; ++i) {
    if (i >= steady && i + 2 * spec.hop < steady_end) {
      const std::size_t periods = (steady_end - i) / spec.hop - 1;
      for (std::size_t j = i; j < i + spec.hop; ++j) add(j, sum_at(j), periods);
      i += periods * spec.hop;
    }
    const double sum = sum_at(i);
    const bool has_none = spec.before + i >= extent + spec.n_fft;  // nor have those behind it
    add(i, sum, has_none ? spec.length - i : 1);
    if (has_none) break;
  }
  return found;
}

}  // namespace wingbeat::short_times
