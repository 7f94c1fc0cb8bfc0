// SPDX-License-Identifier: Apache-2.0
// The butterflies of a workgroup, and their places: loops around one transform; the innermost is
// cut into tiles of neighbours, the lanes.
#pragma once

#include "wingbeat/device/grid/numbers.hpp"  // pass_numbers
#include "wingbeat/device/index.hpp"         // minimum, mirrored
#include "wingbeat/device/port.hpp"          // WINGBEAT_FN, size

namespace wingbeat::device::grid {

/// Tile `number` of a pass's butterflies over `rows` of the batch: Policy::numbers() returns its
/// `pass_numbers`. If the pass keeps state, the tile belongs to row `of_row`.
template <class Policy>
class tile {
  WINGBEAT_FN static constexpr pass_numbers numbers() { return Policy::numbers(); }
  static constexpr unsigned lanes = numbers().shape.lanes;
  static constexpr bool is_flat = numbers().is_flat, is_mirrored = numbers().shape.mirrored;
  /// Loop `Level`, innermost first.
  template <unsigned Level>
  struct level {
    static constexpr size count = numbers().loops[Level].count;
    static constexpr size in = numbers().loops[Level].in, out = numbers().loops[Level].out;
    static constexpr size filter = numbers().loops[Level].filter;
  };

 public:
  static constexpr unsigned depth = numbers().depth;

  WINGBEAT_FN tile(unsigned number, size rows, size of_row = 0) {
    size row = number;
    if constexpr (depth == 0) {
      row *= lanes;
      has_ = row < rows ? static_cast<unsigned>(minimum<size>(rows - row, lanes)) : 0;
    } else {
      split_lanes(number);
      split<is_flat ? 2 : 1>(number);
      row = numbers().shape.keeps() ? of_row : number;
      if (row >= rows) has_ = 0;
    }
    constexpr size in_base = numbers().in.base, out_base = numbers().out.base;
    in_ += in_base + row * in_distance;
    out_ += out_base + row * out_distance;
    if constexpr (has_filter) filter_ += row * numbers().filter_distance;
  }

  /// Returns whether a lane has a butterfly.
  WINGBEAT_FN bool has(unsigned lane) const { return is_full || exists(lane); }
  /// Same for a tile that may lie beyond the rows.
  WINGBEAT_FN bool exists(unsigned lane) const {
    if constexpr (has_lanes_left) {
      const bool is_image_of_0 = lane == shared && index_[0] == 0;
      return lane % shared < has_ && !(is_image_of_0 && inner_count % 2 != 0);
    } else {
      return lane < has_;
    }
  }

  /// Returns how many lanes, the first ones, have butterflies; for tiles that are not mirrored.
  WINGBEAT_FN unsigned count() const { return is_full ? lanes : has_; }

  /// Returns the index of a lane's butterfly in loop `Level`; 0 beyond the loops.
  template <unsigned Level>
  WINGBEAT_FN unsigned index(unsigned lane) const {
    if constexpr (Level >= depth) {
      return 0;
    } else if constexpr (is_flat && Level < 2) {
      return Level == 0 ? column(lane) % inner_count : column(lane) / inner_count;
    } else if constexpr (Level == 0) {
      return column(lane);
    } else {
      return index_[Level];
    }
  }
  /// Returns the index of a lane's butterfly in the loop of a role; 0 if there is none.
  template <loop_role Role>
  WINGBEAT_FN unsigned index_of(unsigned lane) const {
    return index<numbers().loop_of(Role)>(lane);
  }

  /// Returns the place of a lane's first element.
  WINGBEAT_FN size in(unsigned lane) const {
    if constexpr (depth == 0) {
      return in_ + lane * in_distance;
    } else if constexpr (is_flat) {
      return in_ + index<0>(lane) * level<0>::in + index<1>(lane) * level<1>::in;
    } else {
      return in_ + in_of_column(column(lane));
    }
  }
  WINGBEAT_FN size out(unsigned lane) const {
    if constexpr (depth == 0) {
      return out_ + lane * out_distance;
    } else if constexpr (is_flat) {
      return out_ + index<0>(lane) * level<0>::out + index<1>(lane) * level<1>::out;
    } else {
      return out_ + size(column(lane)) * level<0>::out;
    }
  }
  /// Returns the place of the spectrum that a lane is multiplied by.
  WINGBEAT_FN size filter(unsigned lane) const {
    if constexpr (depth == 0) {
      return filter_ + lane * numbers().filter_distance;
    } else if constexpr (is_flat) {
      return filter_ + index<0>(lane) * level<0>::filter + index<1>(lane) * level<1>::filter;
    } else {
      return filter_ + size(column(lane)) * level<0>::filter;
    }
  }

 private:
  static constexpr bool has_filter =
      numbers().shape.makes == body::convolve || numbers().returns_terms;
  static constexpr unsigned shared = is_mirrored ? lanes / 2 : lanes;
  static constexpr bool is_full = numbers().is_full;
  static constexpr size in_distance = numbers().in.distance, out_distance = numbers().out.distance;
  static constexpr unsigned inner_count = unsigned(numbers().loops[0].count);
  static constexpr size tiles_of_lanes =
      depth == 0 ? 1 : (numbers().lane_count() + lanes - 1) / lanes;

  /// Whether a mirrored tile may have lanes without a column: those behind the last pair and, for
  /// an odd number of columns, the image of column 0, which is column 0 itself.
  static constexpr bool has_lanes_left = is_mirrored && inner_count % lanes != 0;

  static_assert(!is_mirrored || lanes >= 2, "columns and their mirror images take two lanes");
  static_assert(!is_flat || (depth >= 2 && !is_mirrored),
                "two loops are joined, and none of them mirrored");

  /// Returns the place of column c from that of column 0.
  WINGBEAT_FN static size in_of_column(unsigned c) {
    constexpr auto block = static_cast<unsigned>(numbers().loops[0].block);
    if constexpr (block == 0) {
      return size(c) * level<0>::in;
    } else {
      constexpr size apart = numbers().loops[0].block_in;
      return c / block * apart + c % block * level<0>::in;
    }
  }

  /// Removes and returns the lowest digit, to base `Count`, of a tile's number.
  template <size Count>
  WINGBEAT_FN static unsigned take_digit(unsigned& number) {
    constexpr auto n = static_cast<unsigned>(Count);
    if constexpr (n == 1) return 0;
    const unsigned digit = number % n;
    number /= n;
    return digit;
  }

  /// Splits the tile's number into one index for each loop; the rest counts rows.
  WINGBEAT_FN void split_lanes(unsigned& number) {
    constexpr auto count = static_cast<unsigned>(numbers().lane_count());
    const unsigned digit = take_digit<tiles_of_lanes>(number);
    index_[0] = digit * shared;
    if constexpr (has_lanes_left) {
      has_ = minimum<unsigned>((count + 1) / 2 - index_[0], shared);
    } else {
      has_ = minimum<unsigned>(count - digit * lanes, lanes);
    }
  }
  template <unsigned Level>
  WINGBEAT_FN void split(unsigned& number) {
    if constexpr (Level < depth) {
      index_[Level] = take_digit<level<Level>::count>(number);
      in_ += size(index_[Level]) * level<Level>::in;
      out_ += size(index_[Level]) * level<Level>::out;
      if constexpr (has_filter) filter_ += size(index_[Level]) * level<Level>::filter;
      split<Level + 1>(number);
    }
  }

  /// Lane u of a plain tile is column first + u; in a mirrored tile half of the lanes are columns,
  /// the others their mirror images.
  WINGBEAT_FN unsigned column(unsigned lane) const {
    if constexpr (is_mirrored) {
      return device::mirrored<inner_count, shared>::item(index_[0], lane);
    } else {
      return index_[0] + lane;
    }
  }

  size in_ = 0;
  size out_ = 0;
  size filter_ = 0;
  unsigned has_ = 0;
  unsigned index_[depth == 0 ? 1 : depth] = {};
};

}  // namespace wingbeat::device::grid
