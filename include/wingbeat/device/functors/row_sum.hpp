// SPDX-License-Identifier: Apache-2.0
// Loads sums over rows of a matrix, in their order, of some rows after another.
#pragma once

#include "wingbeat/device/functors/fixed.hpp"   // fixed, no_operands
#include "wingbeat/device/functors/frames.hpp"  // times
#include "wingbeat/device/port.hpp"             // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::functors {

struct row_sum_numbers {
  size rows = 1, columns = 1;
  size at_once = 1;  ///< Rows of a sum; the last sum of a matrix has the rest.
  double factor = 1;

  template <class Visit>
  WINGBEAT_FN void each(Visit visit) const {
    visit("rows", rows);
    visit("columns", columns);
    visit("at_once", at_once);
    visit("factor", factor);
  }

  WINGBEAT_FN constexpr size sums() const { return (rows + at_once - 1) / at_once; }
};

/// Value: Real or complex<Real>. Row: sum s of matrix m is row m sums() + s.
template <class Value, class Real>
class row_sum {
 public:
  using numbers = row_sum_numbers;
  using element = Value;
  using operands = no_operands;
  static constexpr bool in_order = false;

  WINGBEAT_FN row_sum(const numbers& n, WINGBEAT_GLOBAL const element* in, operands, size row)
      : numbers_(n), first_(row % n.sums() * n.at_once) {
    in_ = in + (row / n.sums() * n.rows + first_) * n.columns;
  }
  WINGBEAT_FN Value load(size i) const {
    const size left = numbers_.rows - first_;
    const size count = left < numbers_.at_once ? left : numbers_.at_once;
    Value sum{};
    for (size r = 0; r < count; ++r) sum = sum + in_[r * numbers_.columns + i];
    return times(sum, Real(numbers_.factor));
  }

 private:
  numbers numbers_;
  size first_;
  WINGBEAT_GLOBAL const element* in_;
};

}  // namespace wingbeat::device::functors
