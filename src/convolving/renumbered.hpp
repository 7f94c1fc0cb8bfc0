// SPDX-License-Identifier: Apache-2.0
// Adapts functors of whole signals and results to plans whose rows are parts of them.
#pragma once

#include "wingbeat/device/ends/row_parts.hpp"  // row_parts
#include "wingbeat/fusion.hpp"                 // fused_load, fused_store

namespace wingbeat::convolving {

using device::ends::row_parts;

/// Returns a functor for rows that are parts of the signals that `load` numbers. Parameters,
/// operands, partial results and bytes stay as given.
[[nodiscard]] fused_load load_of_rows(const fused_load& load, const row_parts& parts);
[[nodiscard]] fused_store store_of_rows(const fused_store& store, const row_parts& parts);

}  // namespace wingbeat::convolving
