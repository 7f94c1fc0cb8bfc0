// SPDX-License-Identifier: Apache-2.0
// Filter banks as programs, on engines that compile kernels. A run reads packed samples, or samples
// of a narrow band, and writes heaps [channel][spectrum][polarisation]; its load takes three views:
//     spectrum_entry[polarisation][spectrum]
//     complex<float>[set][polarisation][channel], the gains
//     uint32_t[heap][polarisation][counter], added to: how many values were limited
#pragma once

#include <cstddef>  // size_t

#include "backend/backend.hpp"           // engine, queue
#include "channelising/banks/tiles.hpp"  // bank_tiles
#include "channelising/banks/views.hpp"  // sample_planes
#include "programs/program.hpp"          // program
#include "tuning/tuning.hpp"             // bank_rules

namespace wingbeat::channelising {

/// Returns the bank in one launch.
[[nodiscard]] programs::program fused_bank(const bank_tiles& tiles, const channeliser_spec& spec,
                                           const sample_planes& planes, std::size_t n_heaps = 1);

/// Returns the bank in three launches: filters, a transform, and a kernel that turns bins into
/// heaps. For a narrow band, the filters are the transform's load.
[[nodiscard]] programs::program chained_bank(const backend::engine& engine,
                                             const std::shared_ptr<backend::queue>& on,
                                             const channeliser_spec& spec,
                                             const sample_planes& planes, std::size_t n_heaps = 1);

/// Returns the first of the three launches: packed samples to
/// float[polarisation][spectrum][position]. Its load takes the entries.
[[nodiscard]] programs::program row_filter(const channeliser_spec& spec,
                                           const sample_planes& planes,
                                           const tuning::bank_rules& rules,
                                           std::size_t n_heaps = 1);

/// Returns the last of the three launches, which reads complex<float>[polarisation][spectrum][bin].
[[nodiscard]] programs::program row_finish(const channeliser_spec& spec, std::size_t n_heaps = 1);

}  // namespace wingbeat::channelising
