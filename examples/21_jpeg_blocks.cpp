// SPDX-License-Identifier: Apache-2.0
// The blocks of 8 x 8 pixels of JPEG, all of an image in one call: two axes within the image's
// rows, and a batch over the blocks. Coefficients are rounded as by a table of quality 50, and the
// image comes back.
#include <cmath>   // cos, log10, nearbyint
#include <cstdio>  // printf
#include <vector>

#include "wingbeat/wingbeat.hpp"

namespace {

constexpr std::size_t width = 640, height = 480, block = 8;

/// The steps of brightness in annex K of ITU-T T.81.
constexpr int steps[block][block] = {
    {16, 11, 10, 16, 24, 40, 51, 61},     {12, 12, 14, 19, 26, 58, 60, 55},
    {14, 13, 16, 24, 40, 57, 69, 56},     {14, 17, 22, 29, 51, 87, 80, 62},
    {18, 22, 37, 56, 68, 109, 103, 77},   {24, 35, 55, 64, 81, 104, 113, 92},
    {49, 64, 78, 87, 103, 121, 120, 101}, {72, 92, 95, 98, 112, 100, 103, 99}};

/// Blocks of an image in place: [block row][block column][row][column].
wingbeat::plan_spec blocks_of(wingbeat::transform kind) {
  using namespace wingbeat;
  const memory_layout within{.strides = {width, 1}, .distances = {block * width, block}};
  return {.lengths = {block, block},
          .batch = {height / block, width / block},
          .kind = kind,
          .scale = scaling::by_sqrt_length,
          .orthogonalize = true,
          .where = placement::in_place,
          .in = within,
          .out = within};
}

}  // namespace

int main() {
  using namespace wingbeat;
  std::vector<float> image(width * height);  // [y][x], as brightness from -128 to 127
  for (std::size_t i = 0; i < image.size(); ++i) {
    const auto x = static_cast<float>(i % width), y = static_cast<float>(i / width);
    image[i] = 90 * std::cos(x * x * 3e-4F + y * 0.02F) + 30 * std::cos(y * y * 2e-4F);
  }

  queue on{first_device(engine::host)};
  const plan forward{on, blocks_of(transform::dct2)}, back{on, blocks_of(transform::dct3)};
  buffer pixels{on, image.size() * sizeof(float)};
  pixels.write(image.data(), pixels.size_bytes());
  forward.enqueue(on, pixels.view(), pixels.view());

  std::vector<float> coefficients(image.size());
  pixels.read(coefficients.data(), pixels.size_bytes());
  std::size_t n_kept = 0;
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    const auto step = static_cast<float>(steps[i / width % block][i % width % block]);
    coefficients[i] = step * std::nearbyint(coefficients[i] / step);
    n_kept += coefficients[i] != 0 ? 1 : 0;
  }
  pixels.write(coefficients.data(), pixels.size_bytes());
  back.enqueue(on, pixels.view(), pixels.view());

  std::vector<float> restored(image.size());
  pixels.read(restored.data(), pixels.size_bytes());
  double squares = 0;
  for (std::size_t i = 0; i < image.size(); ++i) {
    const double off = static_cast<double>(restored[i]) - static_cast<double>(image[i]);
    squares += off * off;
  }
  const double decibels =
      10 * std::log10(255.0 * 255.0 * static_cast<double>(image.size()) / squares);
  std::printf("%zu x %zu pixels: %zu coefficients of %zu kept, %.1f dB\n", width, height, n_kept,
              image.size(), decibels);
  return decibels > 30 && n_kept < image.size() / 4 ? 0 : 1;
}
