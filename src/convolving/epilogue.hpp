// SPDX-License-Identifier: Apache-2.0
// A store of whole results as the store of a plan whose rows are parts of them.
#pragma once

#include <cstddef>  // size_t

#include "wingbeat/fusion.hpp"  // fused_store

namespace wingbeat::convolving {

/// Returns a store that numbers results where `store` does: row r of the plan is part r % rows of
/// result r / rows, and has `row_elements` values. Operands and partial results are those of
/// `store`.
[[nodiscard]] fused_store store_of_rows(const fused_store& store, std::size_t rows,
                                        std::size_t row_elements);

}  // namespace wingbeat::convolving
