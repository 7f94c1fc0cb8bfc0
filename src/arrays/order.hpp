// SPDX-License-Identifier: Apache-2.0
// The order in which passes take the axes of a request, and the array that each reads and writes.
#pragma once

#include <cstddef>  // size_t
#include <vector>

#include "arrays/array.hpp"   // array
#include "wingbeat/plan.hpp"  // plan_spec

namespace wingbeat::arrays {

/// Neighbouring axes that are transformed together.
struct axis_span {
  std::size_t first = 0;  ///< The slowest.
  std::size_t count = 1;

  [[nodiscard]] std::size_t last() const { return first + count - 1; }
  [[nodiscard]] bool contains(std::size_t axis) const { return first <= axis && axis <= last(); }
};

/// Returns all axes in the order of their passes: the last axis first, or last if it turns complex
/// numbers into reals. The last `together` axes are one span.
[[nodiscard]] std::vector<axis_span> order_of_axes(const array& in, const array& out,
                                                   std::size_t together = 1);

/// The properties of a pass that decide about arrays.
struct pass_outline {
  axis_span axes;
  bool ends = true;       ///< The last pass of its axes.
  std::size_t total = 1;  ///< Complex elements of its axis after this pass, if it is not the last.
  /// Each tile may be written where it was read, because its outputs lie where its inputs do.
  bool is_in_place = true;
};

/// Preferences of an engine for arrays between passes.
struct workspace_rules {
  row_padding padding = {};
  /// Elements outside the valid ranges of both sides take no room.
  bool is_cropped = false;
  /// Transforms that alternate on both sides alternate between passes too.
  bool may_alternate = false;
};

/// Returns the precision that passes compute in and keep between them.
[[nodiscard]] precision common_precision(const plan_spec& spec);

/// Returns the arrays of a request's passes: number 0 is `in`, number i + 1 is what pass i writes,
/// and the last is `out`. Those between are `out` itself if it can hold complex numbers of the
/// computing precision and every pass is in place. Otherwise they are packed arrays, each in the
/// place of the pass's input if the pass may overwrite it, else in the other of two workspaces.
[[nodiscard]] std::vector<array> arrays_of_passes(const plan_spec& spec, const array& in,
                                                  const array& out,
                                                  const std::vector<pass_outline>& passes,
                                                  const workspace_rules& rules);

}  // namespace wingbeat::arrays
