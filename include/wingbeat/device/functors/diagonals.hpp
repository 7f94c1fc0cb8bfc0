// SPDX-License-Identifier: Apache-2.0
// Transforms of n reals to n reals, a factor per coefficient, and the transform back, in one row:
// reals to bins and back. As in reductions.hpp, the row loads load(line, i) from a line and stores
// its reals by store(line, i, value). Between them bin k becomes changed(factors, k, bin), where
// get(j) of `factors` is the factor of coefficient j, and root(e) a root as in a line.
#pragma once

#include "wingbeat/device/complex.hpp"              // complex, conj
#include "wingbeat/device/functors/reductions.hpp"  // folded_samples, even_extension
#include "wingbeat/device/port.hpp"                 // WINGBEAT_FN, size

namespace wingbeat::device::functors {

/// DCT-I and back.
struct even_diagonal : even_extension {
  static constexpr bool stores_reals = true, gathers = false;

  template <class Real, class Factors>
  WINGBEAT_FN static complex<Real> changed(const Factors& factors, size k, complex<Real> bin) {
    return {factors.get(k) * bin.re, Real(0)};
  }
  template <class Real, class Line>
  WINGBEAT_FN static void store(const Line& y, size i, Real value) {
    if (i < y.length()) y.put(i, value);
  }
};

/// DST-I and back.
struct odd_diagonal : odd_extension {
  static constexpr bool stores_reals = true, gathers = false;

  template <class Real, class Factors>
  WINGBEAT_FN static complex<Real> changed(const Factors& factors, size k, complex<Real> bin) {
    if (k == 0 || k > factors.length()) return {Real(0), Real(0)};
    return {Real(0), factors.get(k - 1) * bin.im};
  }
  template <class Real, class Line>
  WINGBEAT_FN static void store(const Line& y, size i, Real value) {
    if (i >= 1 && i <= y.length()) y.put(i - 1, value);
  }
};

/// DCT-II, and DCT-III back, scaled by 2: y[k] and y[n-k] depend on bin k alone, and it on them.
struct folded_diagonal : folded_samples {
  static constexpr bool stores_reals = true, gathers = false;

  template <class Real, class Factors>
  WINGBEAT_FN static complex<Real> changed(const Factors& factors, size k, complex<Real> bin) {
    const complex<Real> root = factors.root(k), turned = bin * root;
    const Real im = k == 0 ? Real(0) : factors.get(factors.length() - k) * turned.im;
    return complex<Real>{factors.get(k) * turned.re, im} * conj(root);
  }
  template <class Real, class Line>
  WINGBEAT_FN static void store(const Line& y, size i, Real value) {
    put_folded(y, i, value);
  }
};

/// DHT and back: bin k makes y[k] = Re - Im and y[n-k] = Re + Im.
struct cas_diagonal : cas_bins {
  static constexpr bool stores_reals = true, gathers = false;

  template <class Real, class Factors>
  WINGBEAT_FN static complex<Real> changed(const Factors& factors, size k, complex<Real> bin) {
    const size opposite = k == 0 ? 0 : factors.length() - k;
    const Real own = factors.get(k) * (bin.re - bin.im);
    const Real other = factors.get(opposite) * (bin.re + bin.im);
    return {(own + other) / 2, (other - own) / 2};
  }
  template <class Real, class Line>
  WINGBEAT_FN static void store(const Line& y, size i, Real value) {
    y.put(i, value);
  }
};

}  // namespace wingbeat::device::functors
