// SPDX-License-Identifier: Apache-2.0
// The time that pieces are expected to take, in copies: as measured, or by the model.
#pragma once

#include "planner/pieces.hpp"  // piece

namespace wingbeat::planner {

/// Returns the expected time of a piece.
[[nodiscard]] double time_of(const piece& each, const tuning::time_model& times);

/// Returns that of columns, which take longer where they are narrower than measured ones.
[[nodiscard]] double time_of_columns(const piece& columns, const tuning::time_model& times);

/// Returns that of rows with twiddles: see `time_model`.
[[nodiscard]] double time_of_twiddled(const piece& rows, const tuning::architecture& data);

/// Returns the expected time of rows that a workgroup convolves, in copies of a point.
[[nodiscard]] double time_of_convolved(const tile_shape& shape, const tuning::shapes& measured,
                                       const tuning::time_model& times);

/// Returns that of rows that are convolved whole, without padding, and of columns that a workgroup
/// convolves each, in copies of their points.
[[nodiscard]] double time_of_full(const piece& rows, const tuning::time_model& times);
[[nodiscard]] double time_of_convolved_columns(const piece& columns,
                                               const tuning::time_model& times);

}  // namespace wingbeat::planner
