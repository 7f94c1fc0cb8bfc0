// SPDX-License-Identifier: Apache-2.0
#include "planner/roots.hpp"

#include <cmath>    // cos, sin
#include <numbers>  // pi_v

#include "wingbeat/device/twiddle.hpp"  // rows, row_exponent, root_tables

namespace wingbeat::planner {
namespace {

using table = std::vector<std::complex<long double>>;

void append_stages(table& to, device::stages as) {
  for (unsigned stage = 1; stage < as.count(); ++stage) {
    const std::size_t radix = as.radix(stage);
    const std::size_t prior = as.prior(stage);
    for (unsigned row = 0; row < device::twiddle::rows(static_cast<unsigned>(radix)); ++row) {
      const std::size_t e = device::twiddle::row_exponent(row);
      for (std::size_t k = 0; k < prior; ++k) to.push_back(root(e * k, prior * radix));
    }
  }
}

void append_all(table& to, std::size_t m) {
  const device::twiddle::root_tables as{m};
  const std::size_t fine = as.fine_length();
  for (std::size_t e = 0; e < fine; ++e) to.push_back(root(e, m));
  if (as.is_direct()) return;
  for (std::size_t e = 0; e < m / fine; ++e) to.push_back(root(e * fine, m));
}

}  // namespace

std::complex<long double> root(std::size_t e, std::size_t m) {
  // exp(-2 pi i e / m) = (cos a, -sin a); fold a into the first octant, where both are accurate.
  e %= m;
  const std::size_t octant = 8 * e / m;
  const std::size_t rest = 8 * e - octant * m;  // within the octant, of m
  const std::size_t folded = octant % 2 == 0 ? rest : m - rest;
  const long double angle = std::numbers::pi_v<long double> / 4 * static_cast<long double>(folded) /
                            static_cast<long double>(m);
  const long double c = std::cos(angle);
  const long double s = std::sin(angle);
  switch (octant) {
    case 0: return {c, -s};
    case 1: return {s, -c};
    case 2: return {-s, -c};
    case 3: return {-c, -s};
    case 4: return {-c, s};
    case 5: return {-s, c};
    case 6: return {s, c};
    default: return {c, s};
  }
}

std::vector<std::complex<long double>> table_of(const pass& one) {
  table made;
  if (one.does == pass::kind::transform) {
    append_stages(made, {static_cast<unsigned>(one.length), one.elements_per_thread});
    if (one.prior > 1) append_all(made, one.prior * one.length);
  }
  const bool is_real = one.does == pass::kind::separate || one.source == row::half_spectrum ||
                       one.sink == row::half_spectrum;
  if (is_real) append_all(made, 2 * one.total);
  return made;
}

}  // namespace wingbeat::planner
