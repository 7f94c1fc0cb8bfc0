// SPDX-License-Identifier: Apache-2.0
#include "cli/masked_search.hpp"

#include <algorithm>  // clamp, max
#include <cmath>      // isnan, round, sqrt
#include <limits>     // numeric_limits

namespace wingbeat::cli {
namespace {

constexpr double absent = std::numeric_limits<double>::quiet_NaN();

/// Sums of squares are rounded by about so much of the largest.
constexpr double rounding = 64 * std::numeric_limits<double>::epsilon();

double mean_of(std::span<const double> values) {
  double sum = 0;
  std::size_t count = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    sum += value;
    ++count;
  }
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

std::vector<double> squares_of(std::vector<double> values) {
  for (double& value : values) value *= value;
  return values;
}

double sum_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

}  // namespace

masked_search::masked_search(const queue& on, const masked_search_spec& spec,
                             std::span<const double> image)
    : spec_(spec) {
  const convolution_spec plain{.image = spec.image,
                               .kernel = spec.templates,
                               .kind = operation::correlate,
                               .mode = spec.mode,
                               .real = precision::fp64};
  // A coefficient does not change by an offset, and small numbers lose fewer digits.
  const double offset = spec.is_normalised ? mean_of(image) : 0;
  std::vector<double> present(image.size()), valid(image.size());
  for (std::size_t i = 0; i < image.size(); ++i) {
    valid[i] = std::isnan(image[i]) ? 0 : 1;
    present[i] = std::isnan(image[i]) ? 0 : image[i] - offset;
  }
  image_.emplace(on, plain, present);
  valid_.emplace(on, plain, valid);
  sum_windows(on, plain, present);
}

void masked_search::sum_windows(const queue& on, const convolution_spec& plain,
                                std::span<const double> image) {
  const std::size_t points = spec_.templates[0] * spec_.templates[1];
  const std::vector<double> ones(points, 1);
  n_valid_ = (*valid_)(ones);
  const double least = std::max(1.0, spec_.min_valid * static_cast<double>(points));
  for (double& count : n_valid_) {
    count = std::round(count);
    if (count < least) count = absent;
  }
  if (!spec_.is_normalised) return;
  sums_ = (*image_)(ones);
  const std::vector<double> squares = squares_of({image.begin(), image.end()});
  variances_ = convolver{on, plain, squares}(ones);
  for (std::size_t i = 0; i < sums_.size(); ++i) variances_[i] -= sums_[i] * sums_[i] / n_valid_[i];
  min_variance_ = rounding * sum_of(squares);
}

std::vector<double> masked_search::scores(std::span<const double> values) {
  const double offset = spec_.is_normalised ? mean_of(values) : 0;
  std::vector<double> centred(values.begin(), values.end());
  for (double& value : centred) value -= offset;
  std::vector<double> map = (*image_)(centred);
  if (!spec_.is_normalised) {
    for (std::size_t i = 0; i < map.size(); ++i) {
      if (std::isnan(n_valid_[i])) map[i] = absent;
    }
    return map;
  }
  const std::vector<double> sums = (*valid_)(centred);
  const std::vector<double> template_squares = squares_of(centred);
  const std::vector<double> squares = (*valid_)(template_squares);
  const double min_template = rounding * sum_of(template_squares);
  for (std::size_t i = 0; i < map.size(); ++i) {
    if (std::isnan(n_valid_[i])) {
      map[i] = absent;
      continue;
    }
    const double template_variance = squares[i] - sums[i] * sums[i] / n_valid_[i];
    const bool is_constant = variances_[i] <= min_variance_ || template_variance <= min_template;
    const double product = map[i] - sums_[i] * sums[i] / n_valid_[i];
    map[i] = is_constant
                 ? 0
                 : std::clamp(product / std::sqrt(variances_[i] * template_variance), -1.0, 1.0);
  }
  return map;
}

}  // namespace wingbeat::cli
