// SPDX-License-Identifier: Apache-2.0
// One row of 2 to 16, 32 or 64 points, whose call costs as much as its arithmetic. Rows of 2, 4 and
// 8 points stay pairs, re im re im, two complex numbers in a vector; of other lengths each number
// is a vector, or they take two stages.
// With lanes p = 0, 1:  y[k][p] = w_N^(pk) sum_r x[2 r + p] w_(N/2)^(rk),
//     X[k] = y[k][0] + y[k][1],  X[k + N/2] = y[k][0] - y[k][1],  k < N/2.
#pragma once

#include "backend/host/kernels.hpp"           // single_row, single_kernel
#include "backend/host/lanes/numbers.hpp"     // row_of_numbers
#include "backend/host/lanes/simd.hpp"        // simd
#include "backend/host/lanes/two_stages.hpp"  // two_stage_kernel

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

/// Two complex numbers.
template <class Real>
using pair_of = simd<Real, 4>;

/// Returns (im re im re).
template <class V>
WINGBEAT_LANES V exchanged(V z) {
  return V{__builtin_shufflevector(z.v, z.v, 1, 0, 3, 2)};
}

/// Returns the first, or the second, complex numbers of two vectors.
template <bool Second, class V>
WINGBEAT_LANES V either_of(V a, V b) {
  return V{Second ? __builtin_shufflevector(a.v, b.v, 2, 3, 6, 7)
                  : __builtin_shufflevector(a.v, b.v, 0, 1, 4, 5)};
}

/// Returns the first number as it is and the second one times a root, conjugated for the inverse.
template <bool Inverse, class V>
WINGBEAT_LANES V second_times(V z, double re, double im) {
  using Real = typename V::Real;
  const Real c = Real(re), s = Real(Inverse ? -im : im);
  const typename V::vector of_same = {1, 1, c, c}, of_other = {0, 0, -s, s};
  return V{z.v * of_same + exchanged(z).v * of_other};
}

/// 4 points in each lane:  X[k] = sum_r x[r] w^(rk)
template <bool Inverse, class V>
WINGBEAT_LANES void four_of_pairs(V (&x)[4]) {
  using Real = typename V::Real;
  const V even = x[0] + x[2], other = x[0] - x[2];
  const V odd = x[1] + x[3], turned = exchanged(x[1] - x[3]);  // -i z = (im, -re)
  constexpr Real s = Inverse ? -1 : 1;
  const typename V::vector sign = {s, -s, s, -s};
  x[0] = even + odd;
  x[2] = even - odd;
  x[1] = V{other.v + turned.v * sign};
  x[3] = V{other.v - turned.v * sign};
}

template <class V>
WINGBEAT_LANES void two_points(const typename V::Real* in, typename V::Real* out, V factor) {
  const V z = load<V>(in);
  const V first = either_of<false>(z, z), second = either_of<true>(z, z);
  const typename V::vector sign = {1, 1, -1, -1};
  store(out, V{first.v + second.v * sign} * factor);
}

template <bool Inverse, class V>
WINGBEAT_LANES void four_points(const typename V::Real* in, typename V::Real* out, V factor) {
  using Real = typename V::Real;
  const V a = load<V>(in), b = load<V>(in + 4);
  const V sum = a + b, difference = a - b;
  const V first = either_of<false>(sum, difference);
  const V second{__builtin_shufflevector(sum.v, difference.v, 2, 3, 7, 6)};
  constexpr Real s = Inverse ? -1 : 1;
  const typename V::vector sign = {1, 1, s, -s};
  store(out, V{first.v + second.v * sign} * factor);
  store(out + 4, V{first.v - second.v * sign} * factor);
}

/// Rounds as rows in lanes do: both parts of the root are equal, and are multiplied in when the
/// sums are made.
template <bool Inverse, class V>
WINGBEAT_LANES void eight_points(const typename V::Real* in, typename V::Real* out, V factor) {
  constexpr auto c = typename V::Real(0.70710678118654752440);
  const typename V::vector root = {1, 1, c, c};
  V x[4];
  WINGBEAT_UNROLL
  for (int r = 0; r < 4; ++r) x[r] = load<V>(in + 4 * r);
  four_of_pairs<Inverse>(x);
  x[1] = second_times<Inverse>(x[1], 1, -1);
  x[2] = second_times<Inverse>(x[2], 0, -1);
  x[3] = second_times<Inverse>(x[3], -1, -1);
  WINGBEAT_UNROLL
  for (int k = 0; k < 4; k += 2) {
    const V first = either_of<false>(x[k], x[k + 1]), second = either_of<true>(x[k], x[k + 1]);
    store(out + 2 * k, V{first.v + second.v * root} * factor);
    store(out + 2 * k + 8, V{first.v - second.v * root} * factor);
  }
}

template <int N, bool Swapped, class Real>
void single_of_pairs(const void* row, const std::byte* from, std::byte* to) {
  const auto& given = *static_cast<const single_row<Real>*>(row);
  const auto* const in = reinterpret_cast<const Real*>(from);
  auto* const out = reinterpret_cast<Real*>(to);
  using V = pair_of<Real>;
  const V factor{given.scale - typename V::vector{}};
  if constexpr (N == 2) two_points(in, out, factor);
  if constexpr (N == 4) four_points<Swapped>(in, out, factor);
  if constexpr (N == 8) eight_points<Swapped>(in, out, factor);
}

template <int N, class Real, int Width>
single_kernel single_kernel_of(bool is_swapped) {
  constexpr bool is_of_pairs = N == 2 || N == 4 || N == 8;
  if constexpr (has_number_vectors(N, sizeof(Real)) || (is_of_pairs && Width < 4)) {
    return is_swapped ? row_of_numbers<N, direction::inverse, Real>
                      : row_of_numbers<N, direction::forward, Real>;
  } else if constexpr (is_of_pairs) {
    return is_swapped ? single_of_pairs<N, true, Real> : single_of_pairs<N, false, Real>;
  } else {
    return two_stage_kernel<N, Real, Width>(is_swapped);
  }
}

/// kernels::single
template <class Real, int Width>
single_kernel single(size_t length, bool is_swapped) {
  return kernel_for<192>(length, [&](auto n) {
    return single_kernel_of<decltype(n)::value, Real, Width>(is_swapped);
  });
}

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
