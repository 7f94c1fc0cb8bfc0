// SPDX-License-Identifier: Apache-2.0
// Law: of every pixel column, the first, the last, the lowest and the highest point survive.
#include "formats/charts/outline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

namespace {

using namespace wingbeat::formats;

struct column {
  double first, last, lowest, highest;
  int n_points = 0;
};

std::map<double, column> columns_of(const std::vector<chart_point>& points) {
  std::map<double, column> found;
  for (const auto& point : points) {
    column& extremes = found[std::floor(point.x)];
    if (extremes.n_points++ == 0) extremes = {point.y, point.y, point.y, point.y, 1};
    extremes.last = point.y;
    extremes.lowest = std::min(extremes.lowest, point.y);
    extremes.highest = std::max(extremes.highest, point.y);
  }
  return found;
}

TEST(chart_outline, keeps_the_extremes_of_every_column) {
  std::mt19937 bits(3);
  std::normal_distribution<double> noise;
  std::vector<chart_point> points;
  for (int i = 0; i < 100000; ++i) points.push_back({i / 777.0, noise(bits)});
  chart_outline outline;
  for (const auto& point : points) outline.add(point);

  const auto expected = columns_of(points);
  const auto kept = columns_of(outline.take());

  ASSERT_EQ(kept.size(), expected.size());
  for (const auto& [number, extremes] : expected) {
    EXPECT_EQ(kept.at(number).first, extremes.first);
    EXPECT_EQ(kept.at(number).last, extremes.last);
    EXPECT_EQ(kept.at(number).lowest, extremes.lowest);
    EXPECT_EQ(kept.at(number).highest, extremes.highest);
    EXPECT_LE(kept.at(number).n_points, 4);
  }
}

TEST(chart_outline, keeps_sparse_points_as_they_are) {
  chart_outline outline;
  for (int i = 0; i < 50; ++i) outline.add({i * 10.0, i * 1.0});
  const auto kept = outline.take();
  ASSERT_EQ(kept.size(), 50u);
  EXPECT_EQ(kept[7].x, 70);
  EXPECT_TRUE(outline.take().empty());
}

TEST(chart_outline, keeps_gaps_but_only_once) {
  chart_outline outline;
  outline.add({0, 1});
  for (int i = 0; i < 1000; ++i) outline.add({0, std::nan("")});
  outline.add({0.5, 2});
  const auto kept = outline.take();
  ASSERT_EQ(kept.size(), 3u);
  EXPECT_TRUE(std::isnan(kept[1].y));
}

}  // namespace
