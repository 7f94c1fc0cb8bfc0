// SPDX-License-Identifier: Apache-2.0
// Oracle: a radix-2 transform in place, with decimation in frequency, followed position by
// position: which frequencies may still come out of each, until one is left. Thread t then holds
// the positions t 2^E to t 2^E + 2^E - 1.
#include "wingbeat/device/scrambled.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace {

using namespace wingbeat::device;
using namespace scrambled;

std::vector<unsigned> frequencies_in_place(unsigned length) {
  std::vector<unsigned> residue(length, 0);  // the frequencies left: residue plus multiples
  for (unsigned stride = length / 2; stride > 0; stride /= 2) {
    for (unsigned high = 0; high < length; ++high) {
      if ((high & stride) != 0) residue[high] += length / (2 * stride);
    }
  }
  return residue;
}

std::vector<index_map> all_maps() {
  std::vector<index_map> maps;
  for (unsigned e = 0; e <= 7; ++e) {
    for (unsigned w = 0; w <= 11 && e + w <= 16; ++w) maps.push_back({e, w});
  }
  return maps;
}

std::string named(index_map map) {
  return "E " + std::to_string(map.elements_log2) + ", W " + std::to_string(map.threads_log2);
}

TEST(device_scrambled, is_the_order_that_the_last_stage_leaves_in_each_thread) {
  for (const index_map map : all_maps()) {
    const auto expected = frequencies_in_place(map.length());
    for (unsigned t = 0; t < map.threads(); ++t) {
      for (unsigned l = 0; l < map.elements(); ++l) {
        ASSERT_EQ(map.dft_index(l * map.threads() + t), expected[t * map.elements() + l])
            << named(map) << ", l " << l << ", t " << t;
      }
    }
  }
}

TEST(device_scrambled, is_its_own_inverse) {
  for (const index_map map : all_maps()) {
    for (unsigned i = 0; i < map.length(); ++i) {
      ASSERT_EQ(map.dft_index(map.dft_index(i)), i) << named(map);
      ASSERT_EQ(map.scrambled_index(i), map.dft_index(i)) << named(map);
    }
  }
}

TEST(device_scrambled, mirrors_hold_opposite_frequencies) {
  for (const index_map map : all_maps()) {
    for (unsigned g = 0; g < map.length(); ++g) {
      const unsigned other = map.scrambled_mirror_index(g);
      ASSERT_LT(other, map.length()) << named(map);
      ASSERT_EQ(map.dft_index(other), map.dft_mirror_index(map.dft_index(g))) << named(map);
      ASSERT_EQ(map.scrambled_mirror_index(other), g) << named(map);
      ASSERT_EQ((map.dft_index(g) + map.dft_index(other)) % map.length(), 0u) << named(map);
    }
  }
}

TEST(device_scrambled, mirrors_are_trades_of_one_thread_with_one) {
  for (const index_map map : all_maps()) {
    for (unsigned t = 0; t < map.threads(); ++t) {
      ASSERT_EQ(map.mirror_thread(map.mirror_thread(t)), t) << named(map);
      for (unsigned l = 0; l < map.elements(); ++l) {
        ASSERT_EQ(map.mirror_element(map.mirror_element(l, t), t), l) << named(map);
        if (t > 0) {
          ASSERT_EQ(map.mirror_element(l, t), map.elements() - 1 - l);
        }
      }
    }
  }
}

TEST(device_scrambled, zero_nyquist_and_the_lower_half_lie_where_promised) {
  for (const index_map map : all_maps()) {
    const unsigned half = map.length() / 2;
    ASSERT_EQ(map.dft_index(map.zero_index()), 0u);
    if (half == 0) continue;
    ASSERT_EQ(map.dft_index(map.nyquist_index()), half) << named(map);
    if (map.elements_log2 == 0) continue;
    std::set<unsigned> lower;
    for (unsigned r = 0; r < half; ++r) {
      const unsigned g = map.lower_half_index(r);
      ASSERT_EQ(g, r + r / map.threads() * map.threads());
      ASSERT_LT(map.dft_index(g), half) << named(map);
      ASSERT_EQ(map.dft_index(g + map.threads()), half + map.dft_index(g)) << named(map);
      lower.insert(map.dft_index(g));
    }
    ASSERT_EQ(lower.size(), half) << named(map);
  }
}

TEST(device_scrambled, sixteen_points_in_fours_of_four_threads) {
  constexpr index_map map{2, 2};
  const std::vector<unsigned> order{0, 2, 1, 3, 8, 10, 9, 11, 4, 6, 5, 7, 12, 14, 13, 15};
  const std::vector<unsigned> mirrors{0, 13, 15, 14, 4, 9, 11, 10, 12, 5, 7, 6, 8, 1, 3, 2};
  for (unsigned g = 0; g < 16; ++g) {
    EXPECT_EQ(map.dft_index(g), order[g]) << g;
    EXPECT_EQ(map.scrambled_mirror_index(g), mirrors[g]) << g;
  }
}

TEST(device_scrambled, reaches_the_longest_index) {
  for (const index_map map : {index_map{0, 31}, index_map{5, 26}, index_map{31, 0}}) {
    const unsigned last = map.length() - 1;
    for (const unsigned g : {0u, 1u, last / 3, last / 2, last / 2 + 1, last - 1, last}) {
      EXPECT_EQ(map.dft_index(map.dft_index(g)), g) << named(map);
      EXPECT_EQ(map.dft_index(map.scrambled_mirror_index(g)),
                map.dft_mirror_index(map.dft_index(g)))
          << named(map);
    }
    EXPECT_EQ(map.dft_index(last), last) << named(map);
  }
}

/// The same by radices, not all 2: each stage parts every stretch of positions by a digit.
std::vector<unsigned> frequencies_in_place(const radix_list& primes) {
  std::vector<unsigned> residue(primes.product(), 0);
  unsigned step = 1;  // between the frequencies that are left
  for (unsigned i = 0; i < primes.count; ++i) {
    for (unsigned p = 0; p < residue.size(); ++p) {
      residue[p] += p / primes.place_value(i) % primes.radices[i] * step;
    }
    step *= primes.radices[i];
  }
  return residue;
}

radix_list listed(std::vector<unsigned> primes) {
  radix_list list;
  for (const unsigned p : primes) list.add(p);
  return list;
}

TEST(device_scrambled_digits, are_those_of_positions) {
  for (const digit_map& map :
       {digit_map{10, 10, listed({2, 5, 2, 5})}, digit_map{6, 9, listed({2, 3, 3, 3})},
        digit_map{30, 12, listed({2, 3, 5, 2, 2, 3})}, digit_map{7, 7, listed({7, 7})},
        digit_map{15, 1, listed({3, 5})}, digit_map{1, 1, {}}}) {
    const auto expected = frequencies_in_place(map.digits);
    std::set<unsigned> result;
    for (unsigned g = 0; g < map.length(); ++g) {
      const unsigned f = map.dft_index(g), t = g % map.threads, l = g / map.threads;
      ASSERT_EQ(f, expected[t * map.elements + l]) << map.length() << ", " << g;
      ASSERT_EQ(map.scrambled_index(f), g) << map.length();
      const unsigned other = map.scrambled_mirror_index(g);
      ASSERT_EQ((map.dft_index(other) + f) % map.length(), 0u) << map.length();
      ASSERT_EQ(map.scrambled_mirror_index(other), g) << map.length();
      result.insert(f);
    }
    EXPECT_EQ(result.size(), map.length());
    EXPECT_EQ(map.dft_index(map.zero_index()), 0u);
    if (map.length() % 2 == 0) {
      EXPECT_EQ(map.dft_index(map.nyquist_index()), map.length() / 2);
    }
  }
}

TEST(device_scrambled_digits, are_bits_in_closed_form) {
  for (const index_map map : all_maps()) {
    const digit_map digits{map.elements(), map.threads(), prime_factors(map.length())};
    for (unsigned g = 0; g < map.length(); ++g) {
      ASSERT_EQ(digits.dft_index(g), map.dft_index(g)) << named(map);
      ASSERT_EQ(digits.scrambled_index(g), map.scrambled_index(g)) << named(map);
    }
  }
}

// As a kernel uses it: known when it is compiled.
static_assert(index_map{3, 5}.scrambled_index(index_map{3, 5}.dft_index(77)) == 77);
static_assert(index_map{3, 5}.mirror_thread(9) == 14);

}  // namespace
