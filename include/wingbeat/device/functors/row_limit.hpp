// SPDX-License-Identifier: Apache-2.0
// Loads rows limited to a range below their largest element.
#pragma once

#include "wingbeat/device/functors/fixed.hpp"        // fixed
#include "wingbeat/device/functors/row_maximum.hpp"  // row_limit_numbers
#include "wingbeat/device/port.hpp"                  // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::functors {

template <class Real>
class row_limit {
 public:
  using numbers = row_limit_numbers;
  using element = Real;
  static constexpr bool in_order = false;
  struct operands {
    WINGBEAT_GLOBAL const Real* largest;  // [row], of the whole row

    template <class Visit>
    WINGBEAT_FN static void each(const numbers&, Visit visit) {
      visit("largest", &operands::largest);
    }
  };

  WINGBEAT_FN row_limit(const numbers& n, WINGBEAT_GLOBAL const element* in, operands given,
                        size row)
      : in_(in + row * n.elements), least_(given.largest[row] - Real(n.range)) {}
  WINGBEAT_FN Real load(size i) const { return in_[i] < least_ ? least_ : in_[i]; }

 private:
  WINGBEAT_GLOBAL const element* in_;
  Real least_;
};

}  // namespace wingbeat::device::functors
