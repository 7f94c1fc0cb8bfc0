// SPDX-License-Identifier: Apache-2.0
#include "chirp.hpp"

#include <type_traits>  // is_same_v

#include "plain_transform.hpp"  // plain_transform
#include "root_products.hpp"    // root_products

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
    square = (square + 2 * n + 1) % (2 * points);
  }
}

/// Returns the spectrum of the chirp's conjugates, which lie around 0, over `total`.
template <class Work>
std::vector<std::complex<double>> spectrum_of(std::size_t points, std::size_t total,
                                              bool is_forward) {
  std::vector<std::complex<Work>> conjugates(total), bins(total);
  each_factor<Work>(points, is_forward, [&](std::size_t n, const std::complex<Work>& factor) {
    conjugates[n] = std::conj(factor) / static_cast<Work>(total);
    conjugates[(total - n) % total] = conjugates[n];
  });
  plain_transform<Work>{total}(conjugates.data(), 1, total, bins.data());
  if constexpr (std::is_same_v<Work, double>) return bins;
  return {bins.begin(), bins.end()};
}

}  // namespace

chirp::chirp(std::size_t points_given, std::size_t total_given, bool is_forward)
    : points(points_given), total(total_given) {
  constexpr std::size_t most_in_long_double = std::size_t{1} << 20;
  each_factor<double>(points, is_forward, [&](std::size_t, const std::complex<double>& factor) {
    factors.push_back(factor);
  });
  spectrum = total <= most_in_long_double ? spectrum_of<long double>(points, total, is_forward)
                                          : spectrum_of<double>(points, total, is_forward);
}

}  // namespace wingbeat
