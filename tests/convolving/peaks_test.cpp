// SPDX-License-Identifier: Apache-2.0
// Peaks of maps against the definition: of all places left, the highest, of equals the first; then
// none closer than the distance.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>  // max
#include <cmath>      // nan
#include <cstdlib>
#include <functional>
#include <limits>
#include <random>

#include "support/refusal.hpp"  // refusal
#include "wingbeat/template_search.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;

constexpr double lowest = -std::numeric_limits<double>::infinity();
constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

using closeness = std::function<bool(double y, double x)>;

closeness within_square(std::size_t distance) {
  return [=](double y, double x) { return std::max(y, x) < static_cast<double>(distance); };
}
closeness within_disc(double radius) {
  return [=](double y, double x) { return y * y + x * x < radius * radius; };
}

/// Looks at every place for every peak.
std::vector<peak> peaks_by_definition(const std::vector<float>& scores, std::size_t width,
                                      std::size_t most, double least, const closeness& are_close) {
  const auto apart = [](std::size_t a, std::size_t b) {
    return static_cast<double>(a > b ? a - b : b - a);
  };
  std::vector<peak> peaks;
  std::vector<bool> is_left(scores.size(), true);
  while (peaks.size() < most) {
    const std::size_t none = scores.size();
    std::size_t best = none;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if (!is_left[i] || !(double{scores[i]} >= least)) continue;
      if (best == none || scores[i] > scores[best]) best = i;
    }
    if (best == none) break;
    peaks.push_back({scores[best], best + 7, best / width, best % width});
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const bool is_close =
          are_close(apart(i / width, best / width), apart(i % width, best % width));
      if (is_close || i == best) is_left[i] = false;
    }
  }
  return peaks;
}

std::vector<std::uint32_t> numbers_of(std::size_t count) {
  std::vector<std::uint32_t> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<std::uint32_t>(i + 7);
  return numbers;
}

void expect_same(const std::vector<peak>& got, const std::vector<peak>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i].score, expected[i].score) << "peak " << i;
    ASSERT_EQ(got[i].number, expected[i].number) << "peak " << i;
    ASSERT_EQ(got[i].y, expected[i].y) << "peak " << i;
    ASSERT_EQ(got[i].x, expected[i].x) << "peak " << i;
  }
}

/// A map with few different scores, so that many are equal, and with scores that are not numbers.
std::vector<float> map_with_ties(std::size_t count, std::mt19937& random) {
  std::vector<float> scores(count);
  for (float& score : scores) {
    const auto draw = static_cast<int>(random() % 12);
    score = draw == 0   ? std::numeric_limits<float>::quiet_NaN()
            : draw == 1 ? -0.0F
                        : static_cast<float>(draw - 5);
  }
  return scores;
}

TEST(peaks, agree_with_the_definition_over_ties_and_scores_that_are_no_numbers) {
  std::mt19937 random{1};
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t width = 1 + random() % 20, height = 1 + random() % 20;
    const auto scores = map_with_ties(width * height, random);
    const std::size_t most = random() % 3 == 0 ? unlimited : random() % 30;
    const double least = random() % 2 == 0 ? lowest : 2.0;
    const std::size_t distance = random() % 6;
    SCOPED_TRACE(testing::Message() << width << " x " << height << ", most " << most << ", least "
                                    << least << ", distance " << distance);
    expect_same(peaks_of(scores, numbers_of(scores.size()), width, most, least, distance),
                peaks_by_definition(scores, width, most, least, within_square(distance)));
    const double radius = 0.5 * static_cast<double>(random() % 14);
    expect_same(separated_peaks(scores, numbers_of(scores.size()), width, most, least, radius),
                peaks_by_definition(scores, width, most, least, within_disc(radius)));
  }
}

TEST(peaks, agree_with_the_definition_where_many_places_are_sorted_in_parts) {
  std::mt19937 random{2};
  const std::size_t width = 160;
  std::vector<float> slope(width * 120), noise(slope.size());
  for (std::size_t i = 0; i < slope.size(); ++i) {
    // One broad hill: the best places are all close to each other.
    const auto y = static_cast<float>(i / width) - 60, x = static_cast<float>(i % width) - 80;
    slope[i] = -(y * y + x * x);
    noise[i] = static_cast<float>(random() % 1000);
  }
  for (const auto& scores : {slope, noise}) {
    for (const std::size_t distance : {1, 9, 40}) {
      expect_same(peaks_of(scores, numbers_of(scores.size()), width, 12, lowest, distance),
                  peaks_by_definition(scores, width, 12, lowest, within_square(distance)));
    }
  }
}

TEST(peaks, keep_a_distance_in_both_axes_and_are_highest_first) {
  const std::vector<float> scores{9, 8, 0, 0, 0,  //
                                  7, 0, 0, 0, 6,  //
                                  0, 0, 5, 0, 0};
  const auto peaks = peaks_of(scores, numbers_of(15), 5, 10, 1, 2);
  ASSERT_EQ(peaks.size(), 3U);
  EXPECT_EQ(peaks[0].score, 9);
  EXPECT_EQ(peaks[1].score, 6);
  EXPECT_EQ(peaks[1].y, 1U);
  EXPECT_EQ(peaks[1].x, 4U);
  EXPECT_EQ(peaks[2].score, 5);
  EXPECT_EQ(peaks_of(scores, numbers_of(15), 5, 10, 1, 0).size(), 5U);
  EXPECT_EQ(peaks_of(scores, numbers_of(15), 5, 10, 1, 1).size(), 5U);
  EXPECT_EQ(peaks_of(scores, numbers_of(15), 5, 10, 1, unlimited).size(), 1U);
}

TEST(peaks, are_separated_in_straight_lines) {
  // From (0, 0): (3, 4) is 5 away, (3, 3) and (4, 2) are nearer.
  std::vector<float> scores(5 * 6);
  scores[0] = 9, scores[3 * 6 + 4] = 8, scores[3 * 6 + 3] = 7, scores[4 * 6 + 2] = 6;
  const auto peaks = separated_peaks(scores, numbers_of(30), 6, 10, 1, 5);
  ASSERT_EQ(peaks.size(), 2U);
  EXPECT_EQ(peaks[1].score, 8);
  EXPECT_EQ(separated_peaks(scores, numbers_of(30), 6, 10, 1, 5.01).size(), 1U);
  EXPECT_EQ(separated_peaks(scores, numbers_of(30), 6, 10, 1, 0).size(), 4U);
  EXPECT_EQ(separated_peaks(scores, numbers_of(30), 6, 10, 1, -lowest).size(), 1U);
  EXPECT_THAT(refusal([&] { (void)separated_peaks(scores, numbers_of(30), 6, 10, 1, -1); }),
              HasSubstr("a radius of -1"));
}

TEST(peaks, may_be_none) {
  const std::vector<float> scores{1, 2, 3, 4};
  EXPECT_TRUE(peaks_of(scores, numbers_of(4), 2, 0, 0, 1).empty());
  EXPECT_TRUE(peaks_of(scores, numbers_of(4), 2, 5, 4.5, 1).empty());
  EXPECT_TRUE(peaks_of({}, {}, 0, 5, lowest, 1).empty());
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(peaks_of({nan, -nan}, numbers_of(2), 1, 5, lowest, 1).empty());
  EXPECT_TRUE(peaks_of({-std::numeric_limits<float>::infinity()}, {0}, 1, 5, lowest, 1).empty())
      << "the score of a place that no template was tried at";
  EXPECT_THAT(refusal([&] { (void)peaks_of(scores, numbers_of(4), 2, 5, std::nan(""), 1); }),
              HasSubstr("the least score of peaks is NaN"));
}

TEST(peaks, of_maps_that_are_none_are_refused) {
  EXPECT_THAT(refusal([] {
                (void)peaks_of({1, 2, 3}, numbers_of(3), 2, 1, 0, 1);
              }),
              HasSubstr("3 scores do not make rows of 2"));
  EXPECT_THAT(refusal([] {
                (void)peaks_of({1, 2, 3}, numbers_of(3), 0, 1, 0, 1);
              }),
              HasSubstr("3 scores do not make rows of 0"));
  EXPECT_THAT(refusal([] {
                (void)peaks_of({1, 2, 3}, numbers_of(2), 3, 1, 0, 1);
              }),
              HasSubstr("there are 3 scores and 2 numbers"));
}

}  // namespace
