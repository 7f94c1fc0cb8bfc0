// SPDX-License-Identifier: Apache-2.0
// Shapes of lengths that no data describes, and cuts of such axes: estimated, not measured.
#pragma once

#include <cstddef>  // size_t
#include <optional>
#include <vector>

#include "tuning/tuning.hpp"     // architecture, shape
#include "wingbeat/devices.hpp"  // device_info

namespace wingbeat::planner {

/// The input of a rule.
struct rule_request {
  std::size_t length = 1;
  unsigned element_bytes = 8;
  unsigned bank_bytes = 0;  ///< As in `tile_shape`.
  bool is_real_row = false;
  bool is_of_reals = false;   ///< Reals as complex numbers: operations count more than accesses.
  bool is_convolved = false;  ///< Transformed twice: operations count more too.
};

/// Returns the shape with which one workgroup transforms rows of a length that is no power of two,
/// if it fits.
[[nodiscard]] std::optional<tuning::shape> row_by_rule(const rule_request& request,
                                                       const tuning::architecture& data,
                                                       const device_info& device);

/// Returns the shape for columns of any length.
[[nodiscard]] std::optional<tuning::shape> columns_by_rule(const rule_request& request,
                                                           const tuning::architecture& data,
                                                           const device_info& device);

/// Returns the shape for lines of reals side by side, from which a butterfly's complex elements are
/// made: 128 bytes of neighbours, or a sector if local memory has no room for more.
[[nodiscard]] std::optional<tuning::shape> lines_by_rule(const rule_request& request,
                                                         const tuning::architecture& data,
                                                         const device_info& device);

/// Returns the lengths of `count` passes that make an axis, as equal as possible, longer ones
/// first.
[[nodiscard]] std::vector<std::size_t> even_parts(std::size_t total, unsigned count);

/// Returns the divisors of a good length in ascending order.
[[nodiscard]] std::vector<std::size_t> divisors_of(std::size_t n);

}  // namespace wingbeat::planner
