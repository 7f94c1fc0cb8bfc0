// SPDX-License-Identifier: Apache-2.0
// A transform for a plan's own tables, where precision matters and time does not.
#pragma once

#include <complex>
#include <cstddef>  // size_t

#include "roots/root_products.hpp"      // root_products
#include "wingbeat/device/factors.hpp"  // largest_prime_radix, least_factor

namespace wingbeat {

/// Forward transforms of lengths that divide one product of radices.
template <class Work>
class plain_transform {
  using number = std::complex<Work>;

 public:
  explicit plain_transform(std::size_t total) : total_(total), root_of_(total) {}

  /// Sets out to the transform of in[0], in[stride] .., `n` points.
  void operator()(const number* in, std::size_t stride, std::size_t n, number* out) const {
    if (n == 1) {
      *out = *in;
      return;
    }
    const std::size_t radix = radix_of(n), rest = n / radix;
    for (std::size_t q = 0; q < radix; ++q) {
      (*this)(in + q * stride, stride * radix, rest, out + q * rest);
    }
    const std::size_t step = total_ / n;
    number x[device::largest_prime_radix], roots[device::largest_prime_radix];
    for (std::size_t q = 0; q < radix; ++q) roots[q] = root_of_(q * (total_ / radix));
    for (std::size_t k = 0; k < rest; ++k) {
      x[0] = out[k];
      for (std::size_t q = 1; q < radix; ++q) {
        x[q] = product(out[q * rest + k], root_of_(q * k * step));
      }
      if (radix == 4) {
        const number even = x[0] + x[2], odd = x[1] + x[3];
        const number first = x[0] - x[2],
                     turned = {x[1].imag() - x[3].imag(), x[3].real() - x[1].real()};
        out[k] = even + odd;
        out[rest + k] = first + turned;
        out[2 * rest + k] = even - odd;
        out[3 * rest + k] = first - turned;
        continue;
      }
      for (std::size_t p = 0; p < radix; ++p) {
        number sum = x[0];
        for (std::size_t q = 1; q < radix; ++q) {
          sum += product(x[q], roots[p * q % radix]);
        }
        out[p * rest + k] = sum;
      }
    }
  }

 private:
  /// Multiplies without std::complex's checks for infinities.
  static number product(number a, number b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }

  static std::size_t radix_of(std::size_t n) {
    return n % 4 == 0 ? 4 : device::least_factor(static_cast<unsigned>(n));
  }

  std::size_t total_;
  root_products<Work> root_of_;
};

}  // namespace wingbeat
