// SPDX-License-Identifier: Apache-2.0
// The interface on which laws are checked: a device, or a faulty transform in tests of the laws.
#pragma once

#include <cstddef>  // size_t
#include <utility>  // move
#include <vector>

#include "verify/row.hpp"     // row
#include "wingbeat/plan.hpp"  // transform, scaling, placement, precision

namespace wingbeat::verify {

/// How to run a transform, apart from its kind.
struct manner {
  scaling scale = scaling::none;
  bool orthogonalizes = false;
  placement where = placement::out_of_place;
  shape over = {};  ///< The lengths; empty: one axis.
};

class transformer {
 public:
  virtual ~transformer() = default;

  /// Returns the transforms of `rows`, all of one shape, run as one batch.
  [[nodiscard]] virtual std::vector<row> operator()(transform kind, const std::vector<row>& rows,
                                                    const manner& how) = 0;

  /// Returns how many bytes changed in memory that no run may change.
  [[nodiscard]] virtual std::size_t n_trespasses() const noexcept = 0;

  [[nodiscard]] virtual precision real() const noexcept = 0;

  /// Returns whether this is the oracle, which cannot be compared with itself.
  [[nodiscard]] virtual bool is_oracle() const noexcept = 0;

  /// Returns the transform of one row.
  [[nodiscard]] row operator()(transform kind, const row& x, const manner& how = {}) {
    return std::move((*this)(kind, std::vector<row>{x}, how).front());
  }
};

}  // namespace wingbeat::verify
