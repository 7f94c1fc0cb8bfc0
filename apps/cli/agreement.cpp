// SPDX-License-Identifier: Apache-2.0
#include "cli/agreement.hpp"

#include <algorithm>  // max
#include <cmath>      // abs, hypot, log2, sqrt
#include <limits>     // numeric_limits

#include "wingbeat/good_length.hpp"  // has_small_factors

namespace wingbeat::cli {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The unit roundoffs of a precision: `u` of computing, `stored_u` of storing.
struct roundings {
  double u, stored_u;
  double smallest;  ///< The smallest normal number; below it roundings are absolute.
};

roundings of_precision(precision real) {
  switch (real) {
    case precision::fp64: return {0x1p-53, 0, std::numeric_limits<double>::min()};
    case precision::fp16: return {0x1p-24, 0x1p-11, 0x1p-24};
    case precision::bf16: return {0x1p-24, 0x1p-8, std::numeric_limits<float>::min()};
    case precision::fp32: break;
  }
  return {0x1p-24, 0, std::numeric_limits<float>::min()};
}

/// Returns an absolute error that is always allowed, because each of the log2 N stages may lose up
/// to the smallest normal number, however small the signal is.
double underflow_floor(std::size_t n, precision real) {
  return of_precision(real).smallest * std::log2(static_cast<double>(n));
}

double largest_of(std::span<const double> values, std::size_t width) {
  double largest = 0;
  for (std::size_t i = 0; i < values.size(); i += width) {
    largest =
        std::max(largest, width == 1 ? std::abs(values[i]) : std::hypot(values[i], values[i + 1]));
  }
  return largest;
}

/// Of few elements the mean square is itself random: that of one is 2.5 squared times as large in 2
/// of 1,000.
double allowance(std::size_t n_elements) {
  return 1 + 1.5 / std::sqrt(static_cast<double>(n_elements));
}

}  // namespace

/// The table bounds the mean over many rows. The few roundings of one short row may exceed it: the
/// worst of 20000 noise rows of 8 to 64 values had 3.1 u.
double relative_bound(std::size_t n, precision real) {
  const auto [u, stored_u, smallest] = of_precision(real);
  const double chirp = good_lengths::has_small_factors(n) ? 1.0 : 1.3;
  const double factor = chirp * (real == precision::fp64 ? 1.25 : 1.0);
  return stored_u + u * (n <= 64 ? 4.0 : factor * std::sqrt(std::log2(static_cast<double>(n))));
}

agreement compare(std::span<const double> result, std::span<const double> expected, element kind,
                  std::size_t n, precision real, double share_l2) {
  const std::size_t width = kind == element::complex ? 2 : 1;
  agreement a;
  a.n_values = expected.size() / width;
  a.largest_value = largest_of(expected, width);
  a.relative_l2_bound = relative_bound(n, real);
  if (share_l2 > 0) a.relative_l2_bound *= allowance(a.n_values);

  // Squares are taken of numbers divided by the largest, so that they neither overflow nor vanish.
  const double unit = a.largest_value > 0 ? 1 / a.largest_value : 1;
  long double sum_errors = 0, sum_values = 0;
  for (std::size_t i = 0; i < expected.size(); i += width) {
    const double re = result[i] - expected[i];
    const double im = width == 2 ? result[i + 1] - expected[i + 1] : 0;
    const double error = std::hypot(re, im);
    a.largest_error = error <= infinity ? std::max(a.largest_error, error) : infinity;
    const bool is_close = std::max(std::abs(re), std::abs(im)) <= 1e-4 * a.largest_value;
    a.n_off += is_close && error <= infinity ? 0 : 1;
    sum_errors += static_cast<long double>(error * unit) * (error * unit);
    const double value = std::hypot(expected[i], width == 2 ? expected[i + 1] : 0) * unit;
    sum_values += static_cast<long double>(value) * value;
  }
  const auto l2_error = static_cast<double>(std::sqrt(sum_errors));
  const auto l2_value = std::hypot(static_cast<double>(std::sqrt(sum_values)), share_l2 * unit);
  a.relative_l2 = l2_value > 0 ? l2_error / l2_value : (l2_error > 0 ? infinity : 0);
  if (!(a.largest_error < infinity)) a.relative_l2 = infinity;

  const double floor = underflow_floor(n, real);
  const auto [u, stored_u, smallest] = of_precision(real);
  const double l2_floor = floor * unit * std::sqrt(static_cast<double>(a.n_values));
  double largest = a.largest_value;  // of all values: at least their root mean square
  if (share_l2 > 0) {
    largest = std::max(largest, share_l2 / std::sqrt(static_cast<double>(a.n_values)));
  }
  a.is_within = a.largest_error <= (12 * u + stored_u) * largest + floor &&
                l2_error <= a.relative_l2_bound * l2_value + l2_floor;
  return a;
}

void add_norms(agreement& of_sample, double result_norm, double expected_norm, std::size_t n_values,
               std::size_t n, precision real) {
  const double distance = std::abs(result_norm - expected_norm);
  const double floor = underflow_floor(n, real) * std::sqrt(static_cast<double>(n_values));
  of_sample.norm_error =
      expected_norm > 0 ? distance / expected_norm : (distance > 0 ? infinity : 0);
  if (!(of_sample.norm_error <= infinity)) of_sample.norm_error = infinity;  // NaN
  if (!(distance <= relative_bound(n, real) * expected_norm + floor)) of_sample.is_within = false;
}

}  // namespace wingbeat::cli
