// SPDX-License-Identifier: Apache-2.0
// Boxes, pixel by pixel:  '.' is the image, a digit the number whose colour it has.
#include "formats/images/marks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>  // minmax_element
#include <cstdint>
#include <vector>

#include "formats/images/bytes.hpp"  // grey_image, message_of, samples_of

namespace {

using namespace wingbeat::formats;
using namespace wingbeat::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using rows = std::vector<std::string>;

/// Returns the picture's rows; its background is black.
rows drawn(std::size_t height, std::size_t width, const std::vector<image_box>& boxes,
           const mark_options& options = {}) {
  const auto picture =
      draw_boxes(grey_image(height, width, std::vector<float>(height * width)), boxes, options);
  EXPECT_EQ(picture.n_channels, 3u);
  const auto samples = samples_of(picture);
  rows shown(height, std::string(width, '.'));
  for (std::size_t i = 0; i < height * width; ++i) {
    for (std::size_t number = 9; number-- > 0;) {
      const rgb_colour colour = colour_of(number);
      if (std::equal(colour.begin(), colour.end(), &samples[3 * i])) {
        shown[i / width][i % width] = static_cast<char>('0' + number);
      }
    }
  }
  return shown;
}

TEST(image_marks, outlines_boxes_inside_their_edges) {
  EXPECT_THAT(drawn(5, 7, {{.y = 1, .x = 2, .height = 3, .width = 4}}),
              ElementsAre(".......",  //
                          "..0000.",  //
                          "..0..0.",  //
                          "..0000.",  //
                          "......."));
}

TEST(image_marks, draws_lines_of_two_pixels) {
  EXPECT_THAT(drawn(6, 6, {{.y = 0, .x = 0, .height = 5, .width = 6}}, {.line_pixels = 2}),
              ElementsAre("000000", "000000", "00..00", "000000", "000000", "......"));
  // No wider than the box.
  EXPECT_THAT(drawn(2, 3, {{.y = 0, .x = 0, .height = 1, .width = 1}}, {.line_pixels = 2}),
              ElementsAre("0..", "..."));
}

TEST(image_marks, lays_the_best_box_on_top) {
  EXPECT_THAT(drawn(3, 4,
                    {{.y = 0, .x = 0, .height = 3, .width = 3},
                     {.y = 0, .x = 1, .height = 3, .width = 3, .colour = 1}}),
              ElementsAre("0001", "0101", "0001"));
}

TEST(image_marks, draws_labels_over_outlines_and_within_the_image) {
  // The label of the worse box is not drawn over by the better box.
  const image_box worse{.y = 6, .x = 0, .height = 1, .width = 3, .label = "1"};
  const image_box better{.y = 0, .x = 0, .height = 6, .width = 3, .colour = 1};
  EXPECT_THAT(drawn(7, 3, {better, worse}),
              ElementsAre(".0.", "00.", ".0.", ".0.", "000", "...", "000"));
  // Neither above nor below is room; black around it is within the image, too.
  const auto tall = drawn(9, 9, {{.y = 0, .x = 7, .height = 9, .width = 2, .label = "1"}});
  EXPECT_EQ(tall[2].substr(5), ".0.0");
}

TEST(image_marks, lays_no_label_on_another) {
  const auto boxes = [](std::ptrdiff_t x, std::size_t n) {
    std::vector<image_box> marked{{.y = 6, .x = 0, .height = 9, .width = 4, .label = "1"}};
    for (std::size_t i = 1; i < n; ++i) {
      marked.push_back({.y = 6, .x = x, .height = 9, .width = 4, .label = "1", .colour = i});
    }
    return drawn(21, 9, marked);
  };
  EXPECT_EQ(boxes(5, 2)[1], "00...11..");  // beside
  const rows stacked = boxes(1, 4);        // above, below, within, and none for the last
  EXPECT_EQ(stacked[1], "00.......");
  EXPECT_EQ(stacked[17], ".11......");
  EXPECT_EQ(stacked[9].substr(0, 5), ".22.1");
  for (const std::string& row : stacked) EXPECT_EQ(row.substr(5), "....") << row;
}

TEST(image_marks, leaves_out_what_lies_outside) {
  EXPECT_THAT(drawn(3, 3, {{.y = -1, .x = -1, .height = 3, .width = 3}}),
              ElementsAre(".0.", "00.", "..."));
  const std::vector<image_box> outside = {
      {.y = 3, .x = 0, .height = 9, .width = 9, .label = ""},
      {.y = 0, .x = 0, .height = 0, .width = 0},
      {.y = PTRDIFF_MAX, .x = PTRDIFF_MAX, .height = SIZE_MAX, .width = SIZE_MAX, .label = "1"},
      {.y = PTRDIFF_MIN, .x = PTRDIFF_MIN, .height = SIZE_MAX, .width = SIZE_MAX, .label = "1"}};
  EXPECT_THAT(drawn(3, 3, outside), ElementsAre("...", "...", "..."));
}

TEST(image_marks, writes_labels_above_or_below) {
  const image_box box{.y = 6, .x = 0, .height = 1, .width = 7, .label = "1a"};
  EXPECT_THAT(drawn(7, 8, {box}), ElementsAre(".0...0..",  //
                                              "00..0.0.",  //
                                              ".0..000.",  //
                                              ".0..0.0.",  //
                                              "000.0.0.",  //
                                              "........",  //
                                              "0000000."));
  image_box top = box;
  top.y = 5;
  top.label = "1";
  EXPECT_THAT(drawn(12, 3, {top}), ElementsAre("...", "...", "...", "...", "...", "000", "...",
                                               ".0.", "00.", ".0.", ".0.", "000"));
  // Dots have a width of their own.
  const auto large =
      drawn(14, 6, {{.y = 12, .x = 0, .height = 2, .width = 6, .label = "1"}}, {.dot_pixels = 2});
  EXPECT_EQ(large[0], "..00..");
  EXPECT_EQ(large[1], "..00..");
  EXPECT_EQ(large[2], "0000..");
}

TEST(image_marks, draws_other_characters_as_question_marks) {
  const auto label = [](const char* text) {
    return drawn(7, 4, {{.y = 6, .x = 0, .height = 1, .width = 1, .label = text}});
  };
  EXPECT_EQ(label("\x01"), label("?"));
  EXPECT_NE(label("1"), label("?"));
  EXPECT_EQ(label("b"), label("B"));
}

TEST(image_marks, gives_every_number_a_bright_colour) {
  for (std::size_t a = 0; a < 60; ++a) {
    const rgb_colour colour = colour_of(a);
    const auto [least, largest] = std::minmax_element(colour.begin(), colour.end());
    EXPECT_GE(*largest, 210) << a;
    EXPECT_GE(*largest - *least, 80) << a << " is grey";
    for (std::size_t b = 0; b < a; ++b) EXPECT_NE(colour, colour_of(b)) << a << " " << b;
  }
}

TEST(image_marks, sizes_lines_and_labels_by_the_picture) {
  EXPECT_EQ(marks_for(20, 30).line_pixels, 1);
  EXPECT_EQ(marks_for(20, 30).dot_pixels, 1);
  const mark_options large = marks_for(4096, 8192);
  EXPECT_EQ(large.line_pixels, 8);
  EXPECT_EQ(large.dot_pixels, 13);
  EXPECT_EQ(marks_for(SIZE_MAX, SIZE_MAX).line_pixels, 64);
}

TEST(image_marks, shows_the_image_from_black_to_white) {
  const auto image = grey_image(1, 3, {-1, 0, 1});
  EXPECT_THAT(samples_of(draw_boxes(image, {})),
              ElementsAre(0, 0, 0, 128, 128, 128, 255, 255, 255));
  EXPECT_THAT(samples_of(draw_boxes(image, {}, {.range = value_range{0, 10}})),
              ElementsAre(0, 0, 0, 0, 0, 0, 26, 26, 26));
}

TEST(image_marks, refuses_what_it_cannot_draw) {
  const auto message = [](const image_stack& image, const mark_options& options) {
    return message_of<wingbeat::plan_error>([&] { (void)draw_boxes(image, {}, options); });
  };
  const auto image = grey_image(1, 1, {1});
  image_stack stack = grey_image(1, 1, {1, 2});
  stack.n_images = 2;
  EXPECT_THAT(message(stack, {}), HasSubstr("cannot mark 2 image(s)"));
  EXPECT_THAT(message(image, {.line_pixels = 65}),
              HasSubstr("lines or dots of 65 pixels; choose 1 to 64"));
  EXPECT_THAT(message(image, {.range = value_range{1, 0}}),
              HasSubstr("the first below the second"));
}

}  // namespace
