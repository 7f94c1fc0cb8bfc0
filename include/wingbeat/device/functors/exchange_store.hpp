// SPDX-License-Identifier: Apache-2.0
// The store of a transform that other ranks continue. It stores each element in the memory of the
// rank that has its part of an axis. That memory is [b][first][second][z]: the store cuts one of
// the two axes among ranks, and the other one was cut before, so this rank has a part of it.
#pragma once

#include "wingbeat/device/complex.hpp"         // complex
#include "wingbeat/device/functors/fixed.hpp"  // fixed
#include "wingbeat/device/port.hpp"            // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::functors {

/// Most ranks whose memory one store reaches. For more ranks, data is packed, rank after rank, and
/// then sent.
inline constexpr unsigned max_exchange_ranks = 16;

/// The parts of `length` elements: the first length % ranks ranks have one more than the others.
struct rank_shares {
  size length = 1, ranks = 1;

  WINGBEAT_FN constexpr size count(size rank) const {
    return length / ranks + (rank < length % ranks ? 1 : 0);
  }
  WINGBEAT_FN constexpr size begin(size rank) const {
    const size rest = length % ranks;
    return rank * (length / ranks) + (rank < rest ? rank : rest);
  }
  WINGBEAT_FN constexpr size rank_of(size index) const {
    const size least = length / ranks, rest = length % ranks, longer = rest * (least + 1);
    if (index < longer || least == 0) return index / (least + 1);
    return rest + (index - longer) / (least == 0 ? 1 : least);
  }
};

struct exchange_numbers {
  size cut = 1;  ///< Length of the axis that the store cuts.
  size ranks = 1;
  size whole = 1;  ///< Length of the other axis, which becomes whole.
  size own = 1;    ///< This rank's part of it,
  size block = 0;  ///< in blocks of this many (0: one block) `block_stride` apart.
  size block_stride = 0;
  size rest = 1;            ///< Elements of all faster axes: z.
  bool cuts_first = false;  ///< The store cuts the first of the two axes.
  /// For one long axis transformed as two: elements are multiplied by w^(i j), i and j their
  /// indices on both axes, w = exp(-2 pi i / N) or its conjugate, N = cut whole. The first
  /// 2^fine_bits roots have consecutive exponents; the others are 2^fine_bits apart.
  bool has_twiddles = false;
  bool is_inverse = false;
  unsigned fine_bits = 0;
  /// Memory of others contains only this rank's part, which is then sent to other processes.
  bool is_packed = false;
  size batch = 1;            ///< Batch of packed parts, if there are more ranks than a store
                             ///< reaches.
  bool rest_in_row = false;  ///< Rows are (b, own, z) with elements of the cut axis;
  bool cut_in_row = false;   ///< or (b, cut, own) with elements z; otherwise (b, own) with elements
                             ///< (cut, z).

  template <class Visit>
  WINGBEAT_FN void each(Visit visit) const {
    visit("cut", cut);
    visit("ranks", ranks);
    visit("whole", whole);
    visit("own", own);
    visit("block", block);
    visit("block_stride", block_stride);
    visit("rest", rest);
    visit("cuts_first", cuts_first);
    visit("has_twiddles", has_twiddles);
    visit("is_inverse", is_inverse);
    visit("fine_bits", fine_bits);
    visit("is_packed", is_packed);
    visit("batch", batch);
    visit("rest_in_row", rest_in_row);
    visit("cut_in_row", cut_in_row);
  }
};

/// The output is this rank's memory; the operands are the other ranks' memory in their order, or
/// for more than `max_exchange_ranks` only the memory where their parts are packed.
template <class Real>
class exchange_store {
 public:
  using numbers = exchange_numbers;
  using element = complex<Real>;
  static constexpr bool in_order = true;
  struct operands {
    size rank;        ///< This rank's number.
    size begin;       ///< First index of its part of the whole axis, in its own memory,
    size peer_begin;  ///< and in that of others, or in the packed copy.
    WINGBEAT_GLOBAL const element* roots;  // [2^fine_bits], then [N / 2^fine_bits]
    WINGBEAT_GLOBAL element *peer_0, *peer_1, *peer_2, *peer_3, *peer_4, *peer_5, *peer_6, *peer_7,
        *peer_8, *peer_9, *peer_10, *peer_11, *peer_12, *peer_13, *peer_14;

    template <class Visit>
    WINGBEAT_FN static void each(const numbers& n, Visit visit) {
      visit("rank", &operands::rank);
      visit("begin", &operands::begin);
      visit("peer_begin", &operands::peer_begin);
      if (n.has_twiddles) visit("roots", &operands::roots);
      const size ranks = n.ranks > max_exchange_ranks ? 2 : n.ranks;
      if (ranks > 1) visit("peer_0", &operands::peer_0);
      if (ranks > 2) visit("peer_1", &operands::peer_1);
      if (ranks > 3) visit("peer_2", &operands::peer_2);
      if (ranks > 4) visit("peer_3", &operands::peer_3);
      if (ranks > 5) visit("peer_4", &operands::peer_4);
      if (ranks > 6) visit("peer_5", &operands::peer_5);
      if (ranks > 7) visit("peer_6", &operands::peer_6);
      if (ranks > 8) visit("peer_7", &operands::peer_7);
      if (ranks > 9) visit("peer_8", &operands::peer_8);
      if (ranks > 10) visit("peer_9", &operands::peer_9);
      if (ranks > 11) visit("peer_10", &operands::peer_10);
      if (ranks > 12) visit("peer_11", &operands::peer_11);
      if (ranks > 13) visit("peer_12", &operands::peer_12);
      if (ranks > 14) visit("peer_13", &operands::peer_13);
      if (ranks > 15) visit("peer_14", &operands::peer_14);
    }
  };

  WINGBEAT_FN exchange_store(numbers n, WINGBEAT_GLOBAL element* own, operands given, size row)
      : numbers_(n), own_(own), given_(given), row_(row) {}

  WINGBEAT_FN void store(size i, complex<Real> value) const {
    const size z = numbers_.rest_in_row ? row_ % numbers_.rest : i % numbers_.rest;
    const size lead = numbers_.rest_in_row ? row_ / numbers_.rest : row_;
    const size own = lead % numbers_.own, before = lead / numbers_.own;
    const size b = numbers_.cut_in_row ? before / numbers_.cut : before;
    const size index = numbers_.cut_in_row    ? before % numbers_.cut
                       : numbers_.rest_in_row ? i
                                              : i / numbers_.rest;
    const rank_shares shares{numbers_.cut, numbers_.ranks};
    const size rank = shares.rank_of(index), count = shares.count(rank);
    const size offset = index - shares.begin(rank);
    const size apart = numbers_.block == 0
                           ? own
                           : own / numbers_.block * numbers_.block_stride + own % numbers_.block;
    const size place = apart + (rank == given_.rank ? given_.begin : given_.peer_begin);
    const bool is_part = numbers_.is_packed && rank != given_.rank;
    const size whole = is_part ? numbers_.own : numbers_.whole;
    const size line = numbers_.cuts_first ? (b * count + offset) * whole + place
                                          : (b * whole + place) * count + offset;
    memory_of(rank)[line * numbers_.rest + z] = twiddled(index * (own + given_.begin), value);
  }

 private:
  WINGBEAT_FN complex<Real> twiddled(size e, complex<Real> value) const {
    if (!numbers_.has_twiddles) return value;
    const size fine = size(1) << numbers_.fine_bits;
    const complex<Real> root =
        copied_from(given_.roots + e % fine) * copied_from(given_.roots + fine + e / fine);
    return value * (numbers_.is_inverse ? complex<Real>{root.re, -root.im} : root);
  }
  WINGBEAT_FN WINGBEAT_GLOBAL element* memory_of(size rank) const {
    if (numbers_.ranks == 1 || rank == given_.rank) return own_;
    if (numbers_.ranks > max_exchange_ranks) return packed_for(rank);
    const size other = rank < given_.rank ? rank : rank - 1;
    WINGBEAT_GLOBAL element* memory = given_.peer_0;
    if (numbers_.ranks > 2 && other == 1) memory = given_.peer_1;
    if (numbers_.ranks > 3 && other == 2) memory = given_.peer_2;
    if (numbers_.ranks > 4 && other == 3) memory = given_.peer_3;
    if (numbers_.ranks > 5 && other == 4) memory = given_.peer_4;
    if (numbers_.ranks > 6 && other == 5) memory = given_.peer_5;
    if (numbers_.ranks > 7 && other == 6) memory = given_.peer_6;
    if (numbers_.ranks > 8 && other == 7) memory = given_.peer_7;
    if (numbers_.ranks > 9 && other == 8) memory = given_.peer_8;
    if (numbers_.ranks > 10 && other == 9) memory = given_.peer_9;
    if (numbers_.ranks > 11 && other == 10) memory = given_.peer_10;
    if (numbers_.ranks > 12 && other == 11) memory = given_.peer_11;
    if (numbers_.ranks > 13 && other == 12) memory = given_.peer_12;
    if (numbers_.ranks > 14 && other == 13) memory = given_.peer_13;
    if (numbers_.ranks > 15 && other == 14) memory = given_.peer_14;
    return memory;
  }
  WINGBEAT_FN WINGBEAT_GLOBAL element* packed_for(size rank) const {
    const rank_shares shares{numbers_.cut, numbers_.ranks};
    const size own = rank < given_.rank ? 0 : shares.count(given_.rank);
    const size before = (shares.begin(rank) - own) * numbers_.rest;
    return given_.peer_0 + before * numbers_.own * numbers_.batch;
  }

  numbers numbers_;
  WINGBEAT_GLOBAL element* own_;
  operands given_;
  size row_;
};

}  // namespace wingbeat::device::functors
