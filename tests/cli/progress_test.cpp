// SPDX-License-Identifier: Apache-2.0
// The words of a progress bar: items, their rate and the remaining time.
#include "cli/progress.hpp"

#include <gtest/gtest.h>

#include <chrono>  // milliseconds
#include <string>

namespace {

using namespace wingbeat::cli;

TEST(rate, names_durations_in_two_units_rounded_up) {
  EXPECT_EQ(duration_text(0), "0 s");
  EXPECT_EQ(duration_text(0.2), "1 s");
  EXPECT_EQ(duration_text(59), "59 s");
  EXPECT_EQ(duration_text(59.1), "1 min 0 s");
  EXPECT_EQ(duration_text(200), "3 min 20 s");
  EXPECT_EQ(duration_text(7500), "2 h 5 min");
  EXPECT_EQ(duration_text(1e300), "1000000 h 0 min");
}

TEST(rate, follows_from_what_is_done_and_the_time_it_took) {
  EXPECT_EQ(rate_text(0, "template", 0, 3), "0 templates");
  EXPECT_EQ(rate_text(1, "template", 0.5, 2), "1 template, 0.5/s, 2 s left");
  EXPECT_EQ(rate_text(1200, "image", 0.25, 3), "1200 images, 400/s, 9 s left");
  EXPECT_EQ(rate_text(4, "image", 1, 2), "4 images, 2/s, 0 s left");
  EXPECT_EQ(rate_text(4, "image", 0, 2), "4 images");  // of a pipe nobody knows the end
}

TEST(rate, is_a_line_at_intervals_where_stderr_is_no_terminal) {
  testing::internal::CaptureStderr();
  {
    rate_bar every{"match", "template", std::chrono::milliseconds{0}};
    every.show(0, 0);
    every.show(3, 0.5);
    rate_bar seldom{"filter", "sample"};
    seldom.show(0, 0);
    seldom.show(1, 1);
  }
  const std::string lines = testing::internal::GetCapturedStderr();
  EXPECT_EQ(lines.find("wingbeat: match: 0%, 0 templates\nwingbeat: match: 50%, 3 templates, "), 0U)
      << lines;
  EXPECT_EQ(lines.find("filter"), std::string::npos) << "ten seconds have not passed";
  EXPECT_EQ(lines.find('\r'), std::string::npos);
}

}  // namespace
