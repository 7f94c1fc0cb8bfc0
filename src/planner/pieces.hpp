// SPDX-License-Identifier: Apache-2.0
// How an axis is cut into passes, and the shape of each.
#pragma once

#include <vector>

#include "planner/pass.hpp"      // pass
#include "tuning/tuning.hpp"     // architecture
#include "wingbeat/devices.hpp"  // device_info

namespace wingbeat::planner {

/// What is asked of an axis.
struct axis_request {
  std::size_t total = 1;    ///< N, complex elements.
  bool is_row = true;       ///< Its elements are each other's nearest neighbours.
  bool is_of_bins = false;  ///< One of its ends is a half spectrum.
  bool is_forward = true;
  std::size_t columns = 1;  ///< Neighbours, if it is no row.
};

/// Returns passes with their lengths, priors and shapes and, of an axis of bins, which of their
/// sides hold them: one where the axis fits a workgroup or a cluster, two or three for longer ones.
/// Nothing else of them is set but what `like` holds.
/// Throws `plan_error` where the device is too small for any.
[[nodiscard]] std::vector<pass> pieces_of(const axis_request& axis, const pass& like,
                                          const tuning::architecture& data,
                                          const device_info& where);

/// Returns the two passes of an axis that no workgroup and no cluster takes whole, if its bins may
/// be scrambled: columns, then rows behind one another, each of which leaves its outputs where its
/// inputs lay. Of an inverse, rows come first. Their lengths depend on the axis' alone. Empty where
/// natural order is expected to be as quick.
[[nodiscard]] std::vector<pass> scrambled_pieces_of(const axis_request& axis, const pass& like,
                                                    const tuning::architecture& data,
                                                    const device_info& where);

/// Returns the pass that makes planes of `rows` of this axis, if there is one; its length is 0
/// otherwise.
[[nodiscard]] pass plane_of(std::size_t rows, const axis_request& axis, const pass& like,
                            const tuning::architecture& data, const device_info& where);

}  // namespace wingbeat::planner
