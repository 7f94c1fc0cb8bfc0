// SPDX-License-Identifier: Apache-2.0
#include "formats/images/value_range.hpp"

#include <algorithm>  // clamp, max, min
#include <cmath>      // floor, isfinite, isnan
#include <cstdint>    // uint16_t
#include <limits>

#include "formats/files/byte_order.hpp"  // store
#include "text/reject.hpp"               // reject

namespace wingbeat::formats {

namespace {

bool is_alpha(std::size_t n_channels, std::size_t sample) {
  return n_channels % 2 == 0 && sample % n_channels + 1 == n_channels;
}

}  // namespace

value_range range_of(const image_samples& samples, std::size_t n_channels) {
  double least = std::numeric_limits<double>::infinity();
  double largest = -least;
  for (std::size_t i = 0; i < size_of(samples); ++i) {
    if (is_alpha(n_channels, i)) continue;
    const double value = sample_at(samples, i);
    if (!std::isfinite(value)) continue;
    least = std::min(least, value);
    largest = std::max(largest, value);
  }
  if (least > largest) return {0, 0};
  return {least, largest};
}

unsigned scaled(double value, value_range range, unsigned most) {
  if (std::isnan(value) || !(range.white > range.black)) return 0;
  // Halves, because the difference of two finite doubles may be infinite.
  const double part = (value / 2 - range.black / 2) / (range.white / 2 - range.black / 2);
  return static_cast<unsigned>(std::floor(std::clamp(part, 0.0, 1.0) * most + 0.5));
}

std::vector<std::byte> picture_numbers(const image_samples& samples, std::size_t first,
                                       std::size_t n_samples, const image_stack& shape,
                                       value_range range, number_type type, std::endian order) {
  const value_range alpha{0, shape.full_scale == 0 ? 1 : shape.full_scale};
  const auto most = static_cast<unsigned>(full_scale_of(type));
  const std::size_t number_bytes = bytes_of(type);
  std::vector<std::byte> bytes(n_samples * number_bytes);
  for (std::size_t i = 0; i < n_samples; ++i) {
    const unsigned number =
        scaled(sample_at(samples, first + i), is_alpha(shape.n_channels, i) ? alpha : range, most);
    if (number_bytes == 1) {
      bytes[i] = static_cast<std::byte>(number);
    } else {
      store(&bytes[2 * i], static_cast<std::uint16_t>(number), order);
    }
  }
  return bytes;
}

void picture_sink::add(const image_samples& samples) {
  if (!options_.range) options_.range = range_of(samples, shape_.n_channels);
  const number_type type = options_.type.value_or(number_type::uint8);
  encode_(to_, shape_, type,
          picture_numbers(samples, 0, size_of(samples), shape_, *options_.range, type,
                          std::endian::big));
}

void check_range(value_range range, const std::string& name) {
  reject_if(
      !std::isfinite(range.black) || !std::isfinite(range.white) || range.black >= range.white,
      "cannot map the range from {} to {} to the numbers of {}; give two finite "
      "values, the first "
      "below the second",
      range.black, range.white, name);
}

}  // namespace wingbeat::formats
