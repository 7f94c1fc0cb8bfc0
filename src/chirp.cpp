// SPDX-License-Identifier: Apache-2.0
#include "chirp.hpp"

#include "root_products.hpp"            // root_products
#include "wingbeat/device/factors.hpp"  // least_factor

namespace wingbeat {
namespace {

using number = std::complex<long double>;

number product(number a, number b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Forward transforms of divisors of one length, in long double.
class exact_transform {
 public:
  explicit exact_transform(std::size_t total) : total_(total) {
    const root_products<long double> root_of{total};
    for (std::size_t e = 0; e < total; ++e) roots_.push_back(root_of(e));
  }

  /// out becomes the transform of in[0], in[stride] .. of `n` points.
  void transform(const number* in, std::size_t stride, std::size_t n, number* out) const {
    if (n == 1) {
      *out = *in;
      return;
    }
    const std::size_t radix = device::least_factor(static_cast<unsigned>(n)), rest = n / radix;
    for (std::size_t q = 0; q < radix; ++q) {
      transform(in + q * stride, stride * radix, rest, out + q * rest);
    }
    const std::size_t step = total_ / n;
    std::vector<number> x(radix);
    for (std::size_t k = 0; k < rest; ++k) {
      for (std::size_t q = 0; q < radix; ++q) {
        x[q] = product(out[q * rest + k], roots_[q * k * step]);
      }
      for (std::size_t p = 0; p < radix; ++p) {
        number sum = x[0];
        for (std::size_t q = 1; q < radix; ++q) {
          sum += product(x[q], roots_[p * q % radix * (total_ / radix)]);
        }
        out[p * rest + k] = sum;
      }
    }
  }

 private:
  std::size_t total_;
  std::vector<number> roots_;
};

}  // namespace

chirp::chirp(std::size_t points_given, std::size_t total_given, bool is_forward)
    : points(points_given), total(total_given), spectrum(total_given) {
  const root_products<long double> root_of{2 * points};
  std::vector<number> conjugates(total);
  std::size_t square = 0;  // n^2 mod 2 N
  for (std::size_t n = 0; n < points; ++n) {
    const number root = root_of(square);
    factors.push_back(is_forward ? root : std::conj(root));
    conjugates[n] = conjugates[(total - n) % total] =
        std::conj(factors.back()) / static_cast<long double>(total);
    square = (square + 2 * n + 1) % (2 * points);
  }
  exact_transform{total}.transform(conjugates.data(), 1, total, spectrum.data());
}

}  // namespace wingbeat
