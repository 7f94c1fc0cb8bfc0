// SPDX-License-Identifier: Apache-2.0
// The rows of a transform along some axes of a part of an array, as elements of the whole array.
#pragma once

#include "wingbeat/device/port.hpp"  // WINGBEAT_FN, size

namespace wingbeat::device::ends {

/// Which array of a batch an element is of, and which of its elements it is.
struct array_spot {
  size row, i;
};

/// An array of three axes, of which the first ones may have one element. Rows count the batch, then
/// the axes that are not transformed, as far as the part has them.
struct array_part {
  size length[3];  ///< Of the whole array; of ranges, of all elements within them.
  size first[3];   ///< Where the part begins along an axis that is not transformed,
  size count[3];   ///< and how many of its indices it has.
  bool is_transformed[3];
  size first_row;             ///< Of the batch.
  bool has_bins_of_one_axis;  ///< Indices k1 and k2 of the last two are bin k1 + N1 k2.

  template <class Visit>
  WINGBEAT_FN constexpr void each(Visit visit) const {
    visit("length[0]", length[0]);
    visit("length[1]", length[1]);
    visit("length[2]", length[2]);
    visit("first[0]", first[0]);
    visit("first[1]", first[1]);
    visit("first[2]", first[2]);
    visit("count[0]", count[0]);
    visit("count[1]", count[1]);
    visit("count[2]", count[2]);
    visit("is_transformed[0]", is_transformed[0]);
    visit("is_transformed[1]", is_transformed[1]);
    visit("is_transformed[2]", is_transformed[2]);
    visit("first_row", first_row);
    visit("has_bins_of_one_axis", has_bins_of_one_axis);
  }

  /// Of element `i` of a row; `i` counts all indices of the axes that are transformed.
  WINGBEAT_FN constexpr array_spot spot(size row, size i) const {
    size index[3] = {};
    for (unsigned axis = 3; axis-- > 0;) {
      if (is_transformed[axis]) {
        index[axis] = i % length[axis];
        i /= length[axis];
      } else {
        index[axis] = first[axis] + row % count[axis];
        row /= count[axis];
      }
    }
    if (has_bins_of_one_axis) return {first_row + row, index[1] + length[1] * index[2]};
    return {first_row + row, (index[0] * length[1] + index[1]) * length[2] + index[2]};
  }
};

}  // namespace wingbeat::device::ends
