// SPDX-License-Identifier: Apache-2.0
// Where the butterflies of a pass lie: its loops, strides and ranges, from the arrays it reads and
// writes.
#pragma once

#include <cstddef>  // size_t

#include "planner/lattice.hpp"  // lattice
#include "planner/pass.hpp"     // pass
#include "wingbeat/plan.hpp"    // plan_spec

namespace wingbeat::planner {

struct placing {
  const plan_spec& what;
  std::size_t axis;   ///< The slower of a plane's.
  bool begins, ends;  ///< The first, the last pass of its axis.
  const lattice &from, &to;
  bool keeps_rows;  ///< The batch alone is counted at run time.
};

/// Returns `shape` with all that is missing: loops, the two sides, mirrored tiles, staging.
[[nodiscard]] pass placed(const pass& shape, const placing& where);

}  // namespace wingbeat::planner
