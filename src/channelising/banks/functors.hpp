// SPDX-License-Identifier: Apache-2.0
// The load of a narrowband's plan, on engines that compile kernels. Rows are
// [polarisation][spectrum], and element i of a transform is the sum over taps m of w[m step + i]
// and the sample m step + i of the window.
#pragma once

#include "channelising/banks/views.hpp"  // sample_planes, spectrum_entry
#include "wingbeat/channeliser.hpp"      // channeliser_spec
#include "wingbeat/fusion.hpp"           // fused_load

namespace wingbeat::channelising {

/// Rows of `n_heaps` heaps, of complex samples. Operands: entries, weights.
[[nodiscard]] fused_load bank_load(const channeliser_spec& spec, const sample_planes& planes,
                                   std::size_t n_heaps);

}  // namespace wingbeat::channelising
