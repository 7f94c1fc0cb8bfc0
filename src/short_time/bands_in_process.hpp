// SPDX-License-Identifier: Apache-2.0
// The levels of a frame's bands, made in this process of its whole row of bins.
#pragma once

#include <optional>

#include "wingbeat/fusion.hpp"      // fused_store
#include "wingbeat/short_time.hpp"  // short_time_spec

namespace wingbeat::short_times {

/// Returns the store of rows of bins times the spectrum's scale; nothing for features other than
/// sums of plain fp32 powers and their logarithms.
[[nodiscard]] std::optional<fused_store> bands_in_process(const short_time_spec& spec);

}  // namespace wingbeat::short_times
