// SPDX-License-Identifier: Apache-2.0
// The ends of a filter bank's plan. Rows are [polarisation][spectrum].
//
// The load makes element i of the transform: the sum over taps m of w[m step + i] and the sample
// m step + i of the window. The store makes a channel of a bin: turned, times its gain, dithered,
// limited, rounded, and counted where it saturates. It stores [polarisation][spectrum][channel].
#pragma once

#include "channelising/banks/views.hpp"  // sample_planes, spectrum_entry
#include "wingbeat/channeliser.hpp"      // channeliser_spec
#include "wingbeat/fusion.hpp"           // fused_load, fused_store

namespace wingbeat::channelising {

/// Rows of `n_heaps` heaps. Operands: entries, weights.
[[nodiscard]] fused_load bank_load(const channeliser_spec& spec, const sample_planes& planes,
                                   std::size_t n_heaps = 1);

/// In this process alone. Operands: entries, gains, counts of saturated values.
[[nodiscard]] fused_store bank_store(const channeliser_spec& spec);

}  // namespace wingbeat::channelising
