// SPDX-License-Identifier: Apache-2.0
// What the bank's functors need to know of one heap.
#pragma once

#include <complex>
#include <cstdint>  // int64_t
#include <vector>

#include "channelising/delay_model.hpp"     // delay_value
#include "channelising/spectrum_entry.hpp"  // spectrum_entry

namespace wingbeat::channelising {

/// The windows of a heap's spectra.  [spectrum][polarisation]
using window_values = std::vector<std::vector<delay_value>>;

struct heap_entries {
  std::vector<spectrum_entry> spectra;     // [polarisation][spectrum]
  std::vector<std::complex<float>> gains;  // [set][polarisation][channel]
};

/// Returns those of the heap whose first spectrum starts at output time `t`. `bank_begin`: index of
/// the first sample, or decimated sample, that the bank has. Spectra without windows become 0.
[[nodiscard]] heap_entries entries_of(const channeliser_spec& spec, std::int64_t t,
                                      const window_values& windows, std::int64_t bank_begin);

}  // namespace wingbeat::channelising
