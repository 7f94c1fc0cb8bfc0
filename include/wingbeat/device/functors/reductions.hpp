// SPDX-License-Identifier: Apache-2.0
// Transforms of n reals to n reals by transforms of another kind. For each way, load(line, i) is
// element i of the inner transform, loaded from a line, and store(line, i, value) stores its
// elements. If outputs are gathered instead, output(line, t, value) makes output t from elements
// value(i), each prepared by prepared(line, i, value); 32 bits count them in local memory. A thread
// stores `at_once` outputs, few enough that neighbouring threads read neighbours. get(j) and
// put(k, y) of a line are real_line's. Sine transforms are cosine transforms of reversed lines with
// alternating signs, which the lines take care of:
//     DST-II x = reversed DCT-II (-1)^j x,   DST-III x = (-1)^k DCT-III reversed x,  and IV as III.
#pragma once

#include "wingbeat/device/complex.hpp"  // complex, conj
#include "wingbeat/device/port.hpp"     // WINGBEAT_FN, size

namespace wingbeat::device::functors {

/// A reduction that gathers outputs from unprepared elements.
struct gathered_parts {
  static constexpr bool gathers = true;
  static constexpr unsigned at_once = 1;
  template <class Real, class Line, class Value>
  WINGBEAT_FN static Value prepared(const Line&, size, Value value) {
    return value;
  }
};

/// DCT-I: the line continued by its mirror images to 2 n - 2 reals, whose bins are real.
struct even_extension : gathered_parts {
  template <class Real, class Line>
  WINGBEAT_FN static Real load(const Line& x, size i) {
    const size n = x.length();
    return x.get(i < n ? i : i - (n - 1), i >= n);
  }
  template <class Real, class Line>
  WINGBEAT_FN static void store(const Line& y, size k, complex<Real> bin) {
    y.put(k, bin.re);
  }
  template <class Real, class Line, class Value>
  WINGBEAT_FN static Real output(const Line&, unsigned t, const Value& value) {
    return value(t).re;
  }
};

/// DST-I: 0, the line, 0, and the line mirrored and negated, 2 n + 2 reals, whose bins are
/// imaginary.
struct odd_extension : gathered_parts {
  template <class Real, class Line>
  WINGBEAT_FN static Real load(const Line& x, size i) {
    const size n = x.length();
    const bool is_between = i == 0 || i == n + 1;
    const Real value = x.get(is_between ? 0 : i <= n ? i - 1 : i - (n + 2), i > n + 1);
    return is_between ? Real(0) : i <= n ? value : -value;
  }
  template <class Real, class Line>
  WINGBEAT_FN static void store(const Line& y, size k, complex<Real> bin) {
    if (k >= 1 && k <= y.length()) y.put(k - 1, -bin.im);
  }
  template <class Real, class Line, class Value>
  WINGBEAT_FN static Real output(const Line&, unsigned t, const Value& value) {
    return -value(t + 1).im;
  }
};

/// DCT-I for an odd M = n - 1, by M complex numbers. The 2 M reals of even_extension at even places
/// are M numbers, and so are those at odd places, both in the order of their places modulo M. By
/// the Chinese remainder theorem, bin h of their sum is element 2h, of their difference M + 2h.
/// Both sequences are their own mirror images, so their bins are real and share one complex row
///     z[i] = x[i] + x[M-i] + i (-1)^i (x[i] - x[M-i]),  y[2h] = Re Z[h],  y[M-2h] = Im Z[h]
/// I. J. Good, The interaction algorithm and practical Fourier analysis, J. R. Stat. Soc. B 20
/// (1958) 361.
struct even_halves : gathered_parts {
  static constexpr unsigned at_once = 2;
  template <class Real, class Line>
  WINGBEAT_FN static complex<Real> load(const Line& x, size i) {
    const Real near = x.get(i), far = x.get(i, true);
    return {near + far, i % 2 == 0 ? near - far : far - near};
  }
  template <class Real, class Line>
  WINGBEAT_FN static void store(const Line& y, size h, complex<Real> bin) {
    if (2 * h >= y.length()) return;
    y.put(2 * h, bin.re);
    y.put(2 * h, bin.im, true);
  }
  template <class Real, class Line, class Value>
  WINGBEAT_FN static Real output(const Line& y, unsigned t, const Value& value) {
    return t % 2 == 0 ? value(t / 2).re : value((unsigned(y.length()) - 1 - t) / 2).im;
  }
};

/// DST-I for an odd M = n + 1, likewise from odd_extension: with x[0] = x[M] = 0 at the ends
///     z[i] = x[i] - x[M-i] + i (-1)^i (x[i] + x[M-i]),  y[2h] = -Im Z[h],  y[M-2h] = -Re Z[h]
struct odd_halves : gathered_parts {
  static constexpr unsigned at_once = 2;
  template <class Real, class Line>
  WINGBEAT_FN static complex<Real> load(const Line& x, size i) {
    const size j = i == 0 ? 0 : i - 1;
    const Real near = x.get(j), far = x.get(j, true);
    const Real both = i % 2 == 0 ? near + far : -near - far;
    return {i == 0 ? Real(0) : near - far, i == 0 ? Real(0) : both};
  }
  template <class Real, class Line>
  WINGBEAT_FN static void store(const Line& y, size h, complex<Real> bin) {
    if (h == 0 || 2 * h > y.length()) return;
    y.put(2 * h - 1, -bin.im);
    y.put(2 * h - 1, -bin.re, true);
  }
  template <class Real, class Line, class Value>
  WINGBEAT_FN static Real output(const Line& y, unsigned t, const Value& value) {
    return t % 2 == 1 ? -value((t + 1) / 2).im : -value((unsigned(y.length()) - t) / 2).re;
  }
};

/// Returns element i of the order in which even elements ascend and odd ones then descend.
template <class Real, class Line>
WINGBEAT_FN Real get_folded(const Line& x, size i) {
  const size n = x.length();
  return x.get(2 * i < n ? 2 * i : 2 * i - n, 2 * i >= n);
}
template <class Real, class Line>
WINGBEAT_FN void put_folded(const Line& y, size i, Real value) {
  const size n = y.length();
  y.put(2 * i < n ? 2 * i : 2 * i - n, value, 2 * i >= n);
}

/// DCT-II by n reals v, evens ascending and odds descending, whose bins V give
///     y[k] = 2 Re w^k V[k],  y[n-k] = -2 Im w^k V[k],  w = exp(-2 pi i / 4n)
/// J. Makhoul, A fast cosine transform in one and two dimensions, IEEE Trans. ASSP 28 (1980) 27.
/// The inner transform is scaled by 2.
struct folded_samples {
  static constexpr bool gathers = true;
  static constexpr unsigned at_once = 1;
  template <class Real, class Line>
  WINGBEAT_FN static Real load(const Line& x, size i) {
    return get_folded<Real>(x, i);
  }
  template <class Real, class Line>
  WINGBEAT_FN static complex<Real> prepared(const Line& y, size k, complex<Real> bin) {
    return bin * y.root(k);
  }
  template <class Real, class Line>
  WINGBEAT_FN static void store(const Line& y, size k, complex<Real> bin) {
    const size n = y.length();
    const complex<Real> turned = prepared(y, k, bin);
    y.put(k, turned.re);
    if (k > 0 && 2 * k < n) y.put(k - 1, -turned.im, true);
  }
  template <class Real, class Line, class Value>
  WINGBEAT_FN static Real output(const Line& y, unsigned t, const Value& value) {
    const auto n = unsigned(y.length());
    const bool is_first = 2 * t <= n;
    const unsigned k = is_first ? t : n - t;
    const complex<Real> turned = value(k);
    return is_first ? turned.re : -turned.im;
  }
};

/// DCT-III, the inverse: V[k] = conj(w^k) (x[k] - i x[n-k]).
struct folded_bins : gathered_parts {
  static constexpr bool stores_reals = true;
  static constexpr unsigned at_once = 4;

  template <class Real, class Line>
  WINGBEAT_FN static complex<Real> load(const Line& x, size k) {
    return fetched<Real>(x, k) * conj(x.root(k));
  }
  /// Load in two steps: fetch from memory, then make bins k and n/2 - k; the latter's root is
  /// exp(-pi i / 4) conj(w^k).
  static constexpr bool in_steps = true;
  template <class Real, class Line>
  WINGBEAT_FN static complex<Real> fetched(const Line& x, size k) {
    const Real opposite = x.get(k == 0 ? 0 : k - 1, true);  // without a branch around the load
    return {x.get(k), k == 0 ? Real(0) : -opposite};
  }
  template <class Real, class Line>
  WINGBEAT_FN static void make_pair(const Line& x, size k, complex<Real>& z,
                                    complex<Real>& mirrored) {
    constexpr Real half_root(0.70710678118654752440);
    const complex<Real> w = x.root_behind(k);
    z = z * conj(w);
    mirrored = mirrored * complex<Real>{(w.re - w.im) * half_root, (w.re + w.im) * half_root};
  }
  template <class Real, class Line>
  WINGBEAT_FN static void store(const Line& y, size i, Real value) {
    put_folded(y, i, value);
  }
  template <class Real, class Line, class Value>
  WINGBEAT_FN static Real output(const Line& y, unsigned t, const Value& value) {
    return value(t % 2 == 0 ? t / 2 : unsigned(y.length()) - 1 - t / 2);
  }
};

/// DCT-IV of an even n by n/2 complex numbers,
///     z[j] = (x[2j] + i x[n-1-2j]) r[j],  y[2k] = 2 Re r[k] Z[k],  y[n-1-2k] = -2 Im r[k] Z[k]
/// r[j] = exp(-2 pi i (8j + 1) / 16n). The inner transform is scaled by 2.
struct half_turned {
  static constexpr bool gathers = true;
  static constexpr unsigned at_once = 2;
  template <class Real, class Line>
  WINGBEAT_FN static complex<Real> load(const Line& x, size j) {
    return complex<Real>{x.get(2 * j), x.get(2 * j, true)} * x.root(j);
  }
  template <class Real, class Line>
  WINGBEAT_FN static complex<Real> prepared(const Line& y, size k, complex<Real> bin) {
    return bin * y.root(k);
  }
  template <class Real, class Line>
  WINGBEAT_FN static void store(const Line& y, size k, complex<Real> bin) {
    const complex<Real> turned = prepared(y, k, bin);
    y.put(2 * k, turned.re);
    y.put(2 * k, -turned.im, true);
  }
  template <class Real, class Line, class Value>
  WINGBEAT_FN static Real output(const Line& y, unsigned t, const Value& value) {
    const complex<Real> turned = value(t % 2 == 0 ? t / 2 : unsigned(y.length()) / 2 - 1 - t / 2);
    return t % 2 == 0 ? turned.re : -turned.im;
  }
};

/// DCT-IV of an odd n by n reals. The line is continued to odd places p modulo 8n:
///     x~[p] = x[(p-1)/2],  x~[-p] = x~[p],  x~[p + 4n] = -x~[p]
/// By the Chinese remainder theorem the places 1 mod 8 determine x~, and y~ likewise. With
/// u[s] = x~[n^2 + 8s] and its bins U, place q = 1 mod 8 is
///     y~[q] = 2 (cos a Re U[q mod n] + sin a Im U[q mod n]),  a = 2 pi n / 8
/// S. C. Chan, K. L. Ho, Direct methods for computing discrete sinusoidal transforms, IEE Proc. F
/// 137 (1990) 433. The inner transform is scaled by sqrt 2.
struct odd_places {
  static constexpr bool gathers = false;
  template <class Real, class Line>
  WINGBEAT_FN static Real load(const Line& x, size s) {
    const size n = x.length();
    size p = (n * n + 8 * s) % (8 * n);
    bool is_negative = false;
    if (p >= 4 * n) {
      p -= 4 * n;
      is_negative = true;
    }
    if (p > 2 * n) {
      p = 4 * n - p;
      is_negative = !is_negative;
    }
    const Real value = x.get((p - 1) / 2);
    return is_negative ? -value : value;
  }
  template <class Real, class Line>
  WINGBEAT_FN static void store(const Line& y, size k, complex<Real> bin) {
    const size n = y.length();
    const Real re = n % 8 == 3 || n % 8 == 5 ? -bin.re : bin.re;
    const Real im = n % 8 == 5 || n % 8 == 7 ? -bin.im : bin.im;
    const Real own = re + im, opposite = re - im;  // at places k and -k mod n, 1 mod 8
    const size q = k % 2 == 1 ? k : k + n;
    y.put((q - 1) / 2, at_place(q, own, opposite));
    if (k > 0) y.put((2 * n - q - 1) / 2, at_place(2 * n - q, opposite, own));
  }

 private:
  template <class Real>
  WINGBEAT_FN static Real at_place(size q, Real own, Real opposite) {
    const Real value = q % 8 == 1 || q % 8 == 5 ? own : opposite;
    return q % 8 == 3 || q % 8 == 5 ? -value : value;
  }
};

/// DHT: y[k] = Re X[k] - Im X[k]; for n-k, Im has the opposite sign.
struct cas_bins : gathered_parts {
  template <class Real, class Line>
  WINGBEAT_FN static Real load(const Line& x, size i) {
    return x.get(i);
  }
  template <class Real, class Line>
  WINGBEAT_FN static void store(const Line& y, size k, complex<Real> bin) {
    const size n = y.length();
    y.put(k, bin.re - bin.im);
    if (k > 0 && 2 * k < n) y.put(k - 1, bin.re + bin.im, true);
  }
  template <class Real, class Line, class Value>
  WINGBEAT_FN static Real output(const Line& y, unsigned t, const Value& value) {
    const auto n = unsigned(y.length());
    const bool is_first = 2 * t <= n;
    const complex<Real> bin = value(is_first ? t : n - t);
    return is_first ? bin.re - bin.im : bin.re + bin.im;
  }
};

}  // namespace wingbeat::device::functors
