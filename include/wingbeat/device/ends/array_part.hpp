// SPDX-License-Identifier: Apache-2.0
// Numbers the elements of a part of an array, whose rows a plan transforms along some axes, as
// elements of the whole array.
#pragma once

#include "wingbeat/device/port.hpp"  // WINGBEAT_FN, size

namespace wingbeat::device::ends {

/// The array of a batch that an element belongs to, and its index there.
struct array_spot {
  size row, i;
};

/// A part of an array of three axes, some of which may have one element. Rows count the batch, then
/// the part's indices along the axes that are not transformed.
struct array_part {
  size length[3];  ///< Of the whole array, or of its valid ranges.
  size first[3];   ///< The part's first index along an untransformed axis,
  size count[3];   ///< and its number of indices.
  bool is_transformed[3];
  size first_row;             ///< The first array of the batch.
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

  /// Returns the spot of element `i` of a row; `i` counts all indices of the transformed axes.
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
