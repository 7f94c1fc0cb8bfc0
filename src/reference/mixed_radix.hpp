// SPDX-License-Identifier: Apache-2.0
// Any length, decimation in time: digit reversal, then one stage for each prime factor P of N.
// With f_0, f_1, .. the factors, the fastest digit of j is the first:
//     j = d_0 + f_0 (d_1 + f_1 (d_2 + ..))   starts at   ((d_0 f_1 + d_1) f_2 + d_2) ..
//     N = 6 = 2 x 3:   0 1 2 3 4 5   ->   0 2 4 1 3 5
#pragma once

#include <algorithm>  // copy
#include <bit>        // has_single_bit
#include <cstddef>    // size_t
#include <vector>

#include "reference/root_of_unity.hpp"  // row
#include "text/reject.hpp"              // reject

namespace wingbeat::reference {

/// Returns the smallest prime factor of n, from 2 on.
constexpr std::size_t smallest_factor(std::size_t n) {
  for (std::size_t factor = 2; factor * factor <= n; ++factor) {
    if (n % factor == 0) return factor;
  }
  return n;
}

/// Returns the prime factors of n, in rising order.
inline std::vector<std::size_t> prime_factors(std::size_t n) {
  std::vector<std::size_t> factors;
  for (; n > 1; n /= factors.back()) factors.push_back(smallest_factor(n));
  return factors;
}

/// Throws `plan_error` unless `n` is a power of two: `variant` takes no other length.
inline void require_power_of_two(std::size_t n, const char* variant) {
  if (std::has_single_bit(n)) return;
  reject(
      "{} takes powers of two alone and the row has {} values; transform it by iterative, "
      "recursive or dft_by_definition",
      variant, n);
}

/// Moves each x[j] to the place whose digits are those of j, reversed.
template <class Real>
void reverse_digits(row<Real>& x, const std::vector<std::size_t>& factors) {
  const row<Real> samples = x;
  for (std::size_t j = 0; j < x.size(); ++j) {
    std::size_t place = 0, rest = j;
    for (const std::size_t factor : factors) {
      place = place * factor + rest % factor;
      rest /= factor;
    }
    x[place] = samples[j];
  }
}

/// Replaces x, of any length, by its DFT. `roots` holds w^0 .. w^(N-1), and their sign is the
/// direction.  Scale: none.  Cost: (P - 1) N complex multiplications for each prime factor P.
template <class Real>
void mixed_radix(row<Real>& x, const row<Real>& roots) {
  const std::size_t n = x.size();
  const auto factors = prime_factors(n);
  reverse_digits(x, factors);
  std::size_t part = 1;  // length of the transforms that are complete
  for (auto factor = factors.rbegin(); factor != factors.rend(); ++factor) {
    const std::size_t whole = part * *factor, stride = n / whole;  // w of length whole is w^stride
    row<Real> bins(whole);
    for (std::size_t first = 0; first < n; first += whole) {
      for (std::size_t k = 0; k < whole; ++k) {
        bins[k] = x[first + k % part];
        for (std::size_t r = 1; r < *factor; ++r) {
          bins[k] += roots[r * k % whole * stride] * x[first + r * part + k % part];
        }
      }
      std::copy(bins.begin(), bins.end(), x.begin() + static_cast<std::ptrdiff_t>(first));
    }
    part = whole;
  }
}

}  // namespace wingbeat::reference
