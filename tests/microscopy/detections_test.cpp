// SPDX-License-Identifier: Apache-2.0
// z scores, thresholds and detections of states whose sums are known.
#include "microscopy/detections.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>  // sort
#include <bit>        // bit_cast
#include <cmath>      // erfc, sqrt

#include "support/refusal.hpp"  // refusal

namespace {

using namespace wingbeat;
using namespace wingbeat::microscopy;
using namespace wingbeat::test;
using ::testing::HasSubstr;

/// Scores of each place in the order of the templates, as a search keeps them.
search_state state_of(const std::vector<std::vector<float>>& scores, std::size_t width) {
  search_state state{.height = scores.size() / width,
                     .width = width,
                     .templates = scores.front().size(),
                     .sums = std::vector<double>(2 * scores.size())};
  for (std::size_t place = 0; place < scores.size(); ++place) {
    std::uint64_t key = 0;
    for (std::size_t number = 0; number < scores[place].size(); ++number) {
      const float score = scores[place][number];
      const auto bits = std::bit_cast<std::uint32_t>(score);
      const std::uint32_t ascending = score < 0 ? ~bits : bits | 0x80000000U;
      key = std::max(key, std::uint64_t{ascending} << 32 | (0xffffffffU - number));
      state.sums[place] += score;
      state.sums[scores.size() + place] += double{score} * score;
    }
    state.keys.push_back(key);
  }
  return state;
}

TEST(detections, z_counts_deviations_from_the_mean) {
  const score_maps maps = maps_of(state_of({{1, 2, 3, 10}, {-4, -4, -4, -4}}, 2));
  EXPECT_EQ(maps.largest, (std::vector<float>{10, -4}));
  EXPECT_EQ(maps.numbers, (std::vector<std::uint32_t>{3, 0}));
  EXPECT_EQ(maps.mean, (std::vector<float>{4, -4}));
  // squares: (1 + 4 + 9 + 100) / 4 - 16 = 12.5
  EXPECT_FLOAT_EQ(maps.deviation[0], std::sqrt(12.5F));
  EXPECT_FLOAT_EQ(maps.z[0], 6 / std::sqrt(12.5F));
  EXPECT_EQ(maps.z[1], 0) << "of a deviation of 0";
  search_state no_sums = state_of({{1, 2}}, 1);
  no_sums.sums.clear();
  EXPECT_THAT(refusal([&] { (void)maps_of(no_sums); }), HasSubstr("keeps no moments"));
}

TEST(detections, thresholds_leave_that_many_false_positives) {
  constexpr double places = 3585.0 * 3585;
  EXPECT_NEAR(threshold_of(1, places * 1584480 * 13), 7.7748, 5e-5);
  EXPECT_NEAR(threshold_of(1, places * 1584480), 7.4433, 5e-5);
  EXPECT_NEAR(threshold_of(1, places * 1e5), 7.07, 5e-3);
  for (const double f : {1e-200, 1e-9, 1e-3, 0.1, 0.3, 0.5}) {
    EXPECT_NEAR(std::erfc(threshold_of(f, 1) / std::sqrt(2)) / (2 * f), 1, 1e-10) << f;
  }
  for (const double f : {0.0, -1.0, 51.0, std::nan("")}) {
    EXPECT_THAT(refusal([&] { (void)threshold_of(f, 100); }), HasSubstr("false positives")) << f;
  }
}

score_maps maps_of_z(const std::vector<float>& z, std::size_t width) {
  score_maps maps{z.size() / width, width, z, z, z, z, {}};
  for (std::size_t i = 0; i < z.size(); ++i) {
    maps.largest[i] += 100, maps.mean[i] += 200, maps.deviation[i] += 300;
    maps.numbers.push_back(static_cast<std::uint32_t>(i) + 1000);
  }
  return maps;
}

TEST(detections, are_highest_first_and_above_the_threshold) {
  const score_maps maps = maps_of_z({8, 0, 0, 0, 0, 9, 0, 0, 7.5F, 0}, 5);
  const auto found = detections_of(maps, 1, {.threshold = 7.5, .radius = 1});
  ASSERT_EQ(found.size(), 2);
  EXPECT_EQ(found[0].score, 9);
  EXPECT_EQ(found[0].number, 1005);
  EXPECT_EQ(found[0].y, 1);
  EXPECT_EQ(found[0].x, 0);
  EXPECT_EQ(found[0].largest, 109);
  EXPECT_EQ(found[0].mean, 209);
  EXPECT_EQ(found[0].deviation, 309);
  EXPECT_EQ(detections_of(maps, 1, {.threshold = 7.4, .radius = 1}).size(), 3);
  EXPECT_EQ(detections_of(maps, 1, {.threshold = 7.4, .radius = 1.5}).size(), 2);
  EXPECT_EQ(detections_of(maps, 1, {.threshold = 7.4, .radius = 1, .most = 1}).size(), 1);
}

TEST(detections, thresholds_count_places_and_templates) {
  // 10 places and 1000 templates: one of 10,000 exceeds 3.719.
  const score_maps maps = maps_of_z({3.73F, 0, 0, 0, 0, 0, 0, 0, 0, 3.71F}, 10);
  EXPECT_EQ(detections_of(maps, 1000, {}).size(), 1);
  EXPECT_EQ(detections_of(maps, 1000, {.false_positives = 2}).size(), 2);
  EXPECT_EQ(detections_of(maps, 2000, {}).size(), 0);
}

TEST(detections, numbers_decode_to_orientation_defocus_and_aberration) {
  const search_space space{
      orientation_grid{{.psi_step = 90, .theta_step = 60}}, {-100, 0, 100}, {2.7, 2.8}};
  ASSERT_EQ(space.n_filters(), 6);
  const auto point = space.at(4 * 6 + 5);
  EXPECT_EQ(point.angles.theta, 60);
  EXPECT_EQ(point.angles.psi, 0);
  EXPECT_EQ(point.defocus_offset, 100);
  EXPECT_EQ(point.spherical_aberration, 2.8);
  EXPECT_EQ(space.at(3).spherical_aberration, 2.8);
  EXPECT_EQ(space.at(3).defocus_offset, -100);
  EXPECT_EQ(space.at(3 * 6).angles.psi, 270);
  EXPECT_THAT(refusal([&] { (void)space.at(48 * 6); }), HasSubstr("template 288 is none of 48"));
  // Leopard-EM's search is [aberration][defocus][psi][direction].
  EXPECT_EQ(space.leopard_number(4 * 6 + 5), 5 * 48 + 1);
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < 288; ++i) numbers.push_back(space.leopard_number(i));
  std::sort(numbers.begin(), numbers.end());
  for (std::size_t i = 0; i < 288; ++i) EXPECT_EQ(numbers[i], i);
}

}  // namespace
