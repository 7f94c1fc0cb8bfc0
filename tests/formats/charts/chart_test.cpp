// SPDX-License-Identifier: Apache-2.0
// What can be said of a picture without looking at it; a build without charts says so instead.
#include "formats/charts/chart.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "formats/charts/check.hpp"      // check_chart, valid_utf8
#include "formats/message.hpp"           // message_of
#include "formats/temporary_folder.hpp"  // temporary_folder

namespace {

using namespace wingbeat::formats;
using namespace wingbeat::test;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view png_magic = "\x89PNG\r\n\x1a\n";

line_chart ramp() {
  line_chart chart{.title = "ramp", .x = {.label = "x"}, .y = {.label = "y"}};
  chart.series.push_back({.label = "a", .x = {0, 1, 2}, .y = {0, 1, 2}});
  return chart;
}

std::string drawn(const line_chart& chart) {
  const temporary_folder folder;
  write_chart(folder.path() / "out.png", chart);
  return folder.read("out.png");
}

std::string refusal(const line_chart& chart) {
  return message_of<wingbeat::plan_error>([&] { check_chart(chart); });
}

class chart : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!draws_charts()) GTEST_SKIP() << "this build draws no charts";
  }
};

TEST_F(chart, is_a_png_of_the_size_that_was_asked_for) {
  auto plot = ramp();
  plot.width_pixels = 640;
  plot.height_pixels = 400;
  const std::string png = drawn(plot);
  ASSERT_THAT(png, StartsWith(std::string(png_magic)));
  EXPECT_EQ(png.substr(16, 8), std::string("\0\0\x02\x80\0\0\x01\x90", 8));
}

TEST_F(chart, is_drawn_in_the_format_that_the_name_ends_in) {
  const temporary_folder folder;
  for (const auto& [name, magic] :
       {std::pair{"a.svg", "<?xml"}, {"a.pdf", "%PDF-"}, {"A.PNG", "\x89PNG"}}) {
    write_chart(folder.path() / name, ramp());
    EXPECT_THAT(folder.read(name), StartsWith(magic)) << name;
  }
  EXPECT_THAT(folder.read("a.svg"), HasSubstr("width=\"1280px\" height=\"720px\""));
  EXPECT_THAT(folder.read("a.svg"), ::testing::Not(HasSubstr("<image"))) << "lines stay lines";
  for (const char* const name : {"a.jpg", "a"}) {
    const auto message = message_of<wingbeat::plan_error>([&] { require_chart("--plot", name); });
    EXPECT_THAT(message, HasSubstr("must end in .png, .svg or .pdf"));
    EXPECT_EQ(message_of<wingbeat::plan_error>([&] {
                write_chart(folder.path() / name, ramp());
              }).empty(),
              false);
  }
  EXPECT_EQ(folder.n_files(), 3);
}

TEST_F(chart, depends_on_its_content_alone) {
  auto plot = ramp();
  const std::string first = drawn(plot);
  EXPECT_EQ(drawn(plot), first);
  plot.series[0].y[1] = 1.5;
  EXPECT_NE(drawn(plot), first);
  const temporary_folder folder;
  for (const std::string name : {"a.pdf", "b.pdf", "a.svg"})
    write_chart(folder.path() / name, plot);
  EXPECT_EQ(folder.read("a.pdf"), folder.read("b.pdf"));
  for (const std::string name : {"a.pdf", "a.svg"}) {
    EXPECT_THAT(folder.read(name), ::testing::Not(HasSubstr("Date"))) << name;
  }
}

TEST_F(chart, draws_marks_bands_markers_and_every_scale) {
  const std::string plain = drawn(ramp());
  auto marked = ramp();
  marked.marks = {{1, "here"}, {1, "and here"}, {5, "outside"}};
  auto band = ramp();
  band.series[0].low = {0, 0.5, 1.5};
  band.series[0].high = {0.5, 1.5, 2};
  auto dots = ramp();
  dots.series[0].has_markers = true;
  auto notched = ramp();
  notched.series[0].notches = {{1, "2 passes"}};
  auto log2 = ramp();
  log2.x.scale = axis_scale::log2;
  auto log10 = ramp();
  log10.y.scale = axis_scale::log10;
  for (const auto& plot : {marked, band, dots, notched, log2, log10}) EXPECT_NE(drawn(plot), plain);
}

TEST_F(chart, survives_values_that_have_no_place) {
  const double inf = std::numeric_limits<double>::infinity();
  auto plot = ramp();
  plot.series[0].y = {-inf, std::nan(""), inf};
  EXPECT_THAT(drawn(plot), StartsWith(std::string(png_magic)));
  plot.series[0].y = {1e300, -1e300, 0};
  EXPECT_THAT(drawn(plot), StartsWith(std::string(png_magic)));
  plot.series.clear();
  EXPECT_THAT(drawn(plot), StartsWith(std::string(png_magic)));
}

TEST_F(chart, draws_text_that_is_not_utf8) {
  auto plot = ramp();
  plot.title = "recording \xFF\xFE.wav";
  EXPECT_THAT(drawn(plot), StartsWith(std::string(png_magic)));
}

TEST_F(chart, keeps_one_bin_among_millions) {
  line_chart plot{.title = "one bin"};
  std::vector<double> x(1 << 21);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
  std::vector<double> y(x.size(), 0.0);
  plot.y.range = {{0, 1}};
  plot.series.push_back({.x = x, .y = y});
  const std::string flat = drawn(plot);
  plot.series[0].y[1234567] = 1;
  EXPECT_NE(drawn(plot), flat);
}

TEST_F(chart, leaves_nothing_when_it_cannot_be_written) {
  const temporary_folder folder;
  const auto message = message_of([&] { write_chart(folder.path() / "no" / "out.png", ramp()); });
  EXPECT_THAT(message, HasSubstr("No such file or directory"));
  auto crowded = ramp();
  crowded.marks.assign(60, {1, "the same place"});
  const auto crowd =
      message_of<wingbeat::plan_error>([&] { write_chart(folder.path() / "out.png", crowded); });
  EXPECT_THAT(crowd, HasSubstr("has no room left for its plot"));
  EXPECT_EQ(folder.n_files(), 0);
}

TEST(chart_absent, says_that_this_build_draws_none) {
  if (draws_charts()) GTEST_SKIP() << "this build draws charts";
  const auto message = message_of<wingbeat::plan_error>([&] { write_chart("out.png", ramp()); });
  EXPECT_THAT(message, HasSubstr("this build draws no charts"));
}

TEST(chart_check, refuses_contradictions) {
  auto plot = ramp();
  plot.series[0].y.pop_back();
  EXPECT_THAT(refusal(plot), HasSubstr("series 'a' has 3 x and 2 y values"));
  plot = ramp();
  plot.series[0].low = {1};
  EXPECT_THAT(refusal(plot), HasSubstr("a band of 1 low and 0 high values"));
  plot = ramp();
  plot.width_pixels = 0;
  EXPECT_THAT(refusal(plot), HasSubstr("0 x 720 pixels cannot be drawn"));
  plot = ramp();
  plot.y.range = {{2, 1}};
  EXPECT_THAT(refusal(plot), HasSubstr("axis 'y' cannot span 2 to 1"));
  plot.y = {.label = "y", .scale = axis_scale::log10, .range = {{0, 1}}};
  EXPECT_THAT(refusal(plot), HasSubstr("above zero"));
}

TEST(valid_utf8, keeps_what_is_valid_and_marks_the_rest) {
  EXPECT_EQ(valid_utf8("grün 2¹⁰ µs 𝄞"), "grün 2¹⁰ µs 𝄞");
  EXPECT_EQ(valid_utf8("a\xFF"
                       "b\xC3"),
            "a?b?");
  EXPECT_EQ(valid_utf8("\xC0\x80 \xED\xA0\x80 \xE0\x80\x80"), "?? ??? ???");
  EXPECT_EQ(valid_utf8("a\nb"), "a?b");
}

}  // namespace
