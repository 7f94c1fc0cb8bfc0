// SPDX-License-Identifier: Apache-2.0
// The expected time of pieces, in copies of the data: measured, or by a model.
#pragma once

#include "planner/pieces.hpp"  // piece

namespace wingbeat::planner {

/// Returns the expected time of a piece.
[[nodiscard]] double time_of(const piece& each, const tuning::time_model& times);

/// Returns the expected time of columns, longer where they are narrower than measured ones.
[[nodiscard]] double time_of_columns(const piece& columns, const tuning::time_model& times);

/// Returns the expected time of rows with twiddles: see `time_model`.
[[nodiscard]] double time_of_twiddled(const piece& rows, const tuning::architecture& data);

/// Returns the expected time of rows that one workgroup convolves, in copies per point.
[[nodiscard]] double time_of_convolved(const tile_shape& shape, const tuning::shapes& measured,
                                       const tuning::time_model& times);

/// Return the expected time of convolved rows without padding, and of convolved columns, in copies
/// of their points.
[[nodiscard]] double time_of_full(const piece& rows, const tuning::time_model& times);
[[nodiscard]] double time_of_convolved_columns(const piece& columns,
                                               const tuning::time_model& times);

}  // namespace wingbeat::planner
