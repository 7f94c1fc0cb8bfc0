// SPDX-License-Identifier: Apache-2.0
// Roots of unity, read from tables that the host computed in long double and rounded once.
// A table holds forward roots w = exp(-2 pi i / M); inverse transforms conjugate them.
#pragma once

#include "wingbeat/device/complex.hpp"    // complex
#include "wingbeat/device/direction.hpp"  // direction
#include "wingbeat/device/index.hpp"      // minimum, log2_of
#include "wingbeat/device/port.hpp"       // WINGBEAT_FN, WINGBEAT_GLOBAL

namespace wingbeat::device::twiddle {

/// Returns z times w, or z times conj(w) for the inverse.
template <direction Dir, class Real>
WINGBEAT_FN constexpr complex<Real> apply(complex<Real> z, complex<Real> w) {
  if constexpr (Dir == direction::forward) {
    return z * w;
  } else {
    return z * conj(w);
  }
}

// Table of one Stockham stage, radix R after prior length P:  [row][k], k < P, holding
//     w^(e k),  w = exp(-2 pi i / (P R)),  e = 1, 2, 3 and 4, 8, 12 ... as far as e < R.
// Any w^(q k) is then one entry, or the product of two: w^((q mod 4) k) w^((q - q mod 4) k).

/// Returns the number of rows of a stage's table.
WINGBEAT_FN constexpr unsigned rows(unsigned radix) {
  return radix <= 4 ? radix - 1 : 3 + (radix - 1) / 4;
}

/// Returns the exponent e of a row.
WINGBEAT_FN constexpr unsigned row_exponent(unsigned row) {
  return row < 3 ? row + 1 : 4 * (row - 2);
}

/// Returns the row that holds exponent q, which is below 4 or a multiple of 4.
WINGBEAT_FN constexpr unsigned row_of(unsigned q) {
  return q < 4 ? q - 1 : q / 4 + 2;
}

/// Multiplies y[q] by w^(q k), q < R, with the roots of one stage.
template <direction Dir, unsigned Prior, class Real, unsigned R>
WINGBEAT_FN void apply_powers(complex<Real> (&y)[R], WINGBEAT_GLOBAL const complex<Real>* stage,
                              unsigned k) {
  constexpr unsigned n_rows = rows(R);
  complex<Real> root[n_rows];
  WINGBEAT_UNROLL
  for (unsigned row = 0; row < n_rows; ++row) root[row] = copied_from(stage + row * Prior + k);
  WINGBEAT_UNROLL
  for (unsigned q = 1; q < R; ++q) {
    if (q < 4 || q % 4 == 0) {
      y[q] = apply<Dir>(y[q], root[row_of(q)]);
    } else {
      y[q] = apply<Dir>(y[q], root[row_of(q % 4)] * root[row_of(q - q % 4)]);
    }
  }
}

/// Multiplies x[r] by first w^(r k), r < E, with the roots of a stage of radix E after prior length
/// P: row_root(i) is entry k of its row i. If `first` is v^(t k), element q = t + r T of a
/// butterfly is multiplied by v^(q k), v of order P E T.
template <direction Dir, class Real, unsigned E, class RowRoot>
WINGBEAT_FN void apply_powers_from(complex<Real> (&x)[E], complex<Real> first,
                                   const RowRoot& row_root) {
  constexpr unsigned low = minimum(E, 4u);
  complex<Real> roots[low];
  roots[0] = first;
  WINGBEAT_UNROLL
  for (unsigned q = 1; q < low; ++q) roots[q] = first * row_root(q - 1);
  WINGBEAT_UNROLL
  for (unsigned high = 0; high < E; high += low) {
    complex<Real> step{Real(1), Real(0)};
    if (high > 0) step = row_root(row_of(high));
    const unsigned count = minimum(low, E - high);
    WINGBEAT_UNROLL
    for (unsigned q = 0; q < count; ++q) {
      complex<Real> root = roots[q];
      if (high > 0) root = root * step;
      x[high + q] = apply<Dir>(x[high + q], root);
    }
  }
}

/// How all M roots exp(-2 pi i e / M), e < M, are stored: in one table if M is small, otherwise in
/// two, whose product has one rounding more:  fine[e mod S] coarse[e / S],  S = fine_length. S is a
/// power of two for any M, so that both indices take one operation.
struct root_tables {
  size m;
  size direct_limit = default_limit;
  static constexpr size default_limit = 1u << 13;

  WINGBEAT_FN constexpr bool is_direct() const { return m <= direct_limit; }
  WINGBEAT_FN constexpr size fine_length() const {
    return is_direct() ? m : size{1} << ((log2_of(m) + 1) / 2);
  }
  WINGBEAT_FN constexpr size coarse_length() const {
    return (m + fine_length() - 1) / fine_length();
  }
  WINGBEAT_FN constexpr size entries() const {
    return is_direct() ? m : fine_length() + coarse_length();
  }
};

/// Reads roots exp(-2 pi i e / M) from their tables.
template <class Real, size M, size DirectLimit = root_tables::default_limit>
struct roots {
  WINGBEAT_GLOBAL const complex<Real>* table;  // [fine_length], then [coarse_length]

  WINGBEAT_FN complex<Real> operator()(size e) const {
    constexpr root_tables tables{M, DirectLimit};
    if constexpr (tables.is_direct()) {
      return copied_from(table + e);
    } else {
      return copied_from(table + e % tables.fine_length()) *
             copied_from(table + tables.fine_length() + e / tables.fine_length());
    }
  }
};

}  // namespace wingbeat::device::twiddle
