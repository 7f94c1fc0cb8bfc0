// SPDX-License-Identifier: Apache-2.0
// Convolutions and correlations by their sums, in long double: the oracle of those by transforms.
#pragma once

#include <complex>
#include <cstddef>  // size_t, ptrdiff_t
#include <vector>

#include "arrays/address_space.hpp"  // product_of
#include "wingbeat/convolution.hpp"  // operation, extent

namespace wingbeat::test {

using exact_map = std::vector<std::complex<long double>>;
using map_lengths = std::vector<std::size_t>;

/// Returns index `number` of a packed array, the last axis densest.
inline std::vector<std::ptrdiff_t> indices_of(std::size_t number, const map_lengths& lengths) {
  std::vector<std::ptrdiff_t> at(lengths.size());
  for (std::size_t a = lengths.size(); a-- > 0; number /= lengths[a]) {
    at[a] = static_cast<std::ptrdiff_t>(number % lengths[a]);
  }
  return at;
}

/// How far scipy.signal's modes begin in the full result, and how many values they have.
struct mode_range {
  std::ptrdiff_t first;
  std::size_t count;
};
inline mode_range range_of(std::size_t image, std::size_t kernel, extent mode) {
  switch (mode) {
    case extent::full: return {0, image + kernel - 1};
    case extent::same: return {static_cast<std::ptrdiff_t>((kernel - 1) / 2), image};
    case extent::valid: return {static_cast<std::ptrdiff_t>(kernel - 1), image - kernel + 1};
  }
  return {};
}

/// Returns the result of one image and one kernel: full[m] is the sum over j of t[j] f[m - j]; of a
/// correlation t is reversed and conjugated before.
inline exact_map direct_sum(const exact_map& image, const map_lengths& image_lengths,
                            const exact_map& kernel, const map_lengths& kernel_lengths,
                            operation kind, extent mode) {
  const std::size_t axes = image_lengths.size();
  std::vector<mode_range> ranges;
  map_lengths lengths;
  for (std::size_t a = 0; a < axes; ++a) {
    ranges.push_back(range_of(image_lengths[a], kernel_lengths[a], mode));
    lengths.push_back(ranges.back().count);
  }
  exact_map result(product_of(lengths));
  for (std::size_t number = 0; number < result.size(); ++number) {
    const auto index = indices_of(number, lengths);
    for (std::size_t tap = 0; tap < kernel.size(); ++tap) {
      const auto j = indices_of(tap, kernel_lengths);
      std::size_t place = 0;
      bool is_inside = true;
      for (std::size_t a = 0; a < axes; ++a) {
        const auto length = static_cast<std::ptrdiff_t>(image_lengths[a]);
        const std::ptrdiff_t i = index[a] + ranges[a].first - j[a];
        is_inside = is_inside && i >= 0 && i < length;
        place = place * image_lengths[a] + static_cast<std::size_t>(i);
      }
      if (!is_inside) continue;
      const bool is_correlation = kind == operation::correlate;
      const auto t = is_correlation ? std::conj(kernel[kernel.size() - 1 - tap]) : kernel[tap];
      result[number] += t * image[place];
    }
  }
  return result;
}

}  // namespace wingbeat::test
