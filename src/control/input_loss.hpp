// SPDX-License-Identifier: Apache-2.0
// The reasons for which heaps of an input are lost: their sensors and metrics.
#pragma once

#include <array>
#include <cstddef>  // size_t

namespace wingbeat::control {

/// `sensor` follows "input<p>.rx.", `metric` stands in "fgpu_input_.._total".
struct input_loss {
  const char *sensor, *metric, *description;
};

inline constexpr std::array input_losses{
    input_loss{"missing-cnt", "missing_heaps", "Heaps that did not arrive"},
    input_loss{"late-cnt", "too_old_heaps", "Heaps that arrived after their chunk"},
    input_loss{"misaligned-cnt", "bad_timestamp_heaps",
               "Heaps with a timestamp between those of packets"},
    input_loss{"duplicate-cnt", "duplicate_heaps", "Heaps that had arrived before"},
    input_loss{"implausible-cnt", "implausible_heaps", "Heaps of a time far from all others"},
    input_loss{"engine-late-cnt", "engine_late_heaps",
               "Heaps dropped because the engine was late to take them"}};
inline constexpr std::size_t n_input_losses = input_losses.size();

}  // namespace wingbeat::control
