// SPDX-License-Identifier: Apache-2.0
// A projection without the mean of its edge, scaled, as the store of an inverse transform.
#pragma once

#include "wingbeat/device/functors/fixed.hpp"        // fixed
#include "wingbeat/device/functors/projections.hpp"  // projection_scale
#include "wingbeat/device/port.hpp"                  // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::functors {

struct scaled_projection_numbers {
  size values = 1;  ///< Of a projection.

  template <class Visit>
  WINGBEAT_FN void each(Visit visit) const {
    visit("values", values);
  }
};

class scaled_projection {
 public:
  using numbers = scaled_projection_numbers;
  static constexpr bool in_order = true;
  using element = float;
  struct operands {
    WINGBEAT_GLOBAL const projection_scale* scales;  // [row]

    template <class Visit>
    WINGBEAT_FN static void each(const numbers&, Visit visit) {
      visit("scales", &operands::scales);
    }
  };

  WINGBEAT_FN scaled_projection(numbers n, WINGBEAT_GLOBAL element* out, operands given, size row)
      : out_(out + row * n.values),
        mean_(given.scales[row].mean),
        factor_(given.scales[row].factor) {}
  WINGBEAT_FN void store(size i, float value) const { out_[i] = (value - mean_) * factor_; }

 private:
  WINGBEAT_GLOBAL element* out_;
  float mean_, factor_;
};

}  // namespace wingbeat::device::functors
