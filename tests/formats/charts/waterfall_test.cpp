// SPDX-License-Identifier: Apache-2.0
// What can be said of a waterfall without looking at it.
#include "formats/charts/waterfall.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "formats/charts/chart.hpp"      // draws_charts
#include "formats/message.hpp"           // message_of
#include "formats/temporary_folder.hpp"  // temporary_folder

namespace {

using namespace wingbeat::formats;
using namespace wingbeat::test;
using ::testing::HasSubstr;

waterfall_chart slope() {
  waterfall_chart chart{.title = "slope", .n_columns = 100, .n_rows = 20};
  for (int i = 0; i < 2000; ++i) chart.panels.resize(1), chart.panels[0].values.push_back(i);
  return chart;
}

TEST(waterfall, gives_outliers_no_colours) {
  waterfall_chart chart = slope();
  chart.panels[0].values[7] = std::numeric_limits<double>::quiet_NaN();
  chart.panels[0].values[8] = 1e9;
  const auto [low, high] = colour_range(chart);
  EXPECT_NEAR(low, 20, 3);
  EXPECT_NEAR(high, 1998, 3);
  chart.panels[0].values.assign(2000, 5);
  EXPECT_LT(colour_range(chart).first, colour_range(chart).second);
  chart.panels[0].values.assign(2000, std::numeric_limits<double>::quiet_NaN());
  EXPECT_LT(colour_range(chart).first, colour_range(chart).second);
}

TEST(waterfall, is_drawn_as_svg_and_pdf) {
  if (!draws_charts()) GTEST_SKIP() << "this build draws no charts";
  const temporary_folder folder;
  write_chart(folder.path() / "out.svg", slope());
  EXPECT_THAT(folder.read("out.svg"), HasSubstr("<image"));
  write_chart(folder.path() / "out.pdf", slope());
  EXPECT_THAT(folder.read("out.pdf"), ::testing::StartsWith("%PDF-"));
}

TEST(waterfall, is_a_png_that_depends_on_every_cell) {
  if (!draws_charts()) GTEST_SKIP() << "this build draws no charts";
  const auto drawn = [](const waterfall_chart& chart) {
    const temporary_folder folder;
    write_chart(folder.path() / "out.png", chart);
    return folder.read("out.png");
  };
  waterfall_chart chart = slope();
  chart.width_pixels = 640;
  chart.height_pixels = 400;
  const std::string png = drawn(chart);
  EXPECT_EQ(png.substr(16, 8), std::string("\0\0\x02\x80\0\0\x01\x90", 8));
  EXPECT_EQ(drawn(chart), png);
  for (const std::size_t cell : {0, 99, 1234, 1999}) {
    waterfall_chart other = chart;
    other.panels[0].values[cell] = 1000;
    EXPECT_NE(drawn(other), png) << cell;
  }
  // Silence has the colour of the least value, what is not there none.
  for (std::size_t i = 0; i < 2000; ++i) chart.panels[0].values[i] = i % 2 == 0 ? 0 : 10;
  waterfall_chart silent = chart, absent = chart;
  silent.panels[0].values[4] = -std::numeric_limits<double>::infinity();
  absent.panels[0].values[4] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(drawn(silent) == drawn(chart));
  EXPECT_FALSE(drawn(absent) == drawn(chart));
  chart.panels[0].values.pop_back();
  EXPECT_THAT(message_of<wingbeat::plan_error>([&] { drawn(chart); }), HasSubstr("each cell"));
}

}  // namespace
