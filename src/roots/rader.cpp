// SPDX-License-Identifier: Apache-2.0
#include "roots/rader.hpp"

#include "roots/plain_transform.hpp"    // plain_transform
#include "roots/root_products.hpp"      // root_products
#include "wingbeat/device/factors.hpp"  // greatest_factor, is_product_of_radices

namespace wingbeat {
namespace {

/// Returns the powers of g until one repeats: all residues but 0 if g is a root.
std::vector<std::size_t> powers_of(std::size_t g, std::size_t p) {
  std::vector<std::size_t> powers{1};
  for (std::size_t next = g; next != 1; next = next * g % p) powers.push_back(next);
  return powers;
}

}  // namespace

bool is_prime(std::size_t points) {
  return points > 1 && device::greatest_factor(static_cast<unsigned>(points)) == points;
}

bool is_rader_length(std::size_t points) {
  return points > 2 && device::is_product_of_radices(points - 1) && is_prime(points);
}

rader::rader(std::size_t points, bool is_forward, std::size_t pairs) {
  const std::size_t n = points - 1, total = pairs > 0 ? 2 * pairs : n;
  for (std::size_t g = 2; powers.size() < n; ++g) powers = powers_of(g, points);
  const root_products<long double> root_of{points};
  std::vector<std::complex<long double>> roots(total), bins(total);
  for (std::size_t i = 0; i < n; ++i) {
    auto root = root_of(powers[(n - i) % n]) / static_cast<long double>(total);
    if (!is_forward) root = std::conj(root);
    if (pairs > 0) root = root.real() - root.imag();
    roots[i] = root;
    if (i > 0) roots[total - n + i] = root;
  }
  plain_transform<long double>{total}(roots.data(), 1, total, bins.data());
  spectrum.assign(bins.begin(), bins.end());
}

std::array<std::vector<std::complex<double>>, 2> real_factors_of(const rader& forward) {
  const std::size_t reals = forward.spectrum.size(), n = reals / 2;
  const root_products<long double> root_of{reals};
  using number = std::complex<long double>;
  const auto bin = [&](std::size_t k) { return number{forward.spectrum[k]}; };
  std::array<std::vector<std::complex<double>>, 2> factors;
  for (std::size_t k = 0; k < n; ++k) {
    // Sums of two without 1/2, because an inverse of half as many numbers is scaled by twice as
    // much.
    const number even = bin(k) + bin(k + n);
    const number odd = (bin(k) - bin(k + n)) * std::conj(root_of(k)) * number{0, 0.5L};
    const number turned = root_of(2 * k);
    factors[0].emplace_back(even + odd * (number{1} - turned));
    factors[1].emplace_back(odd * (number{1} + turned));
  }
  return factors;
}

}  // namespace wingbeat
