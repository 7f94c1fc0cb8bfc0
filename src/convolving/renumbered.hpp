// SPDX-License-Identifier: Apache-2.0
// Functors of whole signals and results as functors of plans whose rows are parts of them.
#pragma once

#include <cstddef>  // size_t

#include "wingbeat/device/ends/row_parts.hpp"  // row_parts
#include "wingbeat/fusion.hpp"                 // fused_load, fused_store

namespace wingbeat::convolving {

/// Rows of a plan.
struct row_parts : device::ends::row_parts {
  std::size_t of_rows = 0;  ///< All rows of a signal; 0: `rows` are all.

  [[nodiscard]] bool are_signals() const { return rows == 1 && first == 0; }
};

/// Returns a functor that numbers whole signals. Parameters, operands and partial results are those
/// of the one given. A store that leaves a value in each of its elements has the bytes of its rows
/// alone; where it reduces or clears, every plan reaches the whole output. Bytes that are stated as
/// moved are divided by rows.
[[nodiscard]] fused_load load_of_rows(const fused_load& load, const row_parts& parts);
[[nodiscard]] fused_store store_of_rows(const fused_store& store, const row_parts& parts);

}  // namespace wingbeat::convolving
