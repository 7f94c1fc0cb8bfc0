// SPDX-License-Identifier: Apache-2.0
// Oracle: the index of each element in the whole array, by whatever rank it is stored.
#include "wingbeat/device/functors/exchange_store.hpp"

#include <gtest/gtest.h>

#include <cmath>  // acos, cos, sin
#include <string_view>
#include <vector>

#include "device/functors/named.hpp"  // names_numbers, names_operands

namespace {

using namespace wingbeat::device;
using functors::exchange_numbers;
using functors::rank_shares;
using functor = functors::exchange_store<float>;

TEST(functors_exchange_store, finds_the_rank_of_an_index_in_its_share) {
  for (size length = 1; length < 12; ++length) {
    for (size ranks = 1; ranks < 9; ++ranks) {
      const rank_shares shares{length, ranks};
      for (size rank = 0, index = 0; rank < ranks; ++rank) {
        EXPECT_EQ(shares.begin(rank), index);
        for (size i = 0; i < shares.count(rank); ++i) EXPECT_EQ(shares.rank_of(index++), rank);
      }
    }
  }
}

/// Stores every element of an array [2][first][second][z], cut along one of two axes, from all
/// ranks; the value is its index. Ranks then have it cut along the other one.
void expect_exchange(size ranks, bool cuts_first, bool rest_in_row, bool cut_in_row) {
  const size first = 5, second = 7, rest = 3;
  const size cut = cuts_first ? first : second, whole = cuts_first ? second : first;
  const rank_shares before{whole, ranks}, after{cut, ranks};
  std::vector<std::vector<complex<float>>> memory;
  for (size rank = 0; rank < ranks; ++rank) {
    memory.emplace_back(2 * after.count(rank) * whole * rest + 1, complex<float>{-1, 0});
  }
  for (size rank = 0; rank < ranks; ++rank) {
    const exchange_numbers n{.cut = cut,
                             .ranks = ranks,
                             .whole = whole,
                             .own = before.count(rank),
                             .rest = rest,
                             .cuts_first = cuts_first,
                             .rest_in_row = rest_in_row,
                             .cut_in_row = cut_in_row};
    functor::operands given{};
    given.rank = rank;
    given.begin = given.peer_begin = before.begin(rank);
    complex<float>** peer = &given.peer_0;
    for (size other = 0; other < ranks; ++other) {
      if (other != rank) *peer++ = memory[other].data();
    }
    for (size b = 0; b < 2; ++b) {
      for (size own = 0; own < n.own; ++own) {
        for (size index = 0; index < cut; ++index) {
          for (size z = 0; z < rest; ++z) {
            const size row = cut_in_row    ? (b * cut + index) * n.own + own
                             : rest_in_row ? (b * n.own + own) * rest + z
                                           : b * n.own + own;
            const size i = cut_in_row ? z : rest_in_row ? index : index * rest + z;
            const size place = given.begin + own;
            const size y = cuts_first ? index : place, x = cuts_first ? place : index;
            const auto number = static_cast<float>(((b * first + y) * second + x) * rest + z);
            functor{n, memory[rank].data(), given, row}.store(i, {number, 0});
          }
        }
      }
    }
  }
  for (size rank = 0; rank < ranks; ++rank) {
    size next = 0;
    for (size b = 0; b < 2; ++b) {
      for (size y = 0; y < first; ++y) {
        for (size x = 0; x < second; ++x) {
          if (after.rank_of(cuts_first ? y : x) != rank) continue;
          for (size z = 0; z < rest; ++z) {
            const auto number = static_cast<float>(((b * first + y) * second + x) * rest + z);
            ASSERT_EQ(memory[rank][next++].re, number) << "rank " << rank << " of " << ranks;
          }
        }
      }
    }
    EXPECT_EQ(memory[rank][next].re, -1) << "nothing behind its part";
  }
}

TEST(functors_exchange_store, moves_the_cut_from_one_axis_to_the_other) {
  for (size ranks = 1; ranks <= functors::max_exchange_ranks; ++ranks) {
    for (const bool cuts_first : {false, true}) {
      for (const bool rest_in_row : {false, true}) {
        expect_exchange(ranks, cuts_first, rest_in_row, false);
      }
      expect_exchange(ranks, cuts_first, false, true);
    }
  }
}

TEST(functors_exchange_store, packs_what_is_for_others) {
  // Rank 1 of 2 has places 2 .. 4 of 5, and stores 4 indices for rank 0, 3 of its own.
  for (const bool cuts_first : {false, true}) {
    const exchange_numbers n{
        .cut = 7, .ranks = 2, .whole = 5, .own = 2, .cuts_first = cuts_first, .is_packed = true};
    std::vector<complex<float>> own(3 * 5), packed(4 * 2);
    functor::operands given{};
    given.rank = 1;
    given.begin = 3;
    given.peer_0 = packed.data();
    for (size place = 0; place < 2; ++place) {
      for (size i = 0; i < 7; ++i) {
        const auto number = static_cast<float>(10 * i + place + 1);
        functor{n, own.data(), given, place}.store(i, {number, 0});
      }
    }
    for (size place = 0; place < 2; ++place) {
      for (size i = 0; i < 7; ++i) {
        const auto number = static_cast<float>(10 * i + place + 1);
        const size whole = i < 4 ? 2 : 5, at = i < 4 ? place : 3 + place;
        const size count = i < 4 ? 4 : 3, offset = i < 4 ? i : i - 4;
        const auto& memory = i < 4 ? packed : own;
        EXPECT_EQ(memory[cuts_first ? offset * whole + at : at * count + offset].re, number);
      }
    }
  }
}

TEST(functors_exchange_store, packs_for_more_ranks_than_it_has_pointers) {
  // Rank 5 of 20 has places 3 and 4 of 40; of 23 indices ranks 0 .. 2 have two each, others one.
  for (const bool cuts_first : {false, true}) {
    const exchange_numbers n{.cut = 23,
                             .ranks = 20,
                             .whole = 40,
                             .own = 2,
                             .rest = 3,
                             .cuts_first = cuts_first,
                             .is_packed = true,
                             .batch = 2};
    std::vector<complex<float>> own(2 * 40 * 3), packed(2 * 22 * 2 * 3);
    functor::operands given{};
    given.rank = 5;
    given.begin = 3;
    given.peer_0 = packed.data();
    const functors::rank_shares shares{n.cut, n.ranks};
    const auto number = [](size b, size place, size i, size z) {
      return static_cast<float>(((b * 2 + place) * 23 + i) * 3 + z + 1);
    };
    for (size row = 0; row < 4; ++row) {
      for (size i = 0; i < 23 * 3; ++i) {
        functor{n, own.data(), given, row}.store(i, {number(row / 2, row % 2, i / 3, i % 3), 0});
      }
    }
    size next = 0;
    for (size rank = 0; rank < n.ranks; ++rank) {
      const size count = shares.count(rank);
      for (size b = 0; b < 2; ++b) {
        for (size line = 0; line < 2 * count; ++line) {
          const size place = cuts_first ? line % 2 : line / count;
          const size offset = cuts_first ? line / 2 : line % count;
          for (size z = 0; z < 3; ++z) {
            const float stored =
                rank == 5 ? own[(b * 40 + 3 + place) * 3 + z].re : packed[next++].re;
            EXPECT_EQ(stored, number(b, place, shares.begin(rank) + offset, z)) << rank;
          }
        }
      }
    }
    EXPECT_EQ(next, packed.size());
  }
}

TEST(functors_exchange_store, leaves_gaps_between_blocks) {
  // Rank 0 has places 0 .. 5 of 12, of which rows 1, 2 and 4, 5 are stored.
  const exchange_numbers n{
      .cut = 4, .ranks = 2, .whole = 12, .own = 4, .block = 2, .block_stride = 3};
  std::vector<complex<float>> own(2 * 12), peer(2 * 12);
  functor::operands given{};
  given.begin = given.peer_begin = 1;
  given.peer_0 = peer.data();
  for (size row = 0; row < 4; ++row) {
    for (size i = 0; i < 4; ++i) {
      functor{n, own.data(), given, row}.store(i, {static_cast<float>(10 * row + i + 1), 0});
    }
  }
  const size places[] = {1, 2, 4, 5};
  for (size row = 0; row < 4; ++row) {
    for (size i = 0; i < 4; ++i) {
      const auto& memory = i < 2 ? own : peer;
      EXPECT_EQ(memory[places[row] * 2 + i % 2].re, static_cast<float>(10 * row + i + 1));
    }
  }
  EXPECT_EQ(own[0].re, 0);
  EXPECT_EQ(own[2 * 3].re, 0);
}

TEST(functors_exchange_store, multiplies_by_the_root_of_both_places) {
  const size first = 6, second = 5, n = first * second;
  const unsigned fine_bits = 3;
  std::vector<complex<float>> roots;
  const auto add = [&](size e) {
    const double angle = -2 * std::acos(-1.0) * static_cast<double>(e) / n;
    roots.push_back({static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))});
  };
  for (size e = 0; e < 8; ++e) add(e);
  for (size e = 0; e < n; e += 8) add(e);
  for (const bool is_inverse : {false, true}) {
    exchange_numbers numbers{.cut = first, .whole = second, .own = second, .cuts_first = true};
    numbers.has_twiddles = true;
    numbers.is_inverse = is_inverse;
    numbers.fine_bits = fine_bits;
    std::vector<complex<float>> memory(n);
    functor::operands given{};
    given.roots = roots.data();
    for (size place = 0; place < second; ++place) {
      for (size i = 0; i < first; ++i) {
        functor{numbers, memory.data(), given, place}.store(i, {2, 0});
        const double angle = 2 * std::acos(-1.0) * static_cast<double>(i * place) / n;
        EXPECT_NEAR(memory[i * second + place].re, 2 * std::cos(angle), 1e-6);
        EXPECT_NEAR(memory[i * second + place].im, (is_inverse ? 2 : -2) * std::sin(angle), 1e-6);
      }
    }
  }
}

TEST(functors_exchange_store, names_its_members) {
  EXPECT_TRUE((ends::has_members<exchange_numbers, 15>));
  EXPECT_TRUE(wingbeat::test::names_numbers(exchange_numbers{}, 15));
  exchange_numbers n{};
  n.ranks = functors::max_exchange_ranks;
  n.has_twiddles = true;
  EXPECT_TRUE((wingbeat::test::names_operands<functor, 19>(n)));
  ++n.ranks;
  int n_named = 0;
  functor::operands::each(n, [&](std::string_view, auto) { ++n_named; });
  EXPECT_EQ(n_named, 5) << "one for all others";
}

}  // namespace
