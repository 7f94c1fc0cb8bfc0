// SPDX-License-Identifier: Apache-2.0
// An array between two passes, in complex elements: where they lie, which exist, which axes are
// transformed already.
#pragma once

#include <cstddef>  // size_t
#include <vector>

#include "planner/pass.hpp"   // place
#include "side.hpp"           // side
#include "tuning/tuning.hpp"  // placement_rules
#include "wingbeat/plan.hpp"  // plan_spec, index_range

namespace wingbeat::planner {

struct array_axis {
  std::size_t length = 1;  ///< Complex elements.
  std::size_t stride = 1;  ///< Units; see `pass_side`.
  index_range valid;       ///< Of elements; of reals on the axis of pairs.
  bool is_limited = false;
};

struct array {
  place where = place::input;
  precision stored = precision::fp32;
  bool has_parts = false;   ///< Real and imaginary parts are stored apart, or are two reals.
  std::size_t apart = 0;    ///< Units from real to imaginary part, if so.
  bool is_pairs = false;    ///< The last axis is real: elements are pairs of neighbours.
  bool holds_bins = false;  ///< The last axis is a half spectrum.
  std::vector<array_axis> axes;
  std::vector<std::size_t> distances;  ///< One per batch dimension, in units.
  std::size_t lead = 0;          ///< Units from index 0 of all axes to the start of the memory.
  std::size_t row_elements = 0;  ///< Numbers of one transform that are in memory, for functors.

  /// Returns the complex elements of one transform.
  [[nodiscard]] std::size_t elements() const;
};

/// Returns the precision that passes compute with, and keep between them.
[[nodiscard]] precision common_precision(const plan_spec& spec);

/// Returns the input and the output of a request.
[[nodiscard]] array input_array(const plan_spec& spec);
[[nodiscard]] array output_array(const plan_spec& spec);

/// Returns whether all transforms of the batch alternate element by element: each of its dimensions
/// is closer than any axis.
[[nodiscard]] bool has_batch_inside(const array& of, const plan_spec& spec);

/// Returns packed rows in the precision computed with, for what lies between passes: the lengths of
/// `like`, of which the last is padded to whole cache lines where it is odd and long; or, with the
/// batch inside, transforms that alternate element by element, their number padded alike.
[[nodiscard]] array packed_array(const plan_spec& spec, const array& like, place where,
                                 bool batch_inside = false,
                                 const tuning::placement_rules& rules = {});

}  // namespace wingbeat::planner
