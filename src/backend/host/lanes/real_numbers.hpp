// SPDX-License-Identifier: Apache-2.0
// One row of N reals in registers, each complex number a vector. An even row is N/2 complex
// numbers, which are combined with their mirror images in registers; rows/real_rows.cpp does that
// for longer rows through memory. An odd row is N complex numbers whose imaginary parts are 0, or
// whose second half mirrors the first.
#pragma once

#include "backend/host/kernels.hpp"        // single_row
#include "backend/host/lanes/numbers.hpp"  // dft
#include "backend/host/lanes/simd.hpp"     // simd

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

template <class V>
WINGBEAT_LANES V swapped_pair(V a) {
  return V{__builtin_shufflevector(a.v, a.v, 1, 0)};
}

/// Replaces numbers k and H - k of the half-length transform by bins of the real one or, `Back`,
/// bins by numbers: e + t and conj(e - t), where e, d = a +- conj b and t = -i w^k d; going back
/// the factor is conjugated. roots: -i w^k as [k - 1][re, re, -im, im]
template <bool Back, int H, class V>
WINGBEAT_LANES void meet_images(V (&x)[H], const typename V::Real* roots) {
  const typename V::vector conjugate = {1, -1};
  WINGBEAT_UNROLL
  for (int k = 1; 2 * k < H; ++k) {
    const V image{x[H - k].v * conjugate};
    const V even = x[k] + image, odd = x[k] - image;
    const V re = load<V>(roots + 4 * (k - 1)), im = load<V>(roots + 4 * (k - 1) + 2);
    const V along = odd * re, across = swapped_pair(odd) * im;
    const V turn = Back ? along - across : along + across;
    x[k] = even + turn;
    x[H - k] = V{(even - turn).v * conjugate};
  }
  if constexpr (H % 2 == 0) x[H / 2] = V{(x[H / 2] + x[H / 2]).v * conjugate};
}

/// N = 2 H
template <int H, bool Back, class V>
WINGBEAT_LANES void even_reals(const typename V::Real* in, typename V::Real* out, V factor,
                               const typename V::Real* roots) {
  V x[H];
  WINGBEAT_UNROLL
  for (int j = 0; j < H; ++j) x[j] = load<V>(in + 2 * j);
  if constexpr (Back) {
    const V last = load<V>(in + 2 * H);
    const typename V::vector sign = {1, -1};
    x[0] = V{__builtin_shufflevector(x[0].v, x[0].v, 0, 0) +
             __builtin_shufflevector(last.v, last.v, 0, 0) * sign};
    meet_images<true>(x, roots);
    device::thread::dft<direction::inverse>(x);
  } else {
    device::thread::dft<direction::forward>(x);
    const V first = x[0] + x[0], zero{0.0};
    const V other = swapped_pair(first);
    meet_images<false>(x, roots);
    x[0] = V{__builtin_shufflevector((first + other).v, zero.v, 0, 2)};
    store(out + 2 * H, V{__builtin_shufflevector((first - other).v, zero.v, 0, 2)} * factor);
  }
  WINGBEAT_UNROLL
  for (int j = 0; j < H; ++j) store(out + 2 * j, x[j] * factor);
}

/// N is an odd prime: vectors hold what meets cosines and what meets sines, s and d of
/// device/thread/dft/primes.hpp, so that a row of either takes as many operations as one of both.
template <int N, bool Back, class V>
WINGBEAT_LANES void prime_reals(const typename V::Real* in, typename V::Real* out, V factor) {
  using Real = typename V::Real;
  using vector = typename V::vector;
  constexpr int m = (N - 1) / 2;
  constexpr device::thread::prime_roots<N, Real> roots{};
  V met[m];  // (s, d)
  WINGBEAT_UNROLL
  for (int j = 0; j < m; ++j) {
    const V bin = load<V>(in + 2 * (Back ? j + 1 : 0));
    const vector near{in[j + 1], in[j + 1]}, far{in[N - 1 - j], -in[N - 1 - j]};
    met[j] = Back ? bin + bin : V{near + far};
  }
  V sum{vector{in[0], 0}};
  const V base{sum.v - met[m - 1].v * vector{Real(0.5), 0}};
  WINGBEAT_UNROLL
  for (int j = 0; j < m; ++j) sum = sum + met[j];
  const V last{met[m - 1].v * vector{1, 0}};
  WINGBEAT_UNROLL
  for (int j = 0; j < m; ++j) met[j] = met[j] - last;
  const V factors{factor.v * vector{1, Back ? roots.sine : -roots.sine}};
  WINGBEAT_UNROLL
  for (int k = 1; k <= m; ++k) {
    V terms = base;
    WINGBEAT_UNROLL
    for (int j = 1; j <= m; ++j) {
      const int e = j * k % N, folded = (e > m ? N - e : e) - 1;
      const Real share = e > m ? -roots.share[folded] : roots.share[folded];
      terms = V{terms.v + met[j - 1].v * vector{roots.cosine[folded], share}};
    }
    const V scaled = terms * factors;
    if constexpr (Back) {
      const V both{scaled.v + swapped_pair(scaled).v * vector{-1, 1}};
      out[k] = both.v[0];
      out[N - k] = both.v[1];
    } else {
      store(out + 2 * k, scaled);
    }
  }
  const Real zeroth = (sum * factor).v[0];
  if constexpr (Back) {
    out[0] = zeroth;
  } else {
    store(out, V{vector{zeroth, 0}});
  }
}

/// N is odd.
template <int N, bool Back, class V>
WINGBEAT_LANES void odd_reals(const typename V::Real* in, typename V::Real* out, V factor) {
  using vector = typename V::vector;
  if constexpr (N == 13) return prime_reals<N, Back>(in, out, factor);
  V x[N];
  x[0] = V{vector{in[0], 0}};
  if constexpr (Back) {
    WINGBEAT_UNROLL
    for (int k = 1; 2 * k < N; ++k) {
      x[k] = load<V>(in + 2 * k);
      x[N - k] = V{x[k].v * vector{1, -1}};
    }
  } else {
    WINGBEAT_UNROLL
    for (int j = 1; j < N; ++j) x[j] = V{vector{in[j], 0}};
  }
  device::thread::dft<Back ? direction::inverse : direction::forward>(x);
  if constexpr (Back) {
    WINGBEAT_UNROLL
    for (int j = 0; j < N; ++j) out[j] = (x[j] * factor).v[0];
  } else {
    store(out, V{vector{(x[0] * factor).v[0], 0}});
    WINGBEAT_UNROLL
    for (int k = 1; 2 * k < N; ++k) store(out + 2 * k, x[k] * factor);
  }
}

/// kernels::single_reals
template <int N, bool Back, class Real>
[[gnu::flatten]] void row_of_reals(const void* row, const std::byte* in_bytes,
                                   std::byte* out_bytes) {
  using V = simd<Real, 2>;
  const auto& given = *static_cast<const single_row<Real>*>(row);
  const V factor{given.scale - typename V::vector{}};
  const auto* const in = reinterpret_cast<const Real*>(in_bytes);
  auto* const out = reinterpret_cast<Real*>(out_bytes);
  if constexpr (N % 2 == 0) return even_reals<N / 2, Back>(in, out, factor, given.roots);
  if constexpr (N % 2 != 0) return odd_reals<N, Back>(in, out, factor);
}

template <int N, class Real>
single_kernel real_kernel_of(bool is_back) {
  if constexpr (has_real_numbers(N, sizeof(Real))) {
    return is_back ? row_of_reals<N, true, Real> : row_of_reals<N, false, Real>;
  }
  return nullptr;
}

template <class Real>
single_kernel single_reals(size_t length, bool is_back) {
  return kernel_for<longest_real_numbers>(
      length, [&](auto n) { return real_kernel_of<decltype(n)::value, Real>(is_back); });
}

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
