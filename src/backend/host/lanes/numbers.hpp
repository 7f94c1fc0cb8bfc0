// SPDX-License-Identifier: Apache-2.0
// Complex numbers as pairs (re im) in vectors: number j of one row, or of several rows side by side
// (re im re im ..), so that device::thread::dft transforms all of these. Only factors that are not
// real move values to other lanes.
#pragma once

#include "backend/host/kernels.hpp"        // single_row, first_of_tile
#include "backend/host/lanes/simd.hpp"     // simd
#include "wingbeat/device/direction.hpp"   // direction
#include "wingbeat/device/thread/dft.hpp"  // dft, parts_of

template <class Real, int Width>
struct wingbeat::device::thread::parts_of<
    wingbeat::backend::host::WINGBEAT_HOST_ISA::simd<Real, Width>> {
  using type = Real;
};

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

using device::direction;

template <class V, int... I>
WINGBEAT_LANES V turned(V z, typename V::Real factor, indices<I...>) {
  const typename V::vector factors = {(I % 2 == 0 ? factor : -factor)...};
  return V{__builtin_shufflevector(z.v, z.v, (I ^ 1)...) * factors};
}

/// Returns -i z forward, i z for the inverse, times a factor.
template <direction Dir, class V>
WINGBEAT_LANES V turned(V z, typename V::Real factor) {
  return turned(z, Dir == direction::inverse ? -factor : factor, indices_below<V::width>{});
}

// What device::thread::dft needs of pairs: see device/thread/dft/numbers.hpp.
template <direction Dir, class Real, int Width>
WINGBEAT_LANES simd<Real, Width> quarter_turn(simd<Real, Width> z) {
  return turned<Dir>(z, 1);
}
template <class Real, int Width>
WINGBEAT_LANES simd<Real, Width> scaled(simd<Real, Width> z, Real factor) {
  return {z.v * factor};
}
template <class Real, int Width>
WINGBEAT_LANES simd<Real, Width> fused(simd<Real, Width> z, Real factor, simd<Real, Width> y) {
  return {z.v + y.v * factor};
}
template <direction Dir, class Real, int Width>
WINGBEAT_LANES simd<Real, Width> fused_quarter(simd<Real, Width> z, Real factor,
                                               simd<Real, Width> y) {
  const simd<Real, Width> quarter = turned<direction::forward>(y, factor);  // one for both
  return Dir == direction::forward ? z + quarter : z - quarter;
}
template <direction Dir, class Real, int Width>
WINGBEAT_LANES simd<Real, Width> rotated(simd<Real, Width> z, Real c, Real s) {
  return {z.v * c + turned<Dir>(z, -s).v};
}

/// Read and write one number, in the lower lanes of 16 bytes: in fp32, factors in memory would
/// otherwise take an instruction each to load, because no operand has 8 bytes.
template <class V>
WINGBEAT_LANES V load_number(const typename V::Real* in) {
  if constexpr (V::width == 2) return load<V>(in);
#if defined(__SSE2__)
  return V{(typename V::vector)_mm_loadl_epi64((const __m128i*)in)};
#else
  V number{0.0};
  __builtin_memcpy(&number.v, in, 2 * sizeof(typename V::Real));
  return number;
#endif
}
template <class V>
WINGBEAT_LANES void store_number(typename V::Real* out, V number) {
  __builtin_memcpy(out, &number.v, 2 * sizeof(typename V::Real));
}

/// Transforms one row.
template <int N, direction Dir, class Real>
[[gnu::flatten]] void row_of_numbers(const void* row, const std::byte* in_bytes,
                                     std::byte* out_bytes) {
  using V = simd<Real, 16 / int{sizeof(Real)}>;
  const auto* const in = reinterpret_cast<const Real*>(in_bytes);
  auto* const out = reinterpret_cast<Real*>(out_bytes);
  const V factor{static_cast<const single_row<Real>*>(row)->scale - typename V::vector{}};
  V x[N];
  WINGBEAT_UNROLL
  for (int j = 0; j < N; ++j) x[j] = load_number<V>(in + 2 * j);
  device::thread::dft<Dir>(x);
  WINGBEAT_UNROLL
  for (int j = 0; j < N; ++j) store_number(out + 2 * j, x[j] * factor);
}

/// Read and write 16 bytes of one row, or of two rows side by side.
template <class V>
WINGBEAT_LANES V load_beside(const typename V::Real* in, [[maybe_unused]] size_t pitch) {
#if defined(__AVX2__)
  if constexpr (V::width * sizeof(typename V::Real) == 32) {
    __m256d joined = _mm256_castpd128_pd256(_mm_loadu_pd((const double*)in));
    joined = _mm256_insertf128_pd(joined, _mm_loadu_pd((const double*)(in + pitch)), 1);
    return V{(typename V::vector)joined};
  }
#endif
  return load<V>(in);
}
template <class V>
WINGBEAT_LANES void store_beside(typename V::Real* out, [[maybe_unused]] size_t pitch, V given) {
#if defined(__AVX2__)
  if constexpr (V::width * sizeof(typename V::Real) == 32) {
    _mm_storeu_pd((double*)out, _mm256_castpd256_pd128((__m256d)given.v));
    return _mm_storeu_pd((double*)(out + pitch), _mm256_extractf128_pd((__m256d)given.v, 1));
  }
#endif
  store(out, given);
}

/// Transforms as many rows as a vector holds numbers; pitches count reals. In fp32, 16 bytes are
/// two numbers of a row; the last two may overlap the two before.
template <int N, direction Dir, class V>
[[gnu::flatten]] inline void rows_of_numbers(const typename V::Real* in, size_t in_pitch,
                                             typename V::Real* out, size_t out_pitch, V factor) {
  using Real = typename V::Real;
  constexpr auto lane_indices = indices_below<V::width>{};
  constexpr int side = 8 / int{sizeof(Real)};                // numbers in 16 bytes
  constexpr size_t n_halves = V::width * sizeof(Real) / 16;  // rows that are loaded at once
  V x[N];
  WINGBEAT_UNROLL
  for (int square = 0; square * side < N; ++square) {
    const size_t j = first_of_tile(square, side, N);
    x[j] = load_beside<V>(in + 2 * j, in_pitch);
    if constexpr (side == 2) {
      const V other = load_beside<V>(in + n_halves * in_pitch + 2 * j, in_pitch);
      x[j + 1] = weave<2, 4, true>(x[j], other, lane_indices);
      x[j] = weave<2, 4, false>(x[j], other, lane_indices);
    }
  }
  device::thread::dft<Dir>(x);
  WINGBEAT_UNROLL
  for (int j = 0; j < N; ++j) x[j] = x[j] * factor;
  WINGBEAT_UNROLL
  for (int square = 0; square * side < N; ++square) {
    const size_t j = first_of_tile(square, side, N);
    if constexpr (side == 2) {
      store_beside(out + 2 * j, out_pitch, weave<2, 4, false>(x[j], x[j + 1], lane_indices));
      store_beside(out + n_halves * out_pitch + 2 * j, out_pitch,
                   weave<2, 4, true>(x[j], x[j + 1], lane_indices));
    } else {
      store_beside(out + 2 * j, out_pitch, x[j]);
    }
  }
}

/// Transforms rows side by side in vectors of 32 bytes, or of 16 if the set has none of 32, and the
/// remaining rows alone.
template <int N, direction Dir, class Real, int Width>
void all_rows_of_numbers(const chain&, const Real*, const rows<Real>& work, Real*) {
  constexpr int widest = 32 / int{sizeof(Real)};
  using V = simd<Real, (Width < widest ? Width : widest)>;
  constexpr size_t n_together = V::width / 2;
  const size_t in_pitch = work.in_pitch, out_pitch = work.out_pitch;
  const single_row<Real> of_single{nullptr, work.scale, N};
  const Real* in = work.in;
  Real* out = work.out;
  size_t left = work.count;
  if constexpr (n_together > 1 && N > 1) {
    for (const V factor{work.scale - typename V::vector{}}; left >= n_together;
         left -= n_together) {
      rows_of_numbers<N, Dir>(in, in_pitch, out, out_pitch, factor);
      in += n_together * in_pitch;
      out += n_together * out_pitch;
    }
  }
  for (; left > 0; --left, in += in_pitch, out += out_pitch) {
    row_of_numbers<N, Dir, Real>(&of_single, reinterpret_cast<const std::byte*>(in),
                                 reinterpret_cast<std::byte*>(out));
  }
}

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
