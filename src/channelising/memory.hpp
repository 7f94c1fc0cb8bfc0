// SPDX-License-Identifier: Apache-2.0
// The memory that a channeliser takes.
#pragma once

#include <cstddef>  // size_t

#include "wingbeat/channeliser.hpp"  // channeliser_spec, channeliser_sizes
#include "wingbeat/devices.hpp"      // engine

namespace wingbeat::channelising {

/// Returns the samples per polarisation that are taken at once: enough for several heaps in a
/// launch, or few where heaps are computed one by one, so that many banks fit into memory.
[[nodiscard]] std::size_t piece_samples(engine runs_on);

/// Returns how many numbers of the bank, decimated ones in a narrow band, are stored at once.
[[nodiscard]] std::size_t bank_capacity(const channeliser_sizes& sizes, std::size_t kept_samples,
                                        engine runs_on);

/// Returns how many input samples are stored at once.
[[nodiscard]] std::size_t input_capacity(const channeliser_sizes& sizes, std::size_t kept_samples,
                                         engine runs_on);

/// Returns the most heaps of a launch, a power of two: those that the samples taken at once
/// complete, because waiting for later samples would delay heaps.
[[nodiscard]] std::size_t heaps_in_launch(const channeliser_sizes& sizes, engine runs_on);

/// Returns how many launches have heaps in flight at once.
[[nodiscard]] std::size_t launches_at_once(bool has_several_queues);

/// Returns the bytes of a channeliser of a valid spec, on the device and in this process together:
/// samples, staged ones included, heaps in flight with the bank's parameters of their spectra, and
/// the numbers that a filter bank stores between launches; not tables.
[[nodiscard]] std::size_t memory_bytes(const channeliser_spec& spec, std::size_t kept_samples,
                                       engine runs_on);

}  // namespace wingbeat::channelising
