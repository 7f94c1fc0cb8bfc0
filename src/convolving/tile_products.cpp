// SPDX-License-Identifier: Apache-2.0
#include "convolving/tile_products.hpp"

#include <algorithm>  // copy_n, max, min
#include <bit>        // bit_ceil, has_single_bit
#include <limits>

namespace wingbeat::convolving {
namespace {

/// Results of a tile of direct sums: it stays in the outer cache, and its rows fill whole register
/// tiles.
constexpr std::size_t summed_height = 64, summed_width = 512, registers = 64;

std::size_t quotient_up(std::size_t n, std::size_t divisor) {
  return (n + divisor - 1) / divisor;
}

/// Finds the size of the fastest tile: along each axis a power of two, or all of the image. A point
/// of a tile that leaves the cache takes twice as long. Returns nanoseconds, calibrated so that
/// sums of 12 x 12 pixels take as long.
double shortest_transforms(const scores_spec& spec, std::vector<std::size_t>& best) {
  double least = std::numeric_limits<double>::max();
  const auto lengths_of = [&](int axis) {
    std::vector<std::size_t> lengths{spec.image[axis]};
    const std::size_t shortest = std::max<std::size_t>(64, spec.templates[axis] + 1);
    for (std::size_t n = std::bit_ceil(shortest); n < spec.image[axis]; n *= 2)
      lengths.push_back(n);
    return lengths;
  };
  const auto count = [&](int axis, std::size_t length) {
    const std::size_t each = length - spec.templates[axis] + 1;
    return double((spec.image[axis] - spec.templates[axis] + each) / each);
  };
  for (const std::size_t y : lengths_of(0)) {
    for (const std::size_t x : lengths_of(1)) {
      const auto points = static_cast<double>(y * x);
      const double each = points <= 0x1p14 ? 5.3 : points <= 0x1p18 ? 7.6 : 15;
      const double odd = (std::has_single_bit(y) ? 1 : 1.3) * (std::has_single_bit(x) ? 1 : 1.3);
      const double time = count(0, y) * count(1, x) * (3800 + points * each * odd);
      if (time >= least) continue;
      least = time;
      best = {y, x};
    }
  }
  return least;
}

}  // namespace

tile_shape::tile_shape(const scores_spec& spec) : kernel(spec.templates) {
  const std::size_t height = spec.image[0] - kernel[0] + 1, width = spec.image[1] - kernel[1] + 1;
  const std::size_t each = quotient_up(width, quotient_up(width, summed_width));
  result = {quotient_up(height, quotient_up(height, summed_height)),
            quotient_up(each, registers) * registers};
  image = {result[0] + kernel[0] - 1, result[1] + kernel[1] - 1};
  const double n_tiles = double(quotient_up(height, result[0]) * quotient_up(width, result[1]));
  std::vector<std::size_t> transformed;
  is_summed =
      n_tiles * ns_of_sums(summed_number::fp32, axes()) < shortest_transforms(spec, transformed);
  if (is_summed) return;
  image = transformed;
  result = {image[0] - kernel[0] + 1, image[1] - kernel[1] + 1};
}

std::array<summed_axis, 2> tile_shape::axes() const {
  const auto axis = [&](int i, const std::vector<std::size_t>& pitches) {
    const auto last = static_cast<std::ptrdiff_t>(kernel[i] - 1);
    return summed_axis{image[i],
                       kernel[i],
                       result[i],
                       last,
                       std::ptrdiff_t(pitches[0]),
                       -std::ptrdiff_t(pitches[1]),
                       std::ptrdiff_t(pitches[2])};
  };
  return {axis(0, {image[1], kernel[1], result[1]}), axis(1, {1, 1, 1})};
}

tile_products::tile_products(const queue& on, const tile_shape& shape, precision real)
    : shape_(shape), real_bytes_(real == precision::fp64 ? 8 : 4) {
  if (shape.is_summed) return;
  transforms_.emplace(on, convolution_spec{.image = shape.image,
                                           .kernel = shape.kernel,
                                           .kind = operation::correlate,
                                           .mode = extent::valid,
                                           .real = real,
                                           .prepared = operand_role::kernel});
}

void tile_products::prepare(queue& on, buffer_view taps, buffer_view prepared,
                            buffer_view workspace) const {
  if (transforms_) return transforms_->prepare(on, taps, prepared, workspace);
  std::copy_n(static_cast<const std::byte*>(taps.handle), kernel_bytes(),
              static_cast<std::byte*>(prepared.handle));
}

void tile_products::run(queue& on, buffer_view prepared, buffer_view image, buffer_view out,
                        buffer_view workspace) const {
  if (transforms_) return transforms_->enqueue(on, prepared, image, out, {}, workspace);
  sum_directly(
      real_bytes_ == 8 ? summed_number::fp64 : summed_number::fp32, shape_.axes(), image.handle,
      static_cast<const std::byte*>(prepared.handle) + kernel_bytes() - real_bytes_, out.handle);
}

}  // namespace wingbeat::convolving
