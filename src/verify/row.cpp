// SPDX-License-Identifier: Apache-2.0
#include "verify/row.hpp"

#include <algorithm>   // copy, max
#include <cmath>       // cos, isnan, ldexp, sin, sqrt
#include <functional>  // multiplies
#include <limits>      // numeric_limits
#include <numbers>     // pi_v
#include <numeric>     // accumulate
#include <random>      // mt19937_64

namespace wingbeat::verify {
value root(transform kind, std::size_t k, std::size_t n) {
  // The nearest quarter turn in integers: k/n = quarters/4 + rest/(4n), |rest| <= n/2.
  const auto quadruple = static_cast<long long>(4 * (k % n));
  const auto turn = static_cast<long long>(n);
  const long long quarters = (2 * quadruple + turn) / (2 * turn);
  const long long rest = quadruple - quarters * turn;
  const long double angle =
      std::numbers::pi_v<long double> / 2 * static_cast<long double>(rest) / n;
  value w{std::cos(angle), std::sin(angle)};
  for (long long q = 0; q < quarters; ++q) w = {-w.imag(), w.real()};
  return traits_of(kind).is_forward ? std::conj(w) : w;
}

namespace {

/// Returns the factor of x[j] in element k of n points, for a kind from reals to reals.
long double real_factor(const request::traits& kind, std::size_t j, std::size_t k, std::size_t n) {
  const value w = root(transform::inverse, kind.place_in(j) * kind.place_out(k), kind.order(n));
  if (kind.functions == request::basis::cas) return w.real() + w.imag();
  const long double part = kind.functions == request::basis::cosine ? w.real() : w.imag();
  return kind.is_own_mirror_in(j, n) ? part : 2 * part;
}

}  // namespace

std::size_t points_of(const shape& over) noexcept {
  return std::accumulate(over.begin(), over.end(), std::size_t{1}, std::multiplies<>{});
}

std::size_t logical_points_of(transform kind, const shape& over) noexcept {
  std::size_t product = 1;
  for (const std::size_t n : over) product *= traits_of(kind).logical_length(n);
  return product;
}

std::size_t shifted(std::size_t j, std::size_t s, const shape& over) {
  std::size_t point = 0, step = 1;
  for (auto n = over.rbegin(); n != over.rend(); ++n) {
    point += (j % *n + s % *n) % *n * step;
    j /= *n;
    s /= *n;
    step *= *n;
  }
  return point;
}

std::size_t mirrored(std::size_t j, const shape& over) {
  std::size_t point = 0, step = 1;
  for (auto n = over.rbegin(); n != over.rend(); ++n) {
    point += (*n - j % *n) % *n * step;
    j /= *n;
    step *= *n;
  }
  return point;
}

value root(transform kind, std::size_t j, std::size_t k, const shape& over) {
  const bool is_real = traits_of(kind).is_real_to_real();
  if (over.size() == 1 && !is_real) return root(kind, j * k, over.front());
  value w = 1;
  for (auto n = over.rbegin(); n != over.rend(); ++n) {
    w *= is_real ? real_factor(traits_of(kind), j % *n, k % *n, *n)
                 : root(kind, j % *n * (k % *n), *n);
    j /= *n;
    k /= *n;
  }
  return w;
}

value bin_by_definition(transform kind, const row& x, std::size_t k, const shape& over) {
  value sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) sum += x[j] * root(kind, j, k, over);
  return sum;
}

row noise(domain within, const shape& over, std::uint64_t seed, int bits) {
  std::mt19937_64 random{seed};
  const auto part = [&] {
    const auto steps = random() % ((std::uint64_t{2} << bits) + 1);
    return std::ldexp(static_cast<long double>(steps), -bits) - 1;
  };
  row x(points_of(over));
  for (auto& z : x) z = {part(), within == domain::real ? 0 : part()};
  if (within == domain::hermitian) {
    for (std::size_t k = 0; k < x.size(); ++k) {
      const std::size_t opposite_bin = mirrored(k, over);
      if (opposite_bin == k) x[k] = x[k].real();
      if (opposite_bin > k) x[opposite_bin] = std::conj(x[k]);
    }
  }
  return x;
}

row rounded(row x, precision real) {
  for (auto& z : x) {
    if (real == precision::fp32) {
      z = {static_cast<float>(z.real()), static_cast<float>(z.imag())};
    } else {
      z = {static_cast<double>(z.real()), static_cast<double>(z.imag())};
    }
  }
  return x;
}

long double norm(const row& x) {
  long double energy = 0;
  for (const auto& z : x) energy += std::norm(z);
  return std::sqrt(energy);
}

long double largest(const row& x) {
  long double most = 0;
  for (const auto& z : x) {
    if (std::isnan(std::abs(z))) return std::abs(z);
    most = std::max(most, std::abs(z));
  }
  return most;
}

}  // namespace wingbeat::verify
