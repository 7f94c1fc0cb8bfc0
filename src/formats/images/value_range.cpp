// SPDX-License-Identifier: Apache-2.0
#include "formats/images/value_range.hpp"

#include <algorithm>  // clamp, max, min
#include <cmath>      // floor, isfinite, isnan
#include <limits>

#include "text/formatted.hpp"  // formatted
#include "wingbeat/error.hpp"  // plan_error

namespace wingbeat::formats {

bool is_alpha(const image_stack& images, std::size_t sample) {
  return images.n_channels % 2 == 0 && sample % images.n_channels + 1 == images.n_channels;
}

value_range range_of(const image_stack& images) {
  double least = std::numeric_limits<double>::infinity();
  double largest = -least;
  for (std::size_t i = 0; i < size_of(images.samples); ++i) {
    if (is_alpha(images, i)) continue;
    const double value = sample_at(images.samples, i);
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

void check_range(value_range range, const std::string& name) {
  if (!std::isfinite(range.black) || !std::isfinite(range.white) || range.black >= range.white) {
    throw plan_error(
        formatted("cannot map the range from {} to {} to the numbers of {}; give two finite "
                  "values, the first "
                  "below the second",
                  range.black, range.white, name));
  }
}

}  // namespace wingbeat::formats
