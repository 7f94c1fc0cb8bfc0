// SPDX-License-Identifier: Apache-2.0
// The kinds of transforms as a table of traits. Other code asks for a trait, and compares kinds
// only where one kind has a rule of its own.
#pragma once

#include <cstddef>  // size_t
#include <string_view>

#include "wingbeat/plan.hpp"  // transform

namespace wingbeat::request {

/// The elements on one side of a transform of N points, along its axis.
enum class domain {
  complex,   ///< N complex numbers.
  real,      ///< N real numbers.
  hermitian  ///< Bins 0 .. N/2, complex numbers. Bin N-k, which is not stored, is the conjugate of
             ///< bin k.
};

/// Returns the number of elements for n points.
[[nodiscard]] constexpr std::size_t count_of(domain values, std::size_t n) {
  return values == domain::hermitian ? n / 2 + 1 : n;
}

/// Returns the number of reals in one element.
[[nodiscard]] constexpr std::size_t reals_of(domain values) {
  return values == domain::real ? 1 : 2;
}

/// The functions in the sum of a transform.
enum class basis {
  exponential,  ///< exp(-+ 2 pi i jk/N)
  cosine,
  sine,
  cas  ///< (cos + sin)(2 pi jk/N)
};

/// A kind of transform, along its last axis.
struct traits {
  transform kind;
  std::string_view name;        ///< Name of its enumerator.
  std::string_view short_name;  ///< For commands.
  bool is_forward;              ///< w = exp(-2 pi i / N), else exp(+2 pi i / N).
  domain in, out;
  transform opposite;    ///< The kind that undoes it, up to a factor.
  transform other_axes;  ///< The kind along the axes before the last.
  basis functions = basis::exponential;
  bool half_in = false;   ///< Cosines and sines: samples stand between the points of the grid,
  bool half_out = false;  ///< and so do frequencies.

  /// Returns whether its half spectrum is the conjugate of what engines compute: bins of a forward
  /// transform, from reals and back.
  [[nodiscard]] constexpr bool is_conjugated() const {
    return is_real() && is_forward != (in == domain::real);
  }
  /// Returns whether engines compute it with w = exp(-2 pi i / N).
  [[nodiscard]] constexpr bool computes_forward() const { return is_forward != is_conjugated(); }
  /// Returns whether one of its sides is real.
  [[nodiscard]] constexpr bool is_real() const { return in == domain::real || out == domain::real; }
  /// Returns whether both sides are real, and every axis may have its own kind.
  [[nodiscard]] constexpr bool is_real_to_real() const { return in == out && is_real(); }
  /// Returns whether one side is half of a spectrum.
  [[nodiscard]] constexpr bool has_half_spectrum() const { return in != out; }
  /// Returns the fewest points of an axis.
  [[nodiscard]] constexpr std::size_t min_length() const { return kind == transform::dct1 ? 2 : 1; }
  /// Returns whether element i of n is its own mirror image: for cosines and sines, on a side whose
  /// elements stand on the grid.
  [[nodiscard]] constexpr bool is_own_mirror_in(std::size_t i, std::size_t n) const {
    return !half_in && is_own_mirror(i, n);
  }
  [[nodiscard]] constexpr bool is_own_mirror_out(std::size_t i, std::size_t n) const {
    return !half_out && is_own_mirror(i, n);
  }
  /// Returns the period, in points, of the functions that continue n points. The transform and its
  /// opposite together multiply by it.
  [[nodiscard]] constexpr std::size_t logical_length(std::size_t n) const {
    if (functions != basis::cosine && functions != basis::sine) return n;
    if (half_in || half_out) return 2 * n;
    return functions == basis::cosine ? 2 * (n - 1) : 2 * (n + 1);
  }
  /// Returns p of sample j, and q of element k; the functions of n points have the angles
  /// 2 pi p q / order(n).
  [[nodiscard]] constexpr std::size_t place_in(std::size_t j) const { return place(j, half_in); }
  [[nodiscard]] constexpr std::size_t place_out(std::size_t k) const { return place(k, half_out); }
  [[nodiscard]] constexpr std::size_t order(std::size_t n) const {
    return logical_length(n) * (half_in ? 2 : 1) * (half_out ? 2 : 1);
  }

 private:
  [[nodiscard]] constexpr std::size_t place(std::size_t i, bool is_half) const {
    if (is_half) return 2 * i + 1;
    return functions == basis::sine ? i + 1 : i;
  }
  [[nodiscard]] constexpr bool is_own_mirror(std::size_t i, std::size_t n) const {
    if (functions == basis::cosine) return i == 0 || 2 * i == logical_length(n);
    return functions == basis::sine && 2 * (i + 1) == logical_length(n);
  }
};

/// Returns the row of a kind from reals to reals.
[[nodiscard]] constexpr traits real_kind(transform kind, std::string_view name, transform opposite,
                                         basis functions, bool half_in, bool half_out) {
  return {kind,     name, name,      true,    domain::real, domain::real,
          opposite, kind, functions, half_in, half_out};
}

/// One row for each kind, in the order of `transform`.
inline constexpr traits kinds[] = {
    {transform::forward, "forward", "c2c", true, domain::complex, domain::complex,
     transform::inverse, transform::forward},
    {transform::inverse, "inverse", "c2c-inverse", false, domain::complex, domain::complex,
     transform::forward, transform::inverse},
    {transform::forward_from_real, "forward_from_real", "r2c", true, domain::real,
     domain::hermitian, transform::inverse_to_real, transform::forward},
    {transform::inverse_to_real, "inverse_to_real", "c2r", false, domain::hermitian, domain::real,
     transform::forward_from_real, transform::inverse},
    real_kind(transform::dct1, "dct1", transform::dct1, basis::cosine, false, false),
    real_kind(transform::dct2, "dct2", transform::dct3, basis::cosine, true, false),
    real_kind(transform::dct3, "dct3", transform::dct2, basis::cosine, false, true),
    real_kind(transform::dct4, "dct4", transform::dct4, basis::cosine, true, true),
    real_kind(transform::dst1, "dst1", transform::dst1, basis::sine, false, false),
    real_kind(transform::dst2, "dst2", transform::dst3, basis::sine, true, false),
    real_kind(transform::dst3, "dst3", transform::dst2, basis::sine, false, true),
    real_kind(transform::dst4, "dst4", transform::dst4, basis::sine, true, true),
    real_kind(transform::dht, "dht", transform::dht, basis::cas, false, false),
};

/// Returns the traits of a kind; it must be an enumerator.
[[nodiscard]] constexpr const traits& traits_of(transform kind) noexcept {
  return kinds[static_cast<std::size_t>(kind)];
}

}  // namespace wingbeat::request
