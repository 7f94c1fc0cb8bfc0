// SPDX-License-Identifier: Apache-2.0
// How much memory a channeliser takes.
#pragma once

#include <cstddef>  // size_t

#include "wingbeat/channeliser.hpp"  // channeliser_spec, channeliser_sizes
#include "wingbeat/devices.hpp"      // engine

namespace wingbeat::channelising {

/// So many samples of each polarisation are taken at once.
inline constexpr std::size_t piece_samples = std::size_t{1} << 21;

/// Returns how many numbers of the bank, decimated ones where there are such, must be there.
[[nodiscard]] std::size_t bank_capacity(const channeliser_sizes& sizes, std::size_t kept_samples);

/// Returns how many input samples must be there at once.
[[nodiscard]] std::size_t input_capacity(const channeliser_sizes& sizes, std::size_t kept_samples);

/// Returns how many heaps a launch makes at most, a power of two: those that the samples taken at
/// once complete, since heaps that waited for later samples would come later.
[[nodiscard]] std::size_t heaps_in_launch(const channeliser_sizes& sizes, engine runs_on);

/// Returns how many launches have heaps on their way at once.
[[nodiscard]] std::size_t launches_at_once(bool has_several_queues);

/// Returns the bytes of a channeliser of a valid spec, on the device and in this process together:
/// samples and what is staged of them, heaps on their way with what the bank knows of their
/// spectra, and what a filter bank keeps between launches; not tables.
[[nodiscard]] std::size_t memory_bytes(const channeliser_spec& spec, std::size_t kept_samples,
                                       engine runs_on);

}  // namespace wingbeat::channelising
