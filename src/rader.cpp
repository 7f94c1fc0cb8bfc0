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

}  // namespace wingbeat
