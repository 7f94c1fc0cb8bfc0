// SPDX-License-Identifier: Apache-2.0
#include "convolving/border.hpp"

#include <algorithm>  // min

#include "formatted.hpp"  // formatted

namespace wingbeat::convolving {
namespace {

std::ptrdiff_t modulo(std::ptrdiff_t n, std::ptrdiff_t period) {
  const std::ptrdiff_t rest = n % period;
  return rest < 0 ? rest + period : rest;
}

std::string shifted_text(std::ptrdiff_t begin) {
  if (begin == 0) return "e";
  return begin < 0 ? formatted("e - index({})", -begin) : formatted("e + index({})", begin);
}

}  // namespace

bool continued_axis::is_inside() const {
  return begin >= 0 && static_cast<std::size_t>(begin) + length <= image;
}

std::size_t pixel_of(const continued_axis& axis, std::size_t e) {
  const auto size = static_cast<std::ptrdiff_t>(axis.image);
  const std::ptrdiff_t n = static_cast<std::ptrdiff_t>(e) + axis.begin;
  if (n >= 0 && n < size) return static_cast<std::size_t>(n);
  switch (axis.outside) {
    case border::zero: return axis.image;
    case border::mirror: {
      const std::ptrdiff_t m = modulo(n, 2 * size);
      return static_cast<std::size_t>(std::min(m, 2 * size - 1 - m));
    }
    case border::repeat: return static_cast<std::size_t>(modulo(n, size));
    case border::clamp: return n < 0 ? 0 : axis.image - 1;
  }
  return axis.image;
}

std::string pixel_text(const continued_axis& axis) {
  if (axis.is_inside() || axis.outside == border::zero) return shifted_text(axis.begin);
  const auto size = static_cast<std::ptrdiff_t>(axis.image), before = -axis.begin;
  if (axis.outside == border::clamp) {
    return formatted("e < {0} ? 0 : e - {0} < {1} ? e - {0} : {2}", before, size, size - 1);
  }
  const bool is_mirror = axis.outside == border::mirror;
  const std::ptrdiff_t behind = static_cast<std::ptrdiff_t>(axis.length) - before - size;
  if (before <= size && behind <= size) {  // one reflection, or one period, needs no division
    const std::string low =
        is_mirror ? formatted("{} - e", before - 1) : formatted("e + {}", size - before);
    const std::string high =
        is_mirror ? formatted("{} - e", before + 2 * size - 1) : formatted("e - {}", size + before);
    return formatted("e < {0} ? {1} : e - {0} < {2} ? e - {0} : {3}", before, low, size, high);
  }
  if (!is_mirror) return formatted("(e + {}) % {}", modulo(axis.begin, size), size);
  const std::string m = formatted("(e + {}) % {}", modulo(axis.begin, 2 * size), 2 * size);
  return formatted("{0} < {1} ? {0} : {2} - {0}", m, size, 2 * size - 1);
}

}  // namespace wingbeat::convolving
