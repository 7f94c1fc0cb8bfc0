// SPDX-License-Identifier: Apache-2.0
// Which butterflies a workgroup makes, and where they lie: loops around one transform, the
// innermost of which is shared out in tiles of neighbours, its lanes.
#pragma once

#include "wingbeat/device/index.hpp"  // minimum
#include "wingbeat/device/port.hpp"   // WINGBEAT_FN, size

namespace wingbeat::device::grid {

/// `Count` butterflies, `In` places apart on the way in and `Out` on the way out.
template <size Count, size In, size Out>
struct loop {
  static constexpr size count = Count, in = In, out = Out;
};

/// Loops around a butterfly, innermost first. Around them all is the batch, counted at run time.
template <class... Loops>
struct nest {
  static constexpr unsigned depth = 0;
};
template <class First, class... Others>
struct nest<First, Others...> {
  using first = First;
  using others = nest<Others...>;
  static constexpr unsigned depth = 1 + others::depth;
};

/// Rows of the batch, as numbered on each side.
struct rows_of_batch {
  size in = 0, out = 0;  ///< The first.
  size count = 0;
};

/// No loop: the index of none of them.
inline constexpr unsigned no_loop = 99;

/// Tile `number` of Policy's butterflies:
///   loops               nest<...>
///   lanes               butterflies of one tile
///   full                every tile has all its butterflies
///   mirrored            half of the lanes are columns c, the others their mirror images -c, so
///                       that bins k and N - k of a real transform meet in one workgroup
///   in_base, out_base   place of the first butterfly
///   batch_in, batch_out places from row to row of the batch
template <class Policy>
class tile {
  using loops = typename Policy::loops;
  static constexpr unsigned lanes = Policy::lanes;

 public:
  static constexpr unsigned depth = loops::depth;

  /// Returns how many tiles one row of the batch has. Without loops the tiles run over the batch.
  WINGBEAT_FN static constexpr size per_row() { return count_of<loops>(true); }

  WINGBEAT_FN tile(unsigned number, rows_of_batch rows) {
    size row = number;
    if constexpr (depth == 0) {
      row *= lanes;
      has_ = row < rows.count ? static_cast<unsigned>(minimum<size>(rows.count - row, lanes)) : 0;
    } else {
      split<0, loops>(number);
      row = number;
      if (row >= rows.count) has_ = 0;
    }
    in_ += Policy::in_base + (rows.in + row) * Policy::batch_in;
    out_ += Policy::out_base + (rows.out + row) * Policy::batch_out;
  }

  /// Returns whether a lane has a butterfly at all.
  WINGBEAT_FN bool has(unsigned lane) const { return Policy::full || lane < has_; }

  /// Returns the index of a lane's butterfly in loop `Which`; 0 of `no_loop`.
  template <unsigned Which>
  WINGBEAT_FN unsigned index(unsigned lane) const {
    if constexpr (Which == no_loop) {
      return 0;
    } else if constexpr (Which == 0) {
      return column(lane);
    } else {
      return index_[Which];
    }
  }

  /// Returns the place of a lane's first element.
  WINGBEAT_FN size in(unsigned lane) const {
    if constexpr (depth == 0) {
      return in_ + lane * Policy::batch_in;
    } else {
      return in_ + size(column(lane)) * loops::first::in;
    }
  }
  WINGBEAT_FN size out(unsigned lane) const {
    if constexpr (depth == 0) {
      return out_ + lane * Policy::batch_out;
    } else {
      return out_ + size(column(lane)) * loops::first::out;
    }
  }

 private:
  static constexpr unsigned shared = Policy::mirrored ? lanes / 2 : lanes;

  template <class Nest>
  WINGBEAT_FN static constexpr size count_of(bool is_first) {
    if constexpr (Nest::depth == 0) {
      return 1;
    } else {
      const size n = Nest::first::count;
      const size tiles = is_first ? (n + lanes - 1) / lanes : n;
      return tiles * count_of<typename Nest::others>(false);
    }
  }

  /// Splits the tile's number into one index for each loop; what is left counts rows.
  template <unsigned Level, class Nest>
  WINGBEAT_FN void split(unsigned& number) {
    if constexpr (Nest::depth > 0) {
      using here = typename Nest::first;
      constexpr auto n =
          static_cast<unsigned>(Level == 0 ? (here::count + lanes - 1) / lanes : here::count);
      const unsigned digit = n == 1 ? 0 : number % n;
      if constexpr (n > 1) number /= n;
      if constexpr (Level == 0) {
        index_[0] = digit * shared;
        has_ = minimum(static_cast<unsigned>(here::count) - digit * lanes, lanes);
      } else {
        index_[Level] = digit;
        in_ += size(digit) * here::in;
        out_ += size(digit) * here::out;
      }
      split<Level + 1, typename Nest::others>(number);
    }
  }

  /// Lane u of a plain tile is column first + u. Of a mirrored one, lane u < lanes/2 is column
  /// c = first + u and lane u + lanes/2 is -c; half of the columns is the mirror image of itself,
  /// as is column 0, so it takes the lane of -0.
  WINGBEAT_FN unsigned column(unsigned lane) const {
    if constexpr (Policy::mirrored) {
      constexpr auto n = static_cast<unsigned>(loops::first::count);
      if (lane < shared) return index_[0] + lane;
      const unsigned c = index_[0] + (lane - shared);
      return c == 0 ? n / 2 : n - c;
    } else {
      return index_[0] + lane;
    }
  }

  size in_ = 0;
  size out_ = 0;
  unsigned has_ = 0;
  unsigned index_[depth == 0 ? 1 : depth] = {};
};

}  // namespace wingbeat::device::grid
