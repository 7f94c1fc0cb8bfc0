// SPDX-License-Identifier: Apache-2.0
#include "formats/images/marks.hpp"

#include <algorithm>  // clamp, find_if, max, min
#include <cmath>      // abs, floor, lround, round
#include <iterator>   // begin, end, size
#include <string_view>
#include <utility>  // move
#include <vector>

#include "formats/images/value_range.hpp"  // check_range, range_of, scaled
#include "text/reject.hpp"                 // reject

namespace wingbeat::formats {
namespace {

constexpr std::ptrdiff_t glyph_height = 5, glyph_width = 3;

/// A character's dots, five rows of three; a letter stands for its small one as well.
struct glyph {
  char character;
  std::string_view dots;
};

constexpr std::string_view unknown_dots = "##...#.#.....#.";

constexpr glyph glyphs[] = {
    {'0', "####.##.##.####"}, {'1', ".#.##..#..#.###"}, {'2', "###..#####..###"},
    {'3', "###..####..####"}, {'4', "#.##.####..#..#"}, {'5', "####..###..####"},
    {'6', "####..####.####"}, {'7', "###..#.#..#..#."}, {'8', "####.#####.####"},
    {'9', "####.####..####"}, {'A', ".#.#.#####.##.#"}, {'B', "##.#.###.#.###."},
    {'C', ".###..#..#...##"}, {'D', "##.#.##.##.###."}, {'E', "####..##.#..###"},
    {'F', "####..##.#..#.."}, {'G', ".###..#.##.#.##"}, {'H', "#.##.#####.##.#"},
    {'I', "###.#..#..#.###"}, {'J', "..#..#..##.#.#."}, {'K', "#.##.###.#.##.#"},
    {'L', "#..#..#..#..###"}, {'M', "#.#####.##.##.#"}, {'N', "##.#.##.##.##.#"},
    {'O', ".#.#.##.##.#.#."}, {'P', "##.#.###.#..#.."}, {'Q', ".#.#.##.#.#..##"},
    {'R', "##.#.###.#.##.#"}, {'S', ".###...#...###."}, {'T', "###.#..#..#..#."},
    {'U', "#.##.##.##.####"}, {'V', "#.##.##.##.#.#."}, {'W', "#.##.##.#####.#"},
    {'X', "#.##.#.#.#.##.#"}, {'Y', "#.##.#.#..#..#."}, {'Z', "###..#.#.#..###"},
    {'-', "......###......"}, {'+', "....#.###.#...."}, {'.', ".............#."},
    {',', "..........#.#.."}, {':', "....#.....#...."}, {'=', "...###...###..."},
    {'/', "..#..#.#.#..#.."}, {'%', "#.#..#.#.#..#.#"}, {'#', "#.#####.#####.#"},
    {' ', "..............."}};

constexpr rgb_colour colours[] = {
    {255, 60, 60},    // red
    {255, 200, 0},    // yellow
    {0, 220, 80},     // green
    {0, 190, 255},    // light blue
    {255, 110, 220},  // pink
    {255, 140, 40},   // orange
    {80, 110, 255},   // blue
    {150, 240, 210}   // turquoise
};

std::string_view dots_of(char character) {
  if (character >= 'a' && character <= 'z') character = static_cast<char>(character - 32);
  for (const glyph& shape : glyphs) {
    if (shape.character == character) return shape.dots;
  }
  return unknown_dots;
}

/// A picture to draw on; what lies outside is left out.
class canvas {
 public:
  canvas(std::vector<float>& samples, std::size_t height, std::size_t width)
      : samples_(samples),
        is_labelled_(height * width),
        height_(static_cast<std::ptrdiff_t>(height)),
        width_(static_cast<std::ptrdiff_t>(width)) {}

  [[nodiscard]] std::ptrdiff_t width() const { return width_; }
  [[nodiscard]] std::ptrdiff_t height() const { return height_; }

  /// Fills rows y to y_end - 1 of columns x to x_end - 1.
  void fill(std::ptrdiff_t y, std::ptrdiff_t x, std::ptrdiff_t y_end, std::ptrdiff_t x_end,
            const rgb_colour& colour) {
    visit(y, x, y_end, x_end, [&](std::size_t pixel) {
      for (std::size_t c = 0; c < 3; ++c) samples_[3 * pixel + c] = colour[c];
    });
  }

  /// Keeps an area for a label and returns true, unless one is nearer than the margin.
  [[nodiscard]] bool claim(std::ptrdiff_t y, std::ptrdiff_t x, std::ptrdiff_t y_end,
                           std::ptrdiff_t x_end, std::ptrdiff_t margin) {
    bool is_free = true;
    visit(y - margin, x - margin, y_end + margin, x_end + margin,
          [&](std::size_t pixel) { is_free = is_free && !is_labelled_[pixel]; });
    if (is_free) {
      visit(y, x, y_end, x_end, [&](std::size_t pixel) { is_labelled_[pixel] = true; });
    }
    return is_free;
  }

 private:
  void visit(std::ptrdiff_t y, std::ptrdiff_t x, std::ptrdiff_t y_end, std::ptrdiff_t x_end,
             const auto& take) const {
    for (auto row = std::max<std::ptrdiff_t>(y, 0); row < std::min(y_end, height_); ++row) {
      for (auto column = std::max<std::ptrdiff_t>(x, 0); column < std::min(x_end, width_);
           ++column) {
        take(static_cast<std::size_t>(row * width_ + column));
      }
    }
  }

  std::vector<float>& samples_;    // [y][x][channel]
  std::vector<bool> is_labelled_;  // [y][x]
  std::ptrdiff_t height_, width_;
};

/// Rows y to y_end - 1 and columns x to x_end - 1, so that no sum of them overflows: coordinates
/// further than 2^48 from the image are moved nearer.
struct rectangle {
  std::ptrdiff_t y, x, y_end, x_end;
};

rectangle rectangle_of(const image_box& box) {
  constexpr std::ptrdiff_t furthest = std::ptrdiff_t{1} << 48;
  constexpr std::size_t longest = std::size_t{1} << 50;
  const auto begin = [=](std::ptrdiff_t at) { return std::clamp(at, -furthest, furthest); };
  const auto length = [=](std::size_t n) {
    return static_cast<std::ptrdiff_t>(std::min(n, longest));
  };
  return {begin(box.y), begin(box.x), begin(box.y) + length(box.height),
          begin(box.x) + length(box.width)};
}

void draw_outline(canvas& target, const rectangle& box, std::ptrdiff_t line,
                  const rgb_colour& colour) {
  target.fill(box.y, box.x, std::min(box.y + line, box.y_end), box.x_end, colour);
  target.fill(std::max(box.y_end - line, box.y), box.x, box.y_end, box.x_end, colour);
  target.fill(box.y, box.x, box.y_end, std::min(box.x + line, box.x_end), colour);
  target.fill(box.y, std::max(box.x_end - line, box.x), box.y_end, box.x_end, colour);
}

/// Draws the label one dot above the box, below it or within it: where it first lies within the
/// image and on no label drawn before, or nowhere; no further right than it fits with its margin;
/// black around it, so that it is seen on bright parts and other marks.
void draw_label(canvas& target, const rectangle& box, std::string_view label, std::ptrdiff_t dot,
                const rgb_colour& colour) {
  const std::ptrdiff_t height = glyph_height * dot, advance = (glyph_width + 1) * dot;
  const std::ptrdiff_t width = static_cast<std::ptrdiff_t>(label.size()) * advance - dot;
  const std::ptrdiff_t margin = (dot + 1) / 2;
  const std::ptrdiff_t first =
      std::max<std::ptrdiff_t>(std::min(box.x, target.width() - width - margin), 0);
  const std::ptrdiff_t tops[] = {box.y - height - dot, box.y_end + dot, box.y + 2 * dot};
  const auto* const top = std::find_if(std::begin(tops), std::end(tops), [&](std::ptrdiff_t y) {
    return y >= 0 && y + height <= target.height() && box.x < target.width() &&
           target.claim(y, first, y + height, first + width, margin);
  });
  if (top == std::end(tops)) return;
  const auto draw = [&](std::ptrdiff_t grown, const rgb_colour& ink) {
    std::ptrdiff_t left = first;
    for (const char character : label) {
      const std::string_view dots = dots_of(character);
      for (std::ptrdiff_t i = 0; i < glyph_height * glyph_width; ++i) {
        if (dots[static_cast<std::size_t>(i)] != '#') continue;
        const std::ptrdiff_t y = *top + i / glyph_width * dot;
        const std::ptrdiff_t x = left + i % glyph_width * dot;
        target.fill(y - grown, x - grown, y + dot + grown, x + dot + grown, ink);
      }
      left += advance;
    }
  };
  draw(margin, {0, 0, 0});
  draw(0, colour);
}

void check(const image_stack& image, const mark_options& options) {
  reject_if(
      image.n_images != 1 || image.n_channels != 1 ||
          size_of(image.samples) != image.height * image.width,
      "cannot mark {} image(s) of {} channel(s); give one grey image, such as one of the stack",
      image.n_images, image.n_channels);
  for (const int pixels : {options.line_pixels, options.dot_pixels}) {
    if (pixels >= 1 && pixels <= 64) continue;
    reject("cannot draw lines or dots of {} pixels; choose 1 to 64", pixels);
  }
  if (options.range) check_range(*options.range, "the marked image");
}

}  // namespace

rgb_colour colour_of(std::size_t number) noexcept {
  if (number < std::size(colours)) return colours[number];
  constexpr double golden_turn = 0.381966011250105;  // 2 - golden ratio
  const double turns = golden_turn * static_cast<double>(number);
  rgb_colour colour;
  for (std::size_t c = 0; c < 3; ++c) {
    // Each channel is full over a third of the circle, and falls to a fifth opposite to it.
    const double turn = turns + static_cast<double>(c) / 3;
    const double distance = std::abs(6 * (turn - std::floor(turn)) - 3);  // 0 opposite, 3 at it
    colour[c] =
        static_cast<std::uint8_t>(std::lround(51 + 204 * std::clamp(distance - 1, 0.0, 1.0)));
  }
  return colour;
}

mark_options marks_for(std::size_t height, std::size_t width) {
  const double side = static_cast<double>(std::min(height, width));
  const auto pixels = [&](double part) {
    return static_cast<int>(std::clamp(std::round(side / part), 1.0, 64.0));
  };
  return {.line_pixels = pixels(500), .dot_pixels = pixels(320)};
}

image_stack draw_boxes(const image_stack& image, std::span<const image_box> boxes,
                       const mark_options& options) {
  check(image, options);
  const value_range range = options.range ? *options.range : range_of(image.samples);
  image_stack picture;
  picture.height = image.height;
  picture.width = image.width;
  picture.n_channels = 3;
  picture.pixel_angstrom = image.pixel_angstrom;
  std::vector<float> samples(3 * size_of(image.samples));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i] = static_cast<float>(scaled(sample_at(image.samples, i / 3), range, 255));
  }
  canvas target(samples, image.height, image.width);
  for (std::size_t i = boxes.size(); i-- > 0;) {
    draw_outline(target, rectangle_of(boxes[i]), options.line_pixels, colour_of(boxes[i].colour));
  }
  for (const image_box& box : boxes) {  // over all outlines
    draw_label(target, rectangle_of(box), box.label, options.dot_pixels, colour_of(box.colour));
  }
  picture.samples = std::move(samples);
  return picture;
}

}  // namespace wingbeat::formats
