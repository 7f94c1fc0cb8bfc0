// SPDX-License-Identifier: Apache-2.0
// The loops around a pass's butterflies.
#pragma once

#include "planner/placement.hpp"  // placement
#include "planner/staging.hpp"    // gathered_sides

namespace wingbeat::planner {

/// Fills in the loops, the rows and the place of the first butterfly of a pass whose sides have
/// their strides: loops run over the other butterflies of the axis, the other axes and the batch.
/// Halves the lanes where there are fewer columns, and gathers rows that alternate; see
/// `gather_rows`.
gathered_sides add_loops(pass& result, const piece& cut, const placement& position);

}  // namespace wingbeat::planner
