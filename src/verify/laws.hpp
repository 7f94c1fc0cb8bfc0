// SPDX-License-Identifier: Apache-2.0
// The laws of transforms, each with the largest error that rounding can cause. With u the unit
// roundoff and c = 1 (fp32) or 1.25 (fp64), one transform of N points may be off by
//     e = c u sqrt(log2 N)   in relative L2, N the logical length of cosine and sine transforms,
// or by 4 u up to 64 points; a law that compares several transforms may be off by the sum of their
// errors.
#pragma once

#include <cstddef>  // size_t
#include <span>
#include <string_view>

#include "verify/transformer.hpp"  // transformer

namespace wingbeat::verify {

/// One device, one kind of transform, one shape.
struct trial {
  transformer& run;
  transformer& oracle;  ///< The reference engine, fp64.
  transform kind;
  shape over;
  std::size_t n = points_of(over);
  std::size_t logical = logical_points_of(kind, over);  ///< The number that `scaling` divides by.

  /// Returns the transforms of rows, as one batch.
  [[nodiscard]] std::vector<row> operator()(const std::vector<row>& x, manner how) const {
    how.over = over;
    return run(kind, x, how);
  }
  [[nodiscard]] row operator()(const row& x, manner how = {}) const {
    how.over = over;
    return run(kind, x, how);
  }
};

/// The error of a law, and its bound.
struct measurement {
  double error = 0;
  double bound = 0;
};

struct law {
  std::string_view name;
  std::string_view statement;
  measurement (*measure)(const trial&);
  /// Returns whether a kind obeys the law; null: every kind does.
  bool (*governs)(const request::traits& kind) = nullptr;
  bool is_of_one_device = false;  ///< Not checked for transforms over several devices.

  [[nodiscard]] bool applies_to(transform kind) const {
    return governs == nullptr || governs(traits_of(kind));
  }
};

/// Returns every law, in the order of checking. The last checks that the others changed no other
/// memory.
[[nodiscard]] std::span<const law> laws();

}  // namespace wingbeat::verify
