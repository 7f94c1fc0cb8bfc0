// SPDX-License-Identifier: Apache-2.0
// Where the butterflies of a pass lie: its strides, ranges and loops, from the arrays it reads and
// writes.
#pragma once

#include <cstddef>  // size_t

#include "arrays/array.hpp"      // array
#include "arrays/order.hpp"      // axis_span
#include "arrays/spectra.hpp"    // spectrum_array
#include "planner/pass.hpp"      // pass
#include "planner/pieces.hpp"    // piece
#include "request/resolved.hpp"  // resolved_spec

namespace wingbeat::planner {

using arrays::array;

/// A piece's place in a request.
struct placement {
  const request::resolved_spec& request;
  std::size_t axis;   ///< For a plane, the slower axis.
  bool begins, ends;  ///< The first, the last pass of its axis.
  const array &from, &to;
  const tuning::placement_rules& rules;
  const device_info& device;
  const spectrum_array* filter = nullptr;  ///< For a piece that convolves.
};

/// Returns the axes that a piece transforms.
[[nodiscard]] arrays::axis_span axes_of(const piece& cut, std::size_t axis);

/// Returns `cut` as a pass: with both sides, its loops, mirrored tiles, staging and prefetches.
[[nodiscard]] pass placed(const piece& cut, const placement& position);

}  // namespace wingbeat::planner
