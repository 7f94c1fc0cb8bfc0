// SPDX-License-Identifier: Apache-2.0
#include "verify/tolerance.hpp"

#include <algorithm>  // max
#include <cmath>      // log2, sqrt
#include <limits>     // numeric_limits

#include "wingbeat/good_length.hpp"  // has_small_factors

namespace wingbeat::verify {
namespace {

precision computed_in(precision real) {
  return real == precision::fp64 ? precision::fp64 : precision::fp32;
}

/// Returns the smallest normal number, or for fp16 the smallest subnormal one: each of log2 N
/// stages may lose it.
double smallest_of(precision real) {
  switch (real) {
    case precision::fp64: return std::numeric_limits<double>::min();
    case precision::fp16: return 0x1p-24;
    case precision::fp32:
    case precision::bf16: break;
  }
  return std::numeric_limits<float>::min();
}

}  // namespace

double unit_roundoff(precision real) noexcept {
  switch (real) {
    case precision::fp32: return 0x1p-24;
    case precision::fp64: return 0x1p-53;
    case precision::fp16: return 0x1p-11;
    case precision::bf16: return 0x1p-8;
  }
  return 0;
}

double relative_bound(long double n, precision real) {
  const precision computed = computed_in(real);
  const double c = computed == precision::fp64 ? 1.25 : 1.0;
  const double chirp = good_lengths::has_small_factors(static_cast<std::size_t>(n)) ? 1.0 : 1.3;
  return chirp * c * unit_roundoff(computed) * std::sqrt(std::log2(static_cast<double>(n)));
}

/// The table bounds the mean over many rows. The few roundings of one short row may exceed it: the
/// worst of 20000 noise rows of 8 to 64 values had 3.1 u.
error_bound bound_of(const computation& how) {
  const precision stored = how.stored.value_or(how.real);
  const double u = unit_roundoff(computed_in(how.real)), stored_u = unit_roundoff(stored);
  const double storing = stored_u > u ? stored_u : 0, added = how.n_roundings * u;
  const double stages = std::sqrt(how.n_transforms);
  return {.relative_l2 = added + stages * (how.n <= 64 ? 4 * u : relative_bound(how.n, how.real)),
          .largest = stages * 12 * u + added,
          .stored = storing,
          .floor = std::max(smallest_of(how.real), smallest_of(stored)) *
                       std::log2(static_cast<double>(how.n)) +
                   how.floor};
}

}  // namespace wingbeat::verify
