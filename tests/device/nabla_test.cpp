// SPDX-License-Identifier: Apache-2.0
// Oracle: the radix-2 transform that trades a low or a high element after each butterfly, followed
// element by element: which frequencies may still come out of each, until one is left.
#include "wingbeat/device/nabla.hpp"

#include <gtest/gtest.h>

#include <numeric>  // iota
#include <string>
#include <utility>  // pair, swap
#include <vector>

namespace {

using namespace wingbeat::device;
using namespace nabla;

/// Elements by g = l T + t. Element g ends as one of the frequencies residue, residue + step, ...
struct traced {
  explicit traced(index_map map)
      : workgroup(map.workgroup()), lane(map.length()), residue(map.length(), 0) {
    std::iota(lane.begin(), lane.end(), 0u);
  }

  // Decimation in frequency: the sum keeps the even frequencies, the difference the odd ones.
  void butterfly(unsigned low, unsigned high, unsigned stride) {
    ASSERT_EQ(lane[high], lane[low] + stride) << "not a pair of a transform of 2 x " << stride;
    ASSERT_EQ(residue[high], residue[low]);
    residue[high] += unsigned(lane.size()) / (2 * stride);
  }

  void trade(unsigned low_of_one, unsigned high_of_other) {
    std::swap(lane[low_of_one], lane[high_of_other]);
    std::swap(residue[low_of_one], residue[high_of_other]);
  }

  unsigned workgroup;
  std::vector<unsigned> lane, residue;  // [g]
};

void transform_pairs(traced& x, unsigned first) {
  const unsigned t_end = x.workgroup;
  for (unsigned t = 0; t < t_end; ++t) x.butterfly(first + t, first + t_end + t, t_end);
  for (unsigned s = t_end / 2; s > 0; s /= 2) {
    for (unsigned t = 0; t < t_end; ++t) {
      // The thread without the bit gives its high element for the low one of the thread with it.
      if ((t & s) == 0) x.trade(first + t_end + t, first + (t ^ s));
    }
    for (unsigned t = 0; t < t_end; ++t) x.butterfly(first + t, first + t_end + t, s);
  }
}

std::vector<unsigned> frequencies_by_trading(index_map map) {
  traced x(map);
  for (unsigned stride = map.length() / 2; stride > x.workgroup; stride /= 2) {
    for (unsigned v = 0; v < map.length() / 2; ++v) {
      const unsigned low = v / stride * 2 * stride + v % stride;
      x.butterfly(low, low + stride, stride);
    }
  }
  for (unsigned g = 0; g < map.length(); g += 2 * x.workgroup) transform_pairs(x, g);
  return x.residue;
}

std::vector<index_map> all_maps() {
  std::vector<index_map> maps;
  for (unsigned e = 1; e <= 7; ++e) {
    for (unsigned w = 1; w <= 11 && e + w <= 16; ++w) maps.push_back({e, w});
  }
  return maps;
}

unsigned reversed_by_hand(unsigned x, unsigned n_bits) {
  unsigned y = 0;
  for (unsigned bit = 0; bit < n_bits; ++bit) y = 2 * y + (x >> bit & 1);
  return y;
}

template <class Function>
std::vector<unsigned> listed(unsigned n, Function function) {
  std::vector<unsigned> values;
  for (unsigned i = 0; i < n; ++i) values.push_back(function(i));
  return values;
}

using indices = std::vector<unsigned>;

std::string named(index_map map) {
  return "E " + std::to_string(map.elements_log2) + ", W " + std::to_string(map.workgroup_log2);
}

TEST(device_nabla, is_the_order_that_trading_leaves) {
  ASSERT_EQ(all_maps().size(), 74u);
  for (const index_map map : all_maps()) {
    const auto dft_index = [&](unsigned g) { return map.dft_index(g); };
    ASSERT_EQ(listed(map.length(), dft_index), frequencies_by_trading(map)) << named(map);
  }
}

TEST(device_nabla, maps_undo_each_other) {
  for (const index_map map : all_maps()) {
    for (unsigned i = 0; i < map.length(); ++i) {
      ASSERT_EQ(map.nabla_index(map.dft_index(i)), i) << named(map);
      ASSERT_EQ(map.dft_index(map.nabla_index(i)), i) << named(map);
      ASSERT_EQ(map.nabla_mirror_index(map.nabla_mirror_index(i)), i) << named(map);
      ASSERT_EQ(map.dft_mirror_index(map.dft_mirror_index(i)), i) << named(map);
    }
  }
}

TEST(device_nabla, mirrors_hold_opposite_frequencies) {
  for (const index_map map : all_maps()) {
    for (unsigned g = 0; g < map.length(); ++g) {
      const unsigned sum = map.dft_index(g) + map.dft_index(map.nabla_mirror_index(g));
      ASSERT_EQ(sum % map.length(), 0u) << named(map) << ", g " << g;
      ASSERT_EQ((g + map.dft_mirror_index(g)) % map.length(), 0u) << named(map);
      const bool is_alone = g == map.zero_index() || g == map.nyquist_index();
      ASSERT_EQ(map.nabla_mirror_index(g) == g, is_alone) << named(map) << ", g " << g;
    }
  }
}

TEST(device_nabla, mirrors_are_trades_of_one_thread_with_one) {
  for (const index_map map : all_maps()) {
    const unsigned n_threads = map.workgroup();
    for (unsigned g = 0; g < map.length(); ++g) {
      const unsigned l = g / n_threads, t = g % n_threads;
      const unsigned partner = map.mirror_thread(l, t);
      ASSERT_EQ(map.mirror_thread(l, partner), t) << named(map) << ", l " << l;
      ASSERT_EQ(map.mirror_element(map.mirror_element(l)), l) << named(map);
      // What the partner wants of t in this round is where t's own mirror lies with the partner.
      if (l < 2 && t == 0) continue;
      ASSERT_EQ(map.nabla_mirror_index(g), map.mirror_element(l) * n_threads + partner);
      ASSERT_EQ(map.nabla_mirror_index(l * n_threads + partner),
                map.mirror_element(l) * n_threads + t);
    }
    ASSERT_EQ(map.mirror_thread(0, 1), 1u);
  }
}

TEST(device_nabla, mirrors_of_the_first_pair_stay_among_32_threads_below_64) {
  constexpr index_map map{3, 8};
  for (unsigned t = 0; t < map.workgroup(); ++t) {
    EXPECT_EQ(map.mirror_thread(0, t) / 32 == t / 32, t < 64) << t;
    EXPECT_EQ(map.mirror_thread(5, t), 255 - t);
  }
}

TEST(device_nabla, zero_nyquist_and_the_lower_half_lie_where_promised) {
  for (const index_map map : all_maps()) {
    const unsigned half = map.length() / 2;
    ASSERT_EQ(map.dft_index(0), 0u);
    ASSERT_EQ(map.zero_index(), 0u);
    ASSERT_EQ(map.nyquist_index(), map.workgroup());
    ASSERT_EQ(map.dft_index(map.workgroup()), half) << named(map);
    for (unsigned r = 0; r < half; ++r) {
      const unsigned g = map.lower_half_index(r);
      ASSERT_EQ(g, r + r / map.workgroup() * map.workgroup()) << named(map);
      ASSERT_EQ(map.dft_index(g), reversed_by_hand(r, map.length_log2() - 1)) << named(map);
      ASSERT_EQ(map.dft_index(g + map.workgroup()), half + map.dft_index(g)) << named(map);
    }
  }
}

TEST(device_nabla, sixteen_points_in_pairs_of_eight_threads) {
  const index_map map{1, 3};
  const indices order{0, 4, 2, 6, 1, 5, 3, 7, 8, 12, 10, 14, 9, 13, 11, 15};
  const indices mirrors{0, 9, 11, 10, 15, 14, 13, 12, 8, 1, 3, 2, 7, 6, 5, 4};
  EXPECT_EQ(listed(16, [&](unsigned g) { return map.dft_index(g); }), order);
  EXPECT_EQ(listed(16, [&](unsigned f) { return map.nabla_index(f); }), order);
  EXPECT_EQ(listed(16, [&](unsigned g) { return map.nabla_mirror_index(g); }), mirrors);
}

TEST(device_nabla, sixteen_points_in_fours_of_four_threads) {
  const index_map map{2, 2};
  const indices order{0, 4, 2, 6, 8, 12, 10, 14, 1, 5, 3, 7, 9, 13, 11, 15};
  const indices inverse{0, 8, 2, 10, 1, 9, 3, 11, 4, 12, 6, 14, 5, 13, 7, 15};
  const indices mirrors{0, 5, 7, 6, 4, 1, 3, 2, 15, 14, 13, 12, 11, 10, 9, 8};
  EXPECT_EQ(listed(16, [&](unsigned g) { return map.dft_index(g); }), order);
  EXPECT_EQ(listed(16, [&](unsigned f) { return map.nabla_index(f); }), inverse);
  EXPECT_EQ(listed(16, [&](unsigned g) { return map.nabla_mirror_index(g); }), mirrors);
}

TEST(device_nabla, places_the_tone_that_others_are_checked_by) {
  EXPECT_EQ((index_map{1, 5}.nabla_index(5)), 20u);
  EXPECT_EQ((index_map{2, 5}.nabla_index(5)), 72u);
  EXPECT_EQ((index_map{3, 6}.nabla_index(5)), 288u);
}

TEST(device_nabla, reaches_the_longest_index) {
  for (const index_map map :
       {index_map{1, 30}, index_map{20, 11}, index_map{30, 1}, index_map{1, 0}, index_map{31, 0}}) {
    const unsigned last = map.length() - 1;
    for (const unsigned g : {0u, 1u, last / 3, last / 2, last / 2 + 1, last - 1, last}) {
      if (g > last) continue;
      EXPECT_EQ(map.nabla_index(map.dft_index(g)), g) << named(map);
      EXPECT_EQ(map.dft_index(map.nabla_mirror_index(g)), map.dft_mirror_index(map.dft_index(g)))
          << named(map);
    }
    EXPECT_EQ(map.dft_index(last), last) << named(map);
  }
}

struct choice {
  unsigned max_workgroup;
  size length;
  unsigned subgroup, elements_log2, workgroup_log2;
};

TEST(device_nabla, chooses_the_parameters_of_nabla) {
  for (const choice& c : std::vector<choice>{{512, 33, 32, 1, 5},
                                             {512, 64, 32, 1, 5},
                                             {512, 65, 32, 1, 6},
                                             {512, 1024, 32, 1, 9},
                                             {512, 1025, 32, 2, 9},
                                             {512, 2049, 32, 3, 9},
                                             {512, 65536, 32, 7, 9},
                                             {256, 1024, 32, 2, 8},
                                             {1024, 2048, 32, 1, 10},
                                             {1000, 2048, 32, 2, 9},
                                             {512, 65, 64, 1, 6},
                                             {4, 8, 4, 1, 2},
                                             {48, 64, 32, 1, 5},
                                             {32, size{1} << 31, 32, 26, 5}}) {
    const auto [e, w] = optimal_parameters(c.max_workgroup, c.length, c.subgroup);
    EXPECT_EQ(e, c.elements_log2) << c.max_workgroup << ", " << c.length << ", " << c.subgroup;
    EXPECT_EQ(w, c.workgroup_log2) << c.max_workgroup << ", " << c.length << ", " << c.subgroup;
    EXPECT_TRUE((nabla::parameters{e, w}.is_valid()));
  }
}

TEST(device_nabla, has_no_parameters_for_less_than_a_subgroup_of_pairs) {
  for (const choice& c : std::vector<choice>{{512, 32, 32, 0, 0},
                                             {512, 64, 64, 0, 0},
                                             {16, 2048, 32, 0, 0},
                                             {512, 100, 2, 0, 0},
                                             {512, 1, 4, 0, 0},
                                             {512, 0, 4, 0, 0},
                                             {0, 64, 32, 0, 0},
                                             {0, 0, 0, 0, 0},
                                             {60, 100, 48, 0, 0},
                                             {512, (size{1} << 31) + 1, 32, 0, 0},
                                             {512, ~size{0}, 32, 0, 0}}) {
    const auto got = optimal_parameters(c.max_workgroup, c.length, c.subgroup);
    EXPECT_FALSE(got.is_valid()) << c.max_workgroup << ", " << c.length << ", " << c.subgroup;
    EXPECT_EQ(got.elements_log2 + got.workgroup_log2, 0u);
  }
}

TEST(device_nabla, knows_parameters_that_make_no_transform) {
  EXPECT_TRUE((nabla::parameters{1, 1}.is_valid()));
  EXPECT_TRUE((nabla::parameters{1, 30}.is_valid()));
  for (const auto& [e, w] : {std::pair{0u, 5u}, {5u, 0u}, {16u, 16u}, {1u, ~0u}, {~0u, 5u}}) {
    EXPECT_FALSE((nabla::parameters{e, w}.is_valid())) << e << ", " << w;
  }
}

// As a kernel uses them: known when it is compiled.
static_assert(index_map{3, 5}.dft_index(index_map{3, 5}.nabla_index(77)) == 77);
static_assert(index_map{3, 5}.mirror_element(4) == 7);
static_assert(optimal_parameters(512, 2049, 32).elements_log2 == 3);

}  // namespace
