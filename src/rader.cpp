// SPDX-License-Identifier: Apache-2.0
#include "rader.hpp"

#include "plain_transform.hpp"          // plain_transform
#include "root_products.hpp"            // root_products
#include "wingbeat/device/factors.hpp"  // greatest_factor, is_product_of_radices

namespace wingbeat {
namespace {

/// Returns the powers of g until the first is met again: all residues but 0 if g is a root.
std::vector<std::size_t> powers_of(std::size_t g, std::size_t p) {
  std::vector<std::size_t> powers{1};
  for (std::size_t next = g; next != 1; next = next * g % p) powers.push_back(next);
  return powers;
}

}  // namespace

bool is_rader_length(std::size_t points) {
  if (points < 3 || !device::is_product_of_radices(points - 1)) return false;
  return device::greatest_factor(static_cast<unsigned>(points)) == points;
}

rader::rader(std::size_t points, bool is_forward) {
  const std::size_t n = points - 1;
  for (std::size_t g = 2; powers.size() < n; ++g) powers = powers_of(g, points);
  const root_products<long double> root_of{points};
  std::vector<std::complex<long double>> roots(n), bins(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto root = root_of(powers[(n - i) % n]);
    roots[i] = (is_forward ? root : std::conj(root)) / static_cast<long double>(n);
  }
  plain_transform<long double>{n}(roots.data(), 1, n, bins.data());
  spectrum.assign(bins.begin(), bins.end());
}

std::array<std::vector<std::complex<double>>, 2> real_factors_of(const rader& forward) {
  const std::size_t reals = forward.spectrum.size(), n = reals / 2;
  const root_products<long double> root_of{reals};
  using number = std::complex<long double>;
  // Roots are even where real, odd where imaginary, of a number half of all further on: so are the
  // bins of cas, which is the real part less the imaginary part.
  const auto bin = [&](std::size_t k) {
    const number whole{forward.spectrum[k]};
    return k % 2 == 0 ? whole : number{0, 1} * whole;
  };
  std::array<std::vector<std::complex<double>>, 2> factors;
  for (std::size_t k = 0; k < n; ++k) {
    // Sums of two, because a transform back of half as many numbers is scaled by twice as much.
    const number even = bin(k) + bin(k + n);
    const number odd = (bin(k) - bin(k + n)) * std::conj(root_of(k)) * number{0, 0.5L};
    const number turned = root_of(2 * k);
    factors[0].emplace_back(even + odd * (number{1} - turned));
    factors[1].emplace_back(odd * (number{1} + turned));
  }
  return factors;
}

}  // namespace wingbeat
