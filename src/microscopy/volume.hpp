// SPDX-License-Identifier: Apache-2.0
// The spectrum of a volume whose slices are read by linear interpolation.
#pragma once

#include <array>
#include <cstddef>  // size_t
#include <span>

#include "wingbeat/buffer.hpp"  // buffer
#include "wingbeat/queue.hpp"   // queue

namespace wingbeat::microscopy {

/// Throws `plan_error` unless a volume is a cube of an even edge from 4 to 4096.
void require_cube(std::span<const float> volume, const std::array<std::size_t, 3>& lengths);

/// Returns the spectrum of a volume [z][y][x] on the queue's device, as
/// `orientation_search::set_volume` takes it: complex fp32 of n, n and n/2 + 1 bins, the zero
/// frequency at [n/2][n/2][0], of the volume divided by sinc^2 of (i - n/2) / n along each axis,
/// which undoes what interpolation does to it, with its centre [n/2][n/2][n/2] moved to the corner.
/// Waits. Throws as `require_cube` does, `plan_error` for a constant volume and for values that are
/// no numbers or whose sum exceeds fp32, and `device_error`.
[[nodiscard]] buffer volume_spectrum(queue& on, std::span<const float> volume,
                                     const std::array<std::size_t, 3>& lengths);

}  // namespace wingbeat::microscopy
