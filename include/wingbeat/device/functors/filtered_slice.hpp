// SPDX-License-Identifier: Apache-2.0
// A slice times a filter, as the load of the inverse transform that makes a projection.
#pragma once

#include "wingbeat/device/complex.hpp"               // complex, copied_from
#include "wingbeat/device/functors/fixed.hpp"        // fixed
#include "wingbeat/device/functors/projections.hpp"  // projections
#include "wingbeat/device/port.hpp"                  // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::functors {

struct filtered_slice_numbers {
  size filters = 1;  ///< Rows of the transform are numbered [slice][filter].
  size bins = 1;

  template <class Visit>
  WINGBEAT_FN void each(Visit visit) const {
    visit("filters", filters);
    visit("bins", bins);
  }
};

/// Filter: float, or complex<float>.
template <class Filter>
class filtered_slice {
 public:
  using numbers = filtered_slice_numbers;
  static constexpr bool in_order = false;  // a slice is read by several rows
  using element = complex<float>;
  struct operands {
    WINGBEAT_GLOBAL const Filter* factors;  // [filter][bin]

    template <class Visit>
    WINGBEAT_FN static void each(const numbers&, Visit visit) {
      visit("factors", &operands::factors);
    }
  };

  WINGBEAT_FN filtered_slice(numbers n, WINGBEAT_GLOBAL const element* in, operands given, size row)
      : slice_(in + row / n.filters * n.bins), factors_(given.factors + row % n.filters * n.bins) {}
  WINGBEAT_FN complex<float> load(size i) const {
    return projections<float, Filter>::filtered(copied_from(slice_ + i), factors_ + i);
  }

 private:
  WINGBEAT_GLOBAL const element* slice_;
  WINGBEAT_GLOBAL const Filter* factors_;
};

}  // namespace wingbeat::device::functors
