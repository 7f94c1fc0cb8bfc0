// SPDX-License-Identifier: Apache-2.0
#include "request/matrix_of_reals.hpp"

#include <numbers>  // sqrt2_v

#include "wingbeat/roots.hpp"  // root

namespace wingbeat::request {
namespace {

constexpr long double root_2 = std::numbers::sqrt2_v<long double>;

/// Returns the factor of x[j] in element k, for kinds other than sines of half steps.
long double factor_of(const traits& kind, std::size_t j, std::size_t k, std::size_t n) {
  const std::size_t order = kind.order(n);
  const auto w = root(kind.place_in(j) * kind.place_out(k) % order, order);
  if (kind.functions == basis::cas) return w.real() - w.imag();
  const long double part = kind.functions == basis::cosine ? w.real() : -w.imag();
  return kind.is_own_mirror_in(j, n) ? part : 2 * part;
}

}  // namespace

matrix_of_reals::matrix_of_reals(const traits& kind, std::size_t n, bool orthogonalizes,
                                 long double scale)
    : terms(n), factors(n * n) {
  const bool is_made = kind.functions == basis::sine && (kind.half_in || kind.half_out);
  const bool alternates_in = is_made && kind.half_in && !kind.half_out;
  traits cosines = kind;
  if (is_made) cosines.functions = basis::cosine;
  for (std::size_t t = 0; t < n; ++t) terms[t] = is_made && !alternates_in ? n - 1 - t : t;
  for (std::size_t row = 0; row < n; ++row) {
    const std::size_t k = alternates_in ? n - 1 - row : row;
    for (std::size_t t = 0; t < n; ++t) {
      const bool is_negative = is_made && (alternates_in ? t : row) % 2 == 1;
      long double factor = scale * factor_of(cosines, t, k, n) * (is_negative ? -1 : 1);
      if (orthogonalizes && kind.is_own_mirror_in(terms[t], n)) factor *= root_2;
      if (orthogonalizes && kind.is_own_mirror_out(row, n)) factor /= root_2;
      factors[row * n + t] = factor;
    }
  }
}

}  // namespace wingbeat::request
