// SPDX-License-Identifier: Apache-2.0
// Limits of the sizes in a request. Products of its numbers are compared as doubles, which do not
// overflow, before they are computed as integers, which would wrap.
#pragma once

#include <cstddef>  // size_t
#include <limits>   // numeric_limits
#include <vector>

namespace wingbeat {

/// Maximum number of elements or units; products with bytes then do not overflow.
inline constexpr double max_elements = double(std::numeric_limits<std::size_t>::max() >> 8);

/// Maximum number of bytes that a request states; sums of a few do not overflow.
inline constexpr std::size_t max_stated_bytes = std::numeric_limits<std::size_t>::max() >> 4;

/// Returns the product of counts; it must lie within the address space.
[[nodiscard]] inline std::size_t product_of(const std::vector<std::size_t>& counts) {
  std::size_t product = 1;
  for (const std::size_t count : counts) product *= count;
  return product;
}

/// Returns the product of counts, rounded.
[[nodiscard]] inline double rounded_product(const std::vector<std::size_t>& counts) {
  double product = 1;
  for (const std::size_t count : counts) product *= static_cast<double>(count);
  return product;
}

}  // namespace wingbeat
