// SPDX-License-Identifier: Apache-2.0
// The filter bank's kernels over SIMD lanes; included once per instruction set, like simd.hpp.
#pragma once

#include <cstdint>  // int32_t, uint8_t, uint16_t, uint32_t, uint64_t
#if defined(__SSE2__)
#include <immintrin.h>  // mul_epu32
#endif

#include "backend/host/bank/bank_kernels.hpp"  // filtered_rows, dither_block, finished_bins
#include "backend/host/lanes/simd.hpp"         // simd, load_pairs
#include "wingbeat/device/dither.hpp"          // dither_rounds
#include "wingbeat/device/half.hpp"            // half_float

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

constexpr int float_lanes = vector_bytes / int{sizeof(float)};
using floats = simd<float, float_lanes>;

template <class Number, int Width>
struct vector_of {
  typedef Number type __attribute__((vector_size(Width * sizeof(Number))));
};
template <class Number, int Width>
using vector_type = typename vector_of<Number, Width>::type;

/// `Rows` rows of a block of positions, `N` vectors at a time; sums stay in registers, and each
/// weight is read once for all rows.
template <int Rows, int N>
[[gnu::flatten]] void filter_block(const float* x, const float* w, size_t taps, float* y,
                                   size_t y_pitch) {
  for (size_t j = 0; j < bank_block; j += N * float_lanes) {
    floats sum[Rows][N];
    WINGBEAT_UNROLL
    for (int n = 0; n < N; ++n) {
      const floats weight = load<floats>(w + j + n * float_lanes);
      WINGBEAT_UNROLL
      for (int r = 0; r < Rows; ++r) {
        sum[r][n] = weight * load<floats>(x + j + r * bank_block + n * float_lanes);
      }
    }
    for (size_t m = 1; m < taps; ++m) {
      WINGBEAT_UNROLL
      for (int n = 0; n < N; ++n) {
        const floats weight = load<floats>(w + j + m * bank_block + n * float_lanes);
        WINGBEAT_UNROLL
        for (int r = 0; r < Rows; ++r) {
          sum[r][n] =
              sum[r][n] + weight * load<floats>(x + j + (m + r) * bank_block + n * float_lanes);
        }
      }
    }
    WINGBEAT_UNROLL
    for (int r = 0; r < Rows; ++r) {
      WINGBEAT_UNROLL
      for (int n = 0; n < N; ++n) store(y + j + r * y_pitch + n * float_lanes, sum[r][n]);
    }
  }
}

/// Copies a block's samples of each row next to each other, with zeros behind the last samples of
/// the row.
inline void gather(const filtered_rows& rows, size_t j) {
  const size_t count = rows.step - j;
  for (size_t i = 0; i < rows.taps + rows.count - 1; ++i) {
    float* const block = rows.scratch + i * bank_block;
    const float* const samples = rows.x + i * rows.step + j;
    if (count >= bank_block) {
      __builtin_memcpy(block, samples, bank_block * sizeof(float));
    } else {
      __builtin_memcpy(block, samples, count * sizeof(float));
      __builtin_memset(block + count, 0, (bank_block - count) * sizeof(float));
    }
  }
}

/// bank_kernels::filter. Samples of a block of positions are first copied next to each other: in
/// their rows they are a power of two apart and would share few sets of the cache.
inline void filter(const filtered_rows& rows) {
  constexpr int n = float_lanes == 16 ? 2 : 1;  // half of the registers hold sums
  const float* w = rows.w;
  for (size_t j = 0; j < rows.step; j += bank_block, w += rows.taps * bank_block) {
    gather(rows, j);
    const float* x = rows.scratch;
    float* y = rows.y + j;
    size_t left = rows.count;
    for (; left >= 8; left -= 8, x += 8 * bank_block, y += 8 * rows.y_pitch) {
      filter_block<8, n>(x, w, rows.taps, y, rows.y_pitch);
    }
    for (; left >= 4; left -= 4, x += 4 * bank_block, y += 4 * rows.y_pitch) {
      filter_block<4, n>(x, w, rows.taps, y, rows.y_pitch);
    }
    for (; left > 0; --left, x += bank_block, y += rows.y_pitch) {
      filter_block<1, 2>(x, w, rows.taps, y, rows.y_pitch);
    }
  }
}

/// Words of 32 bits in lanes of 64; the upper halves are unspecified.
constexpr int word_lanes = vector_bytes / 8;
using words = vector_type<std::uint64_t, word_lanes>;

/// Returns the products of the lower halves.
WINGBEAT_LANES words wide_product(words a, words b) {
#if defined(__AVX512F__)
  return reinterpret_cast<words>(
      _mm512_maskz_mul_epu32(0xFF, reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif defined(__AVX2__)
  return reinterpret_cast<words>(
      _mm256_mul_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#elif defined(__SSE2__)
  return reinterpret_cast<words>(
      _mm_mul_epu32(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  return (a & 0xFFFFFFFFU) * (b & 0xFFFFFFFFU);
#endif
}

/// bank_kernels::dither: device::dither_words and device::dither_of, a channel in each lane.
inline void dither(const dither_block& block) {
  constexpr words none{};
  const words first = none + 0xD2511F53U, second = none + 0xCD9E8D57U;
  const std::uint32_t half = device::first_turned(block.channels);
  for (size_t i = 0; i < bank_block; i += word_lanes) {
    words counter[4] = {none + (block.time & 0xFFFFFFFFU), none + (block.time >> 32),
                        none + (block.first_channel + i), none + block.pair};
    for (int l = 0; l < word_lanes; ++l) counter[2][l] += static_cast<std::uint64_t>(l);
    const auto is_turned = counter[2] >= none + half;  // all ones if it is
    counter[2] -= reinterpret_cast<words>(is_turned) & half;
    std::uint32_t low = static_cast<std::uint32_t>(block.seed);
    std::uint32_t high = static_cast<std::uint32_t>(block.seed >> 32);
    for (int round = 0; round < device::dither_rounds; ++round) {
      const words a = wide_product(counter[0], first), b = wide_product(counter[2], second);
      counter[0] = (b >> 32) ^ counter[1] ^ (none + low);
      counter[1] = b;
      counter[2] = (a >> 32) ^ counter[3] ^ (none + high);
      counter[3] = a;
      low += 0x9E3779B9U;
      high += 0xBB67AE85U;
    }
    WINGBEAT_UNROLL
    for (int word = 0; word < 4; ++word) {
      using halves = vector_type<std::uint32_t, word_lanes>;
      using reals = vector_type<float, word_lanes>;
      const words turned =
          (counter[word] & 0xFFFFFFFFU) << 16 | (counter[word] & 0xFFFFFFFFU) >> 16;
      const words taken = reinterpret_cast<words>(is_turned) & turned;
      const words kept = ~reinterpret_cast<words>(is_turned) & counter[word];
      const halves bits = (__builtin_convertvector(taken | kept, halves) >> 9) | 0x3F800000U;
      reals scaled;
      __builtin_memcpy(&scaled, &bits, sizeof bits);
      scaled = scaled - 1.5F + 5.9604645e-8F;
      __builtin_memcpy(block.out + word * bank_block + i, &scaled, sizeof scaled);
    }
  }
}

WINGBEAT_LANES floats limited(floats x, floats limit) {
  const floats low = -limit;
  return {x.v > limit.v ? limit.v : (x.v < low.v ? low.v : x.v)};
}

/// Returns the nearest integers, ties to even, in the lower 16 bits of words: next to 3 2^22 the
/// last bit of a float is worth 1.
WINGBEAT_LANES vector_type<std::uint32_t, float_lanes> nearest_bits(floats x) {
  const floats sum{x.v + 12582912.0F};
  vector_type<std::uint32_t, float_lanes> bits;
  __builtin_memcpy(&bits, &sum.v, sizeof bits);
  return bits;
}

template <class Unit, class Bits>
WINGBEAT_LANES void store_low_bits(std::byte* to, Bits from) {
  const auto narrow = __builtin_convertvector(from, vector_type<Unit, float_lanes>);
  __builtin_memcpy(to, &narrow, sizeof narrow);
}

template <heap_sample As>
WINGBEAT_LANES void store_values(std::byte* out, size_t i, lanes<floats> c) {
  if constexpr (As == heap_sample::int4) {
    store_low_bits<std::uint8_t>(out + i,
                                 (nearest_bits(c.re) & 15U) << 4 | (nearest_bits(c.im) & 15U));
  } else if constexpr (As == heap_sample::int8) {
    store_low_bits<std::uint16_t>(out + 2 * i,
                                  (nearest_bits(c.re) & 255U) | (nearest_bits(c.im) & 255U) << 8);
  } else if constexpr (As == heap_sample::int16) {
    store_low_bits<std::uint32_t>(out + 4 * i, (nearest_bits(c.re) & 0xFFFFU) | nearest_bits(c.im)
                                                                                    << 16);
  } else if constexpr (As == heap_sample::fp16) {
    for (int l = 0; l < float_lanes; ++l) {
      const device::half_float pair[2] = {device::half_float(c.re.v[l]),
                                          device::half_float(c.im.v[l])};
      __builtin_memcpy(out + 4 * (i + static_cast<size_t>(l)), pair, sizeof pair);
    }
  } else {
    store_pairs<false, floats>(reinterpret_cast<float*>(out) + 2 * i, c);
  }
}

template <heap_sample As>
[[gnu::flatten]] std::uint32_t finish_as(const finished_bins& given) {
  const lanes<floats> coarse{floats{double{given.coarse[0]}}, floats{double{given.coarse[1]}}};
  const floats limit{double{given.limit}};
  vector_type<std::int32_t, float_lanes> n_limited{};
  for (size_t i = 0; i < given.count; i += float_lanes) {
    const lanes<floats> step{load<floats>(given.steps + i),
                             load<floats>(given.steps + bank_block + i)};
    const lanes<floats> turned = load_pairs<false, floats>(given.bins + 2 * i) * (coarse * step);
    lanes<floats> u = turned * load_pairs<false, floats>(given.gains + 2 * i);
    lanes<floats> added{floats{0.0}, floats{0.0}};  // also turns -0 into 0
    if (given.dither != nullptr) {
      added = {load<floats>(given.dither + i), load<floats>(given.dither + bank_block + i)};
    }
    u = u + added;
    const lanes<floats> c{limited(u.re, limit), limited(u.im, limit)};
    n_limited -= (c.re.v != u.re.v) | (c.im.v != u.im.v);
    store_values<As>(given.out, i, c);
  }
  std::uint32_t sum = 0;
  for (int l = 0; l < float_lanes; ++l) sum += static_cast<std::uint32_t>(n_limited[l]);
  return sum;
}

/// Finishes whole vectors of bins, then the last bins, followed by zeros, which are never limited.
template <heap_sample As>
std::uint32_t finish_all(const finished_bins& given) {
  constexpr size_t width = float_lanes;
  constexpr size_t n_bytes = complex_bytes(As);
  finished_bins whole = given;
  whole.count = given.count / width * width;
  std::uint32_t n_limited = finish_as<As>(whole);
  const size_t n_left = given.count - whole.count;
  if (n_left == 0) return n_limited;
  alignas(vector_bytes) float bins[2 * width] = {}, gains[2 * width] = {};
  alignas(vector_bytes) std::byte out[n_bytes * width];
  __builtin_memcpy(bins, given.bins + 2 * whole.count, 2 * n_left * sizeof(float));
  __builtin_memcpy(gains, given.gains + 2 * whole.count, 2 * n_left * sizeof(float));
  finished_bins rest = given;
  rest.bins = bins;
  rest.gains = gains;
  rest.steps = given.steps + whole.count;
  if (given.dither != nullptr) rest.dither = given.dither + whole.count;
  rest.count = width;
  rest.out = out;
  n_limited += finish_as<As>(rest);
  __builtin_memcpy(given.out + n_bytes * whole.count, out, n_bytes * n_left);
  return n_limited;
}

/// bank_kernels::finish
inline std::uint32_t finish(heap_sample output, const finished_bins& given) {
  switch (output) {
    case heap_sample::int4: return finish_all<heap_sample::int4>(given);
    case heap_sample::int8: return finish_all<heap_sample::int8>(given);
    case heap_sample::int16: return finish_all<heap_sample::int16>(given);
    case heap_sample::fp16: return finish_all<heap_sample::fp16>(given);
    case heap_sample::fp32: break;
  }
  return finish_all<heap_sample::fp32>(given);
}

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
