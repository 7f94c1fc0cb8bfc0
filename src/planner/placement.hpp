// SPDX-License-Identifier: Apache-2.0
// Where the butterflies of a pass lie: its loops, strides and ranges, from the arrays it reads and
// writes.
#pragma once

#include <cstddef>  // size_t
#include <vector>

#include "planner/array.hpp"   // array
#include "planner/pass.hpp"    // pass
#include "planner/pieces.hpp"  // piece
#include "spectra.hpp"         // spectrum_array
#include "wingbeat/plan.hpp"   // plan_spec

namespace wingbeat::planner {

/// A piece's place in a request.
struct placement {
  const plan_spec& spec;
  std::size_t axis;   ///< The slower of a plane's.
  bool begins, ends;  ///< The first, the last pass of its axis.
  const array &from, &to;
  const tuning::placement_rules& rules;
  const device_info& device;
  const spectrum_array* filter = nullptr;  ///< Of a piece that convolves.
};

/// Returns `made` as a pass: with its loops, both sides, mirrored tiles, staging and prefetches.
[[nodiscard]] pass placed(const piece& made, const placement& at);

}  // namespace wingbeat::planner
