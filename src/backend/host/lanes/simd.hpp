// SPDX-License-Identifier: Apache-2.0
// SIMD lanes as a number type, and the moves between them that a transform needs.
//
// Read once per instruction set, each time with WINGBEAT_HOST_ISA naming another namespace:
// every function here and every template made from these types then has a name of its own, and
// the linker can never hand AVX-512 code to a CPU without it. Hence no standard containers or
// algorithms in these files. (Vector extensions rather than std::experimental::simd: that has no
// permutations, and half of a transform's vector code is permutations.)
#pragma once

#if defined(__SSE2__)
#include <immintrin.h>  // _mm512_mask_storeu_ps and the like
#endif

#include <cstddef>  // size_t
#include <utility>  // integer_sequence

#include "wingbeat/device/complex.hpp"  // complex

#ifndef WINGBEAT_HOST_ISA
#error "Compile through kernels.cpp, with -DWINGBEAT_HOST_ISA=<namespace>."
#endif
#define WINGBEAT_LANES [[gnu::always_inline]] inline

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

using std::size_t;

/// Whether one instruction makes any vector of two others.
#if defined(__AVX512VL__)
constexpr bool has_permute_of_two = true;
#else
constexpr bool has_permute_of_two = false;
#endif

/// Of the widest vector.
#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX2__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

/// `Width` numbers that are added and multiplied together.
template <class Real_, int Width>
struct simd {
  using Real = Real_;
  static constexpr int width = Width;
  typedef Real vector __attribute__((vector_size(Width * sizeof(Real))));
  vector v;

  simd() = default;
  WINGBEAT_LANES constexpr simd(vector numbers) : v(numbers) {}
  WINGBEAT_LANES constexpr explicit simd(double every) : v(Real(every) - vector{}) {}
  WINGBEAT_LANES friend constexpr simd operator+(simd a, simd b) { return simd{a.v + b.v}; }
  WINGBEAT_LANES friend constexpr simd operator-(simd a, simd b) { return simd{a.v - b.v}; }
  WINGBEAT_LANES friend constexpr simd operator*(simd a, simd b) { return simd{a.v * b.v}; }
  WINGBEAT_LANES friend constexpr simd operator-(simd a) { return simd{-a.v}; }
};

template <class V>
using lanes = device::complex<V>;

/// Returns a b, rounded, so that all kernels fuse the same one of two products with their sum.
template <class V>
WINGBEAT_LANES V rounded_product(V a, V b) {
  V product = a * b;
  if constexpr (sizeof product.v >= 16 && sizeof product.v <= vector_bytes) {
#if defined(__AVX512VL__)
    asm("" : "+v"(product.v));
#elif defined(__FMA__)
    asm("" : "+x"(product.v));
#endif
  }
  return product;
}
/// Of floats: of doubles compilers fuse the same one, and AVX2 has too few registers for another.
template <int Width>
WINGBEAT_LANES lanes<simd<float, Width>> operator*(lanes<simd<float, Width>> a,
                                                   lanes<simd<float, Width>> b) {
  return {a.re * b.re - rounded_product(a.im, b.im), a.re * b.im + rounded_product(a.im, b.re)};
}

/// The widest vector of an instruction set.
template <class Real>
using widest = simd<Real, vector_bytes / int{sizeof(Real)}>;

/// Calls `run` with a vector of `width`: the widest, a half or a quarter of it.
template <class Real, class Run>
WINGBEAT_LANES auto with_width(int width, Run run) {
  constexpr int most = widest<Real>::width;
  if constexpr (vector_bytes > 16) {
    if (2 * width == most) return run(simd<Real, most / 2>{});
  }
  if constexpr (vector_bytes > 32) {
    if (4 * width == most) return run(simd<Real, most / 4>{});
  }
  return run(widest<Real>{});
}

template <int... I>
using indices = std::integer_sequence<int, I...>;
template <int N>
using indices_below = std::make_integer_sequence<int, N>;

/// A number a template can take.
template <int Value>
struct constant {
  static constexpr int value = Value;
};

/// Returns kernel_of(constant<N>{}) of N = `length`, or null where N is 0 or above `Longest`.
template <class KernelOf, int... I>
auto kernel_for(size_t length, KernelOf kernel_of, indices<I...>) {
  decltype(kernel_of(constant<1>{})) found = nullptr;
  ((length == I + 1 ? void(found = kernel_of(constant<I + 1>{})) : void()), ...);
  return found;
}
template <int Longest, class KernelOf>
auto kernel_for(size_t length, KernelOf kernel_of) {
  return kernel_for(length, kernel_of, indices_below<Longest>{});
}

/// Reads and writes a vector at any element's address.
template <class V>
WINGBEAT_LANES V load(const typename V::Real* memory) {
  V numbers;
  __builtin_memcpy(&numbers.v, memory, sizeof numbers.v);
  return numbers;
}
template <class V>
WINGBEAT_LANES void store(typename V::Real* memory, V numbers) {
  __builtin_memcpy(memory, &numbers.v, sizeof numbers.v);
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

/// Takes every other number of each 128-bit lane: of a's lane, then of b's.
template <bool Odd, class V, int... I>
WINGBEAT_LANES V every_other_in_lanes(V a, V b, indices<I...>) {
  constexpr int w = sizeof...(I);
  constexpr int half = w * sizeof(typename V::Real) < 16 ? w : 8 / int{sizeof(typename V::Real)};
  return V{__builtin_shufflevector(
      a.v, b.v, (I / (2 * half) * 2 * half + 2 * (I % half) + Odd + (I / half % 2) * w)...)};
}

/// Takes every other number of a, then of b.
template <bool Odd, class V, int... I>
WINGBEAT_LANES V every_other(V a, V b, indices<I...>) {
  return V{__builtin_shufflevector(a.v, b.v, (2 * I + Odd)...)};
}

/// Takes apart and puts together pairs:  (a0 b0 a1 b1 ...) <-> (a0 a1 ...), (b0 b1 ...).
/// With two 128-bit lanes AVX2 takes two steps; compilers left alone find four.
template <class V>
WINGBEAT_LANES void unzip(V& a, V& b) {
  constexpr int w = V::width;
  constexpr auto lane_indices = indices_below<w>{};
  if constexpr (w == 1) return;
  if constexpr (w * sizeof(typename V::Real) == 32 && !has_permute_of_two) {
    const V low = every_other_lane<w / 2, false>(a, b, lane_indices);
    const V high = every_other_lane<w / 2, true>(a, b, lane_indices);
    a = every_other_in_lanes<false>(low, high, lane_indices);
    b = every_other_in_lanes<true>(low, high, lane_indices);
  } else {
    const V even = every_other<false>(a, b, lane_indices);
    b = every_other<true>(a, b, lane_indices);
    a = even;
  }
}
template <class V>
WINGBEAT_LANES void zip(V& a, V& b) {
  constexpr int w = V::width;
  constexpr auto lane_indices = indices_below<w>{};
  if constexpr (w == 1) return;
  if constexpr (w * sizeof(typename V::Real) == 32 && !has_permute_of_two) {
    const V low = weave<1, w / 2, false>(a, b, lane_indices);
    const V high = weave<1, w / 2, true>(a, b, lane_indices);
    a = every_other_lane<w / 2, false>(low, high, lane_indices);
    b = every_other_lane<w / 2, true>(low, high, lane_indices);
  } else {
    const V low = weave<1, w, false>(a, b, lane_indices);
    b = weave<1, w, true>(a, b, lane_indices);
    a = low;
  }
}

/// Reads `width` complex numbers as a caller stores them: re im re im ..., the second half
/// `second` reals from the first. `Swapped` exchanges re and im, which turns a forward transform
/// into an inverse one when done at both its ends.
template <bool Swapped, class V>
WINGBEAT_LANES lanes<V> load_pairs(const typename V::Real* memory, size_t second = V::width) {
  V re = load<V>(memory);
  V im = load<V>(memory + second);
  unzip(re, im);
  if constexpr (Swapped) return {im, re};
  return {re, im};
}
template <bool Swapped, class V>
WINGBEAT_LANES void store_pairs(typename V::Real* memory, lanes<V> z, size_t second = V::width) {
  V a = Swapped ? z.im : z.re;
  V b = Swapped ? z.re : z.im;
  zip(a, b);
  store(memory, a);
  store(memory + second, b);
}

/// The same with lane l holding number place_of(l): half the work where a vector is wider than
/// 128 bits.
template <bool Swapped, class V>
WINGBEAT_LANES lanes<V> load_placed(const typename V::Real* memory) {
  constexpr auto lane_indices = indices_below<V::width>{};
  const V a = load<V>(memory);
  const V b = load<V>(memory + V::width);
  const V re = every_other_in_lanes<false>(a, b, lane_indices);
  const V im = every_other_in_lanes<true>(a, b, lane_indices);
  if constexpr (Swapped) return {im, re};
  return {re, im};
}
template <bool Swapped, class V>
WINGBEAT_LANES void store_placed(typename V::Real* memory, lanes<V> z) {
  constexpr auto lane_indices = indices_below<V::width>{};
  constexpr int group = 16 / int{sizeof(typename V::Real)};
  const V a = Swapped ? z.im : z.re;
  const V b = Swapped ? z.re : z.im;
  store(memory, weave<1, group, false>(a, b, lane_indices));
  store(memory + V::width, weave<1, group, true>(a, b, lane_indices));
}

/// Writes the first `count` of a vector's numbers.
template <class V>
WINGBEAT_LANES void store_first(typename V::Real* out, V given, size_t count) {
#if defined(__AVX512VL__)
  constexpr int bytes = V::width * sizeof(typename V::Real);
  const auto mask = (1U << count) - 1;
  if constexpr (sizeof(typename V::Real) == 4) {
    if constexpr (bytes == 64) return _mm512_mask_storeu_ps(out, __mmask16(mask), given.v);
    if constexpr (bytes == 32) return _mm256_mask_storeu_ps(out, __mmask8(mask), given.v);
    if constexpr (bytes == 16) return _mm_mask_storeu_ps(out, __mmask8(mask), given.v);
  } else {
    if constexpr (bytes == 64) return _mm512_mask_storeu_pd(out, __mmask8(mask), given.v);
    if constexpr (bytes == 32) return _mm256_mask_storeu_pd(out, __mmask8(mask), given.v);
    if constexpr (bytes == 16) return _mm_mask_storeu_pd(out, __mmask8(mask), given.v);
  }
#else
  __builtin_memcpy(out, &given.v, count * sizeof(typename V::Real));
#endif
}

/// store_placed of the first `count` numbers.
template <bool Swapped, class V>
WINGBEAT_LANES void store_first_placed(typename V::Real* out, lanes<V> z, size_t count) {
  constexpr auto lane_indices = indices_below<V::width>{};
  constexpr int group = 16 / int{sizeof(typename V::Real)};
  constexpr size_t half = V::width / 2;
  const V a = Swapped ? z.im : z.re;
  const V b = Swapped ? z.re : z.im;
  store_first(out, weave<1, group, false>(a, b, lane_indices), 2 * (count < half ? count : half));
  if (count <= half) return;
  store_first(out + V::width, weave<1, group, true>(a, b, lane_indices), 2 * (count - half));
}

/// Reads and writes `width` complex numbers as we keep them between stages: all re, then all im.
template <class V>
WINGBEAT_LANES lanes<V> load_split(const typename V::Real* memory) {
  return {load<V>(memory), load<V>(memory + V::width)};
}
template <class V>
WINGBEAT_LANES void store_split(typename V::Real* memory, lanes<V> z) {
  store(memory, z.re);
  store(memory + V::width, z.im);
}

/// Returns one complex number in every lane.
template <class V>
WINGBEAT_LANES lanes<V> broadcast(const typename V::Real* number) {
  using vector = typename V::vector;
  return {V{number[0] - vector{}}, V{number[1] - vector{}}};
}

/// Transposes 4 x 4 whole lanes, in rows 0, Lane, 2 Lane and 3 Lane.
template <int Lane, class V>
WINGBEAT_LANES void transpose_lanes(V* row) {
  constexpr auto lane_indices = indices_below<V::width>{};
  const V a = every_other_lane<Lane, false>(row[0], row[Lane], lane_indices);  // A0 A2 B0 B2
  const V b = every_other_lane<Lane, true>(row[0], row[Lane], lane_indices);   // A1 A3 B1 B3
  const V c =
      every_other_lane<Lane, false>(row[2 * Lane], row[3 * Lane], lane_indices);  // C0 C2 D0 D2
  const V d =
      every_other_lane<Lane, true>(row[2 * Lane], row[3 * Lane], lane_indices);  // C1 C3 D1 D3
  row[0] = every_other_lane<Lane, false>(a, c, lane_indices);
  row[Lane] = every_other_lane<Lane, false>(b, d, lane_indices);
  row[2 * Lane] = every_other_lane<Lane, true>(a, c, lane_indices);
  row[3 * Lane] = every_other_lane<Lane, true>(b, d, lane_indices);
}

/// Transposes Lane x Lane squares inside each 128-bit lane of `Lane` rows.
template <int Lane, class V>
WINGBEAT_LANES void transpose_in_lanes(V* row) {
  constexpr auto lane_indices = indices_below<V::width>{};
  if constexpr (Lane == 2) {
    const V low = weave<1, 2, false>(row[0], row[1], lane_indices);
    row[1] = weave<1, 2, true>(row[0], row[1], lane_indices);
    row[0] = low;
  } else if constexpr (Lane == 4) {
    const V a = weave<1, 4, false>(row[0], row[1], lane_indices);
    const V b = weave<1, 4, true>(row[0], row[1], lane_indices);
    const V c = weave<1, 4, false>(row[2], row[3], lane_indices);
    const V d = weave<1, 4, true>(row[2], row[3], lane_indices);
    row[0] = weave<2, 4, false>(a, c, lane_indices);
    row[1] = weave<2, 4, true>(a, c, lane_indices);
    row[2] = weave<2, 4, false>(b, d, lane_indices);
    row[3] = weave<2, 4, true>(b, d, lane_indices);
  }
}

/// Transposes the Group x Group squares that `Group` vectors hold side by side: inside 128-bit
/// lanes first, then whole lanes.
template <int Group, class V>
WINGBEAT_LANES void transpose(V (&row)[Group]) {
  constexpr int w = V::width;
  constexpr int lane =
      Group * sizeof(typename V::Real) < 16 ? Group : 16 / sizeof(typename V::Real);
  static_assert(Group <= 2 * lane || Group == w, "Wide squares fill their vectors alone.");
  constexpr auto lane_indices = indices_below<w>{};
  WINGBEAT_UNROLL
  for (int i = 0; i < Group; i += lane) transpose_in_lanes<lane>(row + i);
  if constexpr (Group == 2 * lane) {
    WINGBEAT_UNROLL
    for (int i = 0; i < lane; ++i) {
      const V low = weave<lane, 2 * lane, false>(row[i], row[i + lane], lane_indices);
      row[i + lane] = weave<lane, 2 * lane, true>(row[i], row[i + lane], lane_indices);
      row[i] = low;
    }
  } else if constexpr (Group == 4 * lane) {
    WINGBEAT_UNROLL
    for (int i = 0; i < lane; ++i) transpose_lanes<lane>(row + i);
  }
}

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
