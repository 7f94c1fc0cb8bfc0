// SPDX-License-Identifier: Apache-2.0
#include "roots/chirp.hpp"

#include "roots/plain_transform.hpp"  // plain_transform
#include "roots/root_products.hpp"    // root_products

namespace wingbeat {
namespace {

/// Calls take(n, c[n]) for n < N.
template <class Work, class Take>
void each_factor(std::size_t points, bool is_forward, const Take& take) {
  const root_products<Work> root_of{2 * points};
  std::size_t square = 0;  // n^2 mod 2 N
  for (std::size_t n = 0; n < points; ++n) {
    const auto root = root_of(square);
    take(n, is_forward ? root : std::conj(root));
    square += 2 * n + 1;
    if (square >= 2 * points) square -= 2 * points;
  }
}

/// Returns the conjugates of c[n], n < N, over M, at n for outputs and at -n for inputs within M
/// points, ready to be transformed.
template <class Work>
std::vector<std::complex<Work>> conjugates_around_0(const std::vector<std::complex<Work>>& factors,
                                                    const chirp& whole) {
  const std::size_t total = whole.total;
  std::vector<std::complex<Work>> row(total);
  for (std::size_t n = 0; n < factors.size(); ++n) {
    const auto factor = std::conj(factors[n]) / static_cast<Work>(total);
    if (n < whole.inputs) row[(total - n) % total] = factor;
    if (n < whole.outputs) row[n] = factor;
  }
  return row;
}

std::vector<std::complex<double>> spectrum_in_long_double(const chirp& whole, bool is_forward) {
  std::vector<std::complex<long double>> factors(whole.points), bins(whole.total);
  each_factor<long double>(whole.points, is_forward,
                           [&](std::size_t n, const auto& factor) { factors[n] = factor; });
  plain_transform<long double>{whole.total}(conjugates_around_0(factors, whole).data(), 1,
                                            whole.total, bins.data());
  return {bins.begin(), bins.end()};
}

}  // namespace

chirp::chirp(std::size_t points_given, std::size_t total_given, bool is_forward, precision real,
             std::size_t bins, row_transform transform)
    : points(points_given),
      total(total_given),
      inputs(bins == 0 || is_forward ? points : bins),
      outputs(bins == 0 || !is_forward ? points : bins),
      factors(points_given) {
  const std::size_t most_in_long_double = std::size_t{1} << (real == precision::fp64 ? 20 : 12);
  each_factor<double>(points, is_forward,
                      [&](std::size_t n, const auto& factor) { factors[n] = factor; });
  if (transform == nullptr || total <= most_in_long_double) {
    spectrum = spectrum_in_long_double(*this, is_forward);
  } else {
    spectrum = conjugates_around_0(factors, *this);
    transform(spectrum);
  }
}

}  // namespace wingbeat
