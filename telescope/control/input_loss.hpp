// SPDX-License-Identifier: Apache-2.0
// The reasons why heaps of an input are lost, with their sensors, metrics and labels.
#pragma once

#include <array>
#include <cstddef>  // size_t

namespace wingbeat::control {

/// `sensor` follows "input<p>.rx."; `metric` is the middle of "fgpu_input_.._total"; the page and
/// the log show `label`.
struct input_loss {
  const char *sensor, *metric, *description, *label;
};

inline constexpr std::array input_losses{
    input_loss{"missing-cnt", "missing_heaps", "Heaps that did not arrive", "missing"},
    input_loss{"late-cnt", "too_old_heaps", "Heaps that arrived after their chunk", "late"},
    input_loss{"misaligned-cnt", "bad_timestamp_heaps",
               "Heaps with a timestamp between those of packets", "misaligned"},
    input_loss{"duplicate-cnt", "duplicate_heaps", "Heaps that had arrived before", "duplicate"},
    input_loss{"implausible-cnt", "implausible_heaps", "Heaps of a time far from all others",
               "at an implausible time"},
    input_loss{"engine-late-cnt", "engine_late_heaps",
               "Heaps dropped because the engine was late to take them",
               "dropped, the engine is late"}};
inline constexpr std::size_t n_input_losses = input_losses.size();

}  // namespace wingbeat::control
