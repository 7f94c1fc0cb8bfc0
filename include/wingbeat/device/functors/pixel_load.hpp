// SPDX-License-Identifier: Apache-2.0
// Loads the colours of an image continued beyond its edges; except by zeros, which convolutions add
// themselves. Row r is channel r.
#pragma once

#include "wingbeat/device/functors/fixed.hpp"  // fixed, no_operands
#include "wingbeat/device/functors/plane.hpp"  // number_of, pixel_at, pixel_numbers
#include "wingbeat/device/port.hpp"            // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::functors {

template <class Stored, class Index>
class pixel_load {
 public:
  using numbers = pixel_numbers;
  using element = Stored;
  using operands = no_operands;
  static constexpr bool in_order = false;

  WINGBEAT_FN pixel_load(numbers n, WINGBEAT_GLOBAL const element* in, operands, size row)
      : numbers_(n), in_(in), row_(row) {}
  WINGBEAT_FN static constexpr size line_length(const numbers& n) { return n.columns.length; }
  WINGBEAT_FN auto load(size i) const { return at(pixel_at(numbers_, Index(i))); }
  WINGBEAT_FN auto load_line(size line, size i) const {
    return at(pixel_at(numbers_, Index(line), Index(i)));
  }

 private:
  WINGBEAT_FN auto at(Index pixel) const {
    return number_of(in_[pixel * Index(numbers_.channels) + Index(row_)]);
  }

  numbers numbers_;
  WINGBEAT_GLOBAL const element* in_;
  size row_;
};

}  // namespace wingbeat::device::functors
