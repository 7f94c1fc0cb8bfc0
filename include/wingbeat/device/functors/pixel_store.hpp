// SPDX-License-Identifier: Apache-2.0
// Stores results as pixels with as many channels as the image; row r is channel r. Alpha, the last
// of an even number of channels, is copied from the image; it is 0 outside.
#pragma once

#include "wingbeat/device/functors/fixed.hpp"  // fixed
#include "wingbeat/device/functors/plane.hpp"  // no_pixel, pixel_at, pixel_numbers, stored_of
#include "wingbeat/device/port.hpp"            // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::functors {

template <class Stored, class Index>
class pixel_store {
 public:
  using numbers = pixel_numbers;
  using element = Stored;
  struct operands {
    WINGBEAT_GLOBAL const element* image;

    template <class Visit>
    WINGBEAT_FN static void each(const numbers& n, Visit visit) {
      if (n.channels % 2 == 0) visit("image", &operands::image);
    }
  };
  static constexpr bool in_order = true;

  WINGBEAT_FN pixel_store(numbers n, WINGBEAT_GLOBAL element* out, operands given, size row)
      : numbers_(n), out_(out), image_(given.image), row_(row) {}
  template <class Number>
  WINGBEAT_FN void store(size i, Number value) const {
    const Index channels = Index(numbers_.channels), alpha = channels - 1;
    // 64 bits, because a thread's places are then constants apart, which compilers fold.
    out_[i * numbers_.channels + row_] = stored_of<element>(value);
    if (channels % 2 != 0 || row_ > 0) return;
    const Index pixel = pixel_at(numbers_, Index(i));
    const bool has_pixel = !numbers_.has_gaps() || pixel != no_pixel<Index>;
    out_[Index(i) * channels + alpha] = has_pixel ? image_[pixel * channels + alpha] : element(0);
  }

 private:
  numbers numbers_;
  WINGBEAT_GLOBAL element* out_;
  WINGBEAT_GLOBAL const element* image_;
  size row_;
};

}  // namespace wingbeat::device::functors
