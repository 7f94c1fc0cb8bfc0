// SPDX-License-Identifier: Apache-2.0
#include "microscopy/volume.hpp"

#include <algorithm>  // minmax_element
#include <cmath>      // abs, sin
#include <complex>
#include <limits>   // numeric_limits
#include <numbers>  // pi
#include <vector>

#include "text/formatted.hpp"  // joined
#include "text/reject.hpp"     // reject
#include "wingbeat/plan.hpp"   // plan

namespace wingbeat::microscopy {
namespace {

constexpr std::size_t max_edge = 4096;

/// Returns 1 / sinc^2 of the frequencies (i - n/2) / n, where sinc f is sin(pi f) / (pi f).
std::vector<double> corrections(std::size_t n) {
  std::vector<double> result;
  for (std::size_t i = 0; i < n; ++i) {
    const double angle = std::numbers::pi * (static_cast<double>(i) / static_cast<double>(n) - 0.5);
    const double sinc = i == n / 2 ? 1 : std::sin(angle) / angle;
    result.push_back(1 / (sinc * sinc));
  }
  return result;
}

/// Returns the corrected volume with its centre at the corner. Signs (-1)^(z + y) move the zero
/// frequencies of z and y to n/2.
std::vector<float> arranged(std::span<const float> volume, std::size_t n) {
  const auto correction = corrections(n);
  std::vector<float> result(volume.size());
  double total = 0;
  for (std::size_t z = 0; z < n; ++z) {
    for (std::size_t y = 0; y < n; ++y) {
      const std::size_t from_z = (z + n / 2) % n, from_y = (y + n / 2) % n;
      const double row = ((z + y) % 2 == 0 ? 1 : -1) * correction[from_z] * correction[from_y];
      for (std::size_t x = 0; x < n; ++x) {
        const std::size_t from_x = (x + n / 2) % n;
        const double value = row * correction[from_x] * volume[(from_z * n + from_y) * n + from_x];
        total += std::abs(value);
        result[(z * n + y) * n + x] = static_cast<float>(value);
      }
    }
  }
  if (!(total <= std::numeric_limits<float>::max())) {
    reject(
        "the volume has values that are no numbers or add up beyond fp32; give finite "
        "values, such as densities");
  }
  return result;
}

}  // namespace

void require_cube(std::span<const float> volume, const std::array<std::size_t, 3>& lengths) {
  const std::size_t n = lengths[0];
  if (lengths[1] != n || lengths[2] != n || n < 4 || n > max_edge || n % 2 != 0) {
    reject("the volume is {}; give a cube of an even edge from 4 to {}", joined(lengths, " x "),
           max_edge);
  }
  if (volume.size() != n * n * n) {
    reject("the volume has {} values for {}; give {}", volume.size(), joined(lengths, " x "),
           n * n * n);
  }
}

buffer volume_spectrum(queue& on, std::span<const float> volume,
                       const std::array<std::size_t, 3>& lengths) {
  require_cube(volume, lengths);
  const std::size_t n = lengths[0];
  const auto values = arranged(volume, n);
  const auto [smallest, largest] = std::minmax_element(volume.begin(), volume.end());
  if (*smallest == *largest) {
    reject("the volume is {} everywhere; give one that is not constant", *smallest);
  }
  const plan forward{on, {.lengths = {n, n, n}, .kind = transform::forward_from_real}};
  buffer voxels{on, values.size() * sizeof(float)};
  buffer spectrum{on, n * n * (n / 2 + 1) * sizeof(std::complex<float>)};
  voxels.write(values.data(), voxels.size_bytes());
  forward.enqueue(on, voxels.view(), spectrum.view());
  on.wait();
  return spectrum;
}

}  // namespace wingbeat::microscopy
