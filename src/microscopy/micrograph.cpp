// SPDX-License-Identifier: Apache-2.0
#include "microscopy/micrograph.hpp"

#include <algorithm>  // find_if, minmax_element
#include <cmath>      // isfinite, sqrt
#include <complex>

#include "microscopy/half_plane.hpp"  // half_plane
#include "text/reject.hpp"            // reject
#include "wingbeat/buffer.hpp"        // buffer
#include "wingbeat/plan.hpp"          // plan

namespace wingbeat::microscopy {
namespace {

void require_image(std::span<const float> image, std::size_t height, std::size_t width) {
  if (image.empty() || image.size() != height * width) {
    reject(
        "an image of {} values was given as {} x {}; give height times width "
        "values, at least 1",
        image.size(), height, width);
  }
  const auto place =
      std::find_if(image.begin(), image.end(), [](float value) { return !std::isfinite(value); });
  if (place != image.end()) {
    const auto i = static_cast<std::size_t>(place - image.begin());
    reject("the image is {} at y {}, x {}; give finite values", *place, i / width, i % width);
  }
  const auto [smallest, largest] = std::minmax_element(image.begin(), image.end());
  if (*smallest == *largest) {
    reject("the image is {} everywhere; give one that is not constant", *smallest);
  }
}

/// Returns the image with mean 0 and variance 1, which fp32 transforms whatever its unit was.
std::vector<float> standardised(std::span<const float> image) {
  const auto n = static_cast<double>(image.size());
  double mean = 0, variance = 0;
  for (const float value : image) mean += value / n;
  for (const float value : image) variance += (value - mean) * (value - mean) / n;
  const double scale = 1 / std::sqrt(variance);
  std::vector<float> result;
  result.reserve(image.size());
  for (const float value : image) result.push_back(static_cast<float>((value - mean) * scale));
  return result;
}

/// Multiplies a spectrum by a filter and returns sqrt(n / sum |F|^2).
double filter(std::span<std::complex<float>> spectrum, const half_plane& plane,
              const radial_filter& filter) {
  double n = 0, sum = 0;
  for (std::size_t bin = 0; bin < spectrum.size(); ++bin) {
    const double frequency = plane.radius(bin);
    spectrum[bin] *= static_cast<float>(filter.at(frequency));
    n += plane.weight(bin) * filter.bandpass.at(frequency);
    sum += plane.weight(bin) * std::norm(std::complex<double>{spectrum[bin]});
  }
  if (sum == 0) {
    reject(
        "the filters leave nothing of the image; give a wider bandpass, or an image "
        "with power at its frequencies");
  }
  return std::sqrt(n / sum);
}

}  // namespace

micrograph filtered_micrograph(queue& on, std::span<const float> image, std::size_t height,
                               std::size_t width, const filter_options& options) {
  require_image(image, height, width);
  const half_plane plane{height, width};
  plan_spec spec{.lengths = {height, width}, .kind = transform::forward_from_real};
  const plan forward{on, spec};
  spec.kind = transform::inverse_to_real;
  spec.scale = scaling::by_length;
  const plan inverse{on, spec};

  micrograph result{.values = standardised(image)};
  std::vector<std::complex<float>> spectrum(plane.bins());
  buffer pixels{on, result.values.size() * sizeof(float)},
      bins{on, spectrum.size() * sizeof(spectrum[0])};
  pixels.write(result.values.data(), pixels.size_bytes());
  forward.enqueue(on, pixels.view(), bins.view());
  on.wait();
  bins.read(spectrum.data(), bins.size_bytes());
  spectrum[0] = 0;
  result.filter = filter_of(spectrum, plane, options);
  const double scale = filter(spectrum, plane, result.filter);
  bins.write(spectrum.data(), bins.size_bytes());
  inverse.enqueue(on, bins.view(), pixels.view());
  on.wait();
  pixels.read(result.values.data(), pixels.size_bytes());
  for (float& value : result.values) value = static_cast<float>(value * scale);
  return result;
}

}  // namespace wingbeat::microscopy
