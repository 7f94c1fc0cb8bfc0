// SPDX-License-Identifier: Apache-2.0
// SIMD lanes as a number type, and the moves between them that a transform needs.
//
// Read once per instruction set, each time with WINGBEAT_HOST_ISA naming another namespace:
// every function here and every template made from these types then has a name of its own, and
// the linker can never hand AVX-512 code to a CPU without it. Hence no standard containers or
// algorithms in these files. (Vector extensions rather than std::experimental::simd: that has no
// permutations, and half of a transform's vector code is permutations.)
#pragma once

#include <cstddef>  // size_t
#include <utility>  // integer_sequence

#include "wingbeat/device/complex.hpp"  // complex

#ifndef WINGBEAT_HOST_ISA
#error "Compile through kernels.cpp, with -DWINGBEAT_HOST_ISA=<namespace>."
#endif
#define WINGBEAT_LANES [[gnu::always_inline]] inline

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

using std::size_t;

/// `Width` numbers that are added and multiplied together.
template <class Real_, int Width>
struct simd {
  using Real = Real_;
  static constexpr int width = Width;
  typedef Real vector __attribute__((vector_size(Width * sizeof(Real))));
  vector v;

  simd() = default;
  WINGBEAT_LANES constexpr simd(vector from) : v(from) {}
  WINGBEAT_LANES constexpr explicit simd(double every) : v(Real(every) - vector{}) {}
  WINGBEAT_LANES friend constexpr simd operator+(simd a, simd b) { return simd{a.v + b.v}; }
  WINGBEAT_LANES friend constexpr simd operator-(simd a, simd b) { return simd{a.v - b.v}; }
  WINGBEAT_LANES friend constexpr simd operator*(simd a, simd b) { return simd{a.v * b.v}; }
  WINGBEAT_LANES friend constexpr simd operator-(simd a) { return simd{-a.v}; }
};

template <class V>
using lanes = device::complex<V>;

template <int... I>
using indices = std::integer_sequence<int, I...>;
template <int N>
using indices_below = std::make_integer_sequence<int, N>;

/// Reads and writes a vector at any element's address.
template <class V>
WINGBEAT_LANES V load(const typename V::Real* from) {
  V to;
  __builtin_memcpy(&to.v, from, sizeof to.v);
  return to;
}
template <class V>
WINGBEAT_LANES void store(typename V::Real* to, V from) {
  __builtin_memcpy(to, &from.v, sizeof from.v);
}

/// Takes apart and puts together pairs:  (a0 b0 a1 b1 ...) <-> (a0 a1 ...), (b0 b1 ...).
template <class V, int... I>
WINGBEAT_LANES void unzip(V& a, V& b, indices<I...>) {
  const auto even = __builtin_shufflevector(a.v, b.v, (2 * I)...);
  b.v = __builtin_shufflevector(a.v, b.v, (2 * I + 1)...);
  a.v = even;
}
template <class V>
WINGBEAT_LANES void unzip(V& a, V& b) {
  if constexpr (V::width > 1) unzip(a, b, indices_below<V::width>{});
}
template <class V, int... I>
WINGBEAT_LANES void zip(V& a, V& b, indices<I...>) {
  constexpr int w = sizeof...(I);
  const auto low = __builtin_shufflevector(a.v, b.v, (I / 2 + w * (I % 2))...);
  b.v = __builtin_shufflevector(a.v, b.v, (w / 2 + I / 2 + w * (I % 2))...);
  a.v = low;
}
template <class V>
WINGBEAT_LANES void zip(V& a, V& b) {
  if constexpr (V::width > 1) zip(a, b, indices_below<V::width>{});
}

/// Reads `width` complex numbers as a caller stores them: re im re im ...  `Swapped` exchanges
/// re and im, which turns a forward transform into an inverse one when done at both its ends.
template <bool Swapped, class V>
WINGBEAT_LANES lanes<V> load_pairs(const typename V::Real* from) {
  V re = load<V>(from);
  V im = load<V>(from + V::width);
  unzip(re, im);
  if constexpr (Swapped) return {im, re};
  return {re, im};
}
template <bool Swapped, class V>
WINGBEAT_LANES void store_pairs(typename V::Real* to, lanes<V> z) {
  V a = Swapped ? z.im : z.re;
  V b = Swapped ? z.re : z.im;
  zip(a, b);
  store(to, a);
  store(to + V::width, b);
}

/// Reads and writes `width` complex numbers as we keep them between stages: all re, then all im.
template <class V>
WINGBEAT_LANES lanes<V> load_split(const typename V::Real* from) {
  return {load<V>(from), load<V>(from + V::width)};
}
template <class V>
WINGBEAT_LANES void store_split(typename V::Real* to, lanes<V> z) {
  store(to, z.re);
  store(to + V::width, z.im);
}

/// Returns one complex number in every lane.
template <class V>
WINGBEAT_LANES lanes<V> broadcast(const typename V::Real* from) {
  using vector = typename V::vector;
  return {V{from[0] - vector{}}, V{from[1] - vector{}}};
}

/// Exchanges columns of `Size` adjacent lanes between two vectors, within groups of `Group`:
///     low:  a0 b0 a1 b1 ...  of each group's first half;  high: of its second half.
template <int Size, int Group, bool High, class V, int... I>
WINGBEAT_LANES V weave(V a, V b, indices<I...>) {
  constexpr int w = sizeof...(I);
  return V{
      __builtin_shufflevector(a.v, b.v,
                              (I / Group * Group + (High ? Group / 2 : 0) +
                               I % Group / (2 * Size) * Size + I % Size + (I / Size % 2) * w)...)};
}

/// Takes every other 128-bit lane of a, then of b.
template <int Lane, bool Odd, class V, int... I>
WINGBEAT_LANES V every_other_lane(V a, V b, indices<I...>) {
  return V{
      __builtin_shufflevector(a.v, b.v, (I / Lane * 2 * Lane + (Odd ? Lane : 0) + I % Lane)...)};
}

/// Transposes Lane x Lane squares inside each 128-bit lane of `Lane` rows.
template <int Lane, class V>
WINGBEAT_LANES void transpose_in_lanes(V* row) {
  constexpr auto all = indices_below<V::width>{};
  if constexpr (Lane == 2) {
    const V low = weave<1, 2, false>(row[0], row[1], all);
    row[1] = weave<1, 2, true>(row[0], row[1], all);
    row[0] = low;
  } else if constexpr (Lane == 4) {
    const V a = weave<1, 4, false>(row[0], row[1], all);
    const V b = weave<1, 4, true>(row[0], row[1], all);
    const V c = weave<1, 4, false>(row[2], row[3], all);
    const V d = weave<1, 4, true>(row[2], row[3], all);
    row[0] = weave<2, 4, false>(a, c, all);
    row[1] = weave<2, 4, true>(a, c, all);
    row[2] = weave<2, 4, false>(b, d, all);
    row[3] = weave<2, 4, true>(b, d, all);
  }
}

/// Transposes `width` vectors of `width` lanes: squares in 128-bit lanes first, then the lanes.
template <class V>
WINGBEAT_LANES void transpose(V (&row)[V::width]) {
  constexpr int w = V::width;
  constexpr int lane = w * sizeof(typename V::Real) < 16 ? w : 16 / sizeof(typename V::Real);
  constexpr auto all = indices_below<w>{};
  WINGBEAT_UNROLL
  for (int i = 0; i < w; i += lane) transpose_in_lanes<lane>(row + i);
  if constexpr (w == 2 * lane) {
    WINGBEAT_UNROLL
    for (int i = 0; i < lane; ++i) {
      const V even = every_other_lane<lane, false>(row[i], row[i + lane], all);
      row[i + lane] = every_other_lane<lane, true>(row[i], row[i + lane], all);
      row[i] = even;
    }
  } else if constexpr (w == 4 * lane) {
    WINGBEAT_UNROLL
    for (int i = 0; i < lane; ++i) {
      V* at = row + i;
      const V a = every_other_lane<lane, false>(at[0], at[lane], all);             // A0 A2 B0 B2
      const V b = every_other_lane<lane, true>(at[0], at[lane], all);              // A1 A3 B1 B3
      const V c = every_other_lane<lane, false>(at[2 * lane], at[3 * lane], all);  // C0 C2 D0 D2
      const V d = every_other_lane<lane, true>(at[2 * lane], at[3 * lane], all);   // C1 C3 D1 D3
      at[0] = every_other_lane<lane, false>(a, c, all);
      at[lane] = every_other_lane<lane, false>(b, d, all);
      at[2 * lane] = every_other_lane<lane, true>(a, c, all);
      at[3 * lane] = every_other_lane<lane, true>(b, d, all);
    }
  }
}

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
