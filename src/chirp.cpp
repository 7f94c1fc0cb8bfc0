// SPDX-License-Identifier: Apache-2.0
#include "chirp.hpp"

#include <type_traits>  // is_same_v

#include "root_products.hpp"            // root_products, rounded_root
#include "wingbeat/device/factors.hpp"  // least_factor

namespace wingbeat {
namespace {

template <class Work>
std::complex<Work> product(std::complex<Work> a, std::complex<Work> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Forward transforms of divisors of one length.
template <class Work>
class plain_transform {
  using number = std::complex<Work>;

 public:
  explicit plain_transform(std::size_t total) : total_(total), root_of_(total) {}

  /// out becomes the transform of in[0], in[stride] .. of `n` points.
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
    number x[largest_radix], roots[largest_radix];
    for (std::size_t q = 0; q < radix; ++q) roots[q] = root_of_(q * (total_ / radix));
    for (std::size_t k = 0; k < rest; ++k) {
      for (std::size_t q = 0; q < radix; ++q) {
        x[q] = product(out[q * rest + k], root_of_(q * k * step));
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
  static constexpr std::size_t largest_radix = 13;  // of good lengths

  static std::size_t radix_of(std::size_t n) {
    for (const std::size_t radix : {8, 4}) {
      if (n % radix == 0) return radix;
    }
    return device::least_factor(static_cast<unsigned>(n));
  }

  std::size_t total_;
  root_products<Work> root_of_;
};

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
