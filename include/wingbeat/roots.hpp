// SPDX-License-Identifier: Apache-2.0
// Computes the roots of unity that a transform inside your own kernel reads, for the host to copy
// to the device. Header only, C++17: nvcc compiles it too, and nothing needs to be linked.
#pragma once

#include <cmath>    // cos, sin
#include <complex>  // complex
#include <cstddef>  // size_t
#include <vector>

#include "wingbeat/device/workgroup/schedule.hpp"  // schedule

namespace wingbeat {

/// Returns exp(-2 pi i e / m), correct in long double except for the last place.
inline std::complex<long double> root(std::size_t e, std::size_t m) {
  // (cos a, -sin a); fold a into the first octant, where both are accurate.
  e %= m;
  const std::size_t octant = 8 * e / m;
  const std::size_t rest = 8 * e - octant * m;  // offset within the octant, in units of 1/(8 m)
                                                // turn
  const std::size_t folded = octant % 2 == 0 ? rest : m - rest;
  constexpr long double quarter_pi = 0.785398163397448309615660845819875721L;
  const long double angle =
      quarter_pi * static_cast<long double>(folded) / static_cast<long double>(m);
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

/// Returns the table of a transform's stages, `plan.table_entries()` roots in the layout of
/// wingbeat/device/twiddle.hpp:  for each stage with twiddles, [row][k], k < P.
inline std::vector<std::complex<long double>> roots_of(device::workgroup::schedule plan) {
  std::vector<std::complex<long double>> table;
  for (unsigned stage = 0; stage < plan.count(); ++stage) {
    const std::size_t radix = plan.radix(stage);
    const std::size_t place = plan.place_value(stage);
    if (place == 1) continue;
    for (unsigned row = 0; row < plan.rows(stage); ++row) {
      const std::size_t e = plan.row_exponent(stage, row);
      for (unsigned entry = 0; entry < place; ++entry) {
        table.push_back(root(e * plan.power_of(stage, entry), place * radix));
      }
    }
  }
  return table;
}

/// Returns the table that `Fft::execute` reads (fft, real_fft, two_real_fft), rounded once, ready
/// to be copied to the device. Never empty, so that a pointer to it is always valid.
///     using fft = device::workgroup::fft<device::workgroup::shape<4096, 8>, float, ...>;
///     const auto table = roots_of<fft>();
template <class Fft>
std::vector<typename Fft::register_type> roots_of() {
  using real = decltype(typename Fft::register_type{}.re);
  std::vector<typename Fft::register_type> table;
  auto exact = roots_of(Fft::plan);
  if constexpr (Fft::real_roots > 0) {
    for (std::size_t k = 0; k < Fft::real_roots; ++k) exact.push_back(root(k, Fft::length));
  }
  for (const auto& w : exact) table.push_back({real(w.real()), real(w.imag())});
  if (table.empty()) table.push_back({real(1.0), real(0.0)});
  return table;
}

}  // namespace wingbeat
