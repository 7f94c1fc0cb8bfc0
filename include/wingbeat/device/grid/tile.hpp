// SPDX-License-Identifier: Apache-2.0
// Which butterflies a workgroup makes, and where they lie: loops around one transform, the
// innermost of which is shared out in tiles of neighbours, its lanes.
#pragma once

#include "wingbeat/device/index.hpp"  // minimum, mirrored
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
///   flat                lanes run over the first two loops as if they were one
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
  WINGBEAT_FN static constexpr size per_row() {
    if constexpr (depth == 0) {
      return 1;
    } else {
      return tiles_of_lanes() * count_of<around>();
    }
  }

  WINGBEAT_FN tile(unsigned number, rows_of_batch rows) {
    size row = number;
    if constexpr (depth == 0) {
      row *= lanes;
      has_ = row < rows.count ? static_cast<unsigned>(minimum<size>(rows.count - row, lanes)) : 0;
    } else {
      split_lanes(number);
      split<Policy::flat ? 2 : 1, around>(number);
      row = number;
      if (row >= rows.count) has_ = 0;
    }
    in_ += Policy::in_base + (rows.in + row) * Policy::batch_in;
    out_ += Policy::out_base + (rows.out + row) * Policy::batch_out;
  }

  /// Returns whether a lane has a butterfly at all.
  WINGBEAT_FN bool has(unsigned lane) const { return Policy::full || exists(lane); }
  /// The same of a tile that may lie beyond the rows.
  WINGBEAT_FN bool exists(unsigned lane) const { return lane < has_; }

  /// Returns the index of a lane's butterfly in loop `Which`; 0 of `no_loop`.
  template <unsigned Which>
  WINGBEAT_FN unsigned index(unsigned lane) const {
    if constexpr (Which == no_loop) {
      return 0;
    } else if constexpr (Policy::flat && Which < 2) {
      return Which == 0 ? column(lane) % inner_count() : column(lane) / inner_count();
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
    } else if constexpr (Policy::flat) {
      return in_ + index<0>(lane) * loops::first::in + index<1>(lane) * loops::others::first::in;
    } else {
      return in_ + size(column(lane)) * loops::first::in;
    }
  }
  WINGBEAT_FN size out(unsigned lane) const {
    if constexpr (depth == 0) {
      return out_ + lane * Policy::batch_out;
    } else if constexpr (Policy::flat) {
      return out_ + index<0>(lane) * loops::first::out + index<1>(lane) * loops::others::first::out;
    } else {
      return out_ + size(column(lane)) * loops::first::out;
    }
  }

 private:
  static constexpr unsigned shared = Policy::mirrored ? lanes / 2 : lanes;

  static_assert(!Policy::mirrored || lanes >= 2, "columns and their mirror images take two lanes");
  static_assert(!Policy::flat || (depth >= 2 && !Policy::mirrored),
                "two loops are joined, and none of them mirrored");

  /// The loops around those that lanes run over.
  template <class Nest, bool IsFlat>
  struct around_lanes {
    using type = typename Nest::others;
  };
  template <class Nest>
  struct around_lanes<Nest, true> {
    using type = typename Nest::others::others;
  };
  template <bool IsFlat>
  struct around_lanes<nest<>, IsFlat> {
    using type = nest<>;
  };
  using around = typename around_lanes<loops, Policy::flat>::type;

  WINGBEAT_FN static constexpr unsigned inner_count() {
    return static_cast<unsigned>(loops::first::count);
  }
  /// Butterflies that lanes run over, and the tiles that makes.
  WINGBEAT_FN static constexpr size lane_count() {
    if constexpr (Policy::flat) {
      return loops::first::count * loops::others::first::count;
    } else {
      return loops::first::count;
    }
  }
  WINGBEAT_FN static constexpr size tiles_of_lanes() { return (lane_count() + lanes - 1) / lanes; }

  template <class Nest>
  WINGBEAT_FN static constexpr size count_of() {
    if constexpr (Nest::depth == 0) {
      return 1;
    } else {
      return Nest::first::count * count_of<typename Nest::others>();
    }
  }

  /// Takes its digit of base `Count` from a tile's number.
  template <size Count>
  WINGBEAT_FN static unsigned take_digit(unsigned& number) {
    constexpr auto n = static_cast<unsigned>(Count);
    if constexpr (n == 1) return 0;
    const unsigned digit = number % n;
    number /= n;
    return digit;
  }

  /// Splits the tile's number into one index for each loop; what is left counts rows.
  WINGBEAT_FN void split_lanes(unsigned& number) {
    const unsigned digit = take_digit<tiles_of_lanes()>(number);
    index_[0] = digit * shared;
    has_ = minimum(static_cast<unsigned>(lane_count()) - digit * lanes, lanes);
  }
  template <unsigned Level, class Nest>
  WINGBEAT_FN void split(unsigned& number) {
    if constexpr (Nest::depth > 0) {
      using here = typename Nest::first;
      index_[Level] = take_digit<here::count>(number);
      in_ += size(index_[Level]) * here::in;
      out_ += size(index_[Level]) * here::out;
      split<Level + 1, typename Nest::others>(number);
    }
  }

  /// Lane u of a plain tile is column first + u; of a mirrored one half of the lanes are columns,
  /// and the others their mirror images.
  WINGBEAT_FN unsigned column(unsigned lane) const {
    if constexpr (Policy::mirrored) {
      constexpr auto n = static_cast<unsigned>(loops::first::count);
      return device::mirrored<n, shared>::item(index_[0], lane);
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
