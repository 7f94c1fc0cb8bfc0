// SPDX-License-Identifier: Apache-2.0
// Checks every law on every length, through the public API. Prints nothing.
#pragma once

#include <cmath>    // isfinite
#include <cstddef>  // size_t
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "wingbeat/devices.hpp"  // device_info
#include "wingbeat/plan.hpp"     // precision, transform

namespace wingbeat::verify {

/// The result of one law in one trial.
struct verdict {
  device_info device;  ///< The first of several.
  std::size_t n_ranks = 1;
  bool is_alone = false;  ///< Rank 0 of several ranks made all transforms, because they cannot be
                          ///< cut.
  std::string_view law;
  transform kind = transform::forward;
  precision real = precision::fp32;
  std::vector<std::size_t> lengths;  ///< One per axis.
  double error = 0;
  double bound = 0;
  std::string failure;  ///< The exception's message, if one was thrown; usually empty.

  [[nodiscard]] bool is_right() const {
    return failure.empty() && std::isfinite(bound) && error <= bound;
  }
};

/// The lengths to try: 2^min_log2 .. 2^max_log2, or a list.
struct lengths {
  int min_log2 = 1;
  int max_log2 = 12;
  std::vector<std::size_t> listed = {};
};

/// Returns the numbers of points to try. Throws `plan_error` for lengths that cannot be planned.
[[nodiscard]] std::vector<std::size_t> points_of(const lengths& over);

/// Returns all kinds of transforms, in their order.
[[nodiscard]] std::vector<transform> every_kind();

/// Checks one device, or several that share transforms, each a rank. Calls `before_each` with each
/// number of points about to be tried. Returns a verdict for each law and each of `kinds` (empty:
/// each that exists for the length) on one axis of that length, and on two and three axes of as
/// many points. Several axes are left out if the engine does not support them yet. Throws
/// `plan_error` for lengths that cannot be planned.
[[nodiscard]] std::vector<verdict> check(
    const std::vector<device_info>& ranks, precision real, const lengths& over,
    const std::function<void(std::size_t length)>& before_each = {},
    const std::vector<transform>& kinds = {});

}  // namespace wingbeat::verify
