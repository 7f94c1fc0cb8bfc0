// SPDX-License-Identifier: Apache-2.0
// Numbers between memory as a caller lays it out and a tile. 16-bit numbers are widened and rounded
// by integer arithmetic without branches, which compilers turn into vectors of any width.
#pragma once

#include "backend/host/kernels.hpp"  // rectangle, stored
#include "backend/host/simd.hpp"     // WINGBEAT_LANES, size_t

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

WINGBEAT_LANES unsigned bits_of(float x) {
  return __builtin_bit_cast(unsigned, x);
}
WINGBEAT_LANES float float_of(unsigned bits) {
  return __builtin_bit_cast(float, bits);
}

/// Returns one of two, without a branch that would keep a loop from becoming vectors.
WINGBEAT_LANES unsigned chosen(bool first, unsigned a, unsigned b) {
  const unsigned all = 0u - static_cast<unsigned>(first);
  return (a & all) | (b & ~all);
}

/// How a number stands in memory: `unit`, read by `widened`, written by `nearest`.
template <class Real>
struct own_number {
  using unit = Real;
  WINGBEAT_LANES static Real widened(unit x) { return x; }
  WINGBEAT_LANES static unit nearest(Real x) { return x; }
};

/// sign . 8 bits exponent . 7 bits fraction: the upper half of a float.
struct bf16_number {
  using unit = unsigned short;
  WINGBEAT_LANES static float widened(unit x) { return float_of(unsigned{x} << 16); }
  WINGBEAT_LANES static unit nearest(float x) {
    const unsigned bits = bits_of(x);
    const unsigned rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
    const unsigned quiet = bits >> 16 | 0x40u;  // a NaN whose low bits are all must stay one
    return static_cast<unit>(chosen((bits & 0x7fffffffu) > 0x7f800000u, quiet, rounded));
  }
};

/// sign . 5 bits exponent + 15 . 10 bits fraction
struct fp16_number {
  using unit = unsigned short;
  WINGBEAT_LANES static float widened(unit x) {
    const unsigned magnitude = x & 0x7fffu;
    const unsigned below = bits_of(static_cast<float>(static_cast<int>(magnitude)) * 0x1p-24F);
    const unsigned rebias = magnitude < 0x7c00u ? 112u << 23 : 224u << 23;  // all ones stay so
    const unsigned normal = (magnitude << 13) + rebias;
    return float_of((x & 0x8000u) << 16 | chosen(magnitude < 0x400u, below, normal));
  }
  WINGBEAT_LANES static unit nearest(float x) {
    const unsigned magnitude = bits_of(x) & 0x7fffffffu;
    // Next to 1/2 a float's last bit is worth 2^-24, as a subnormal's is: the addition rounds.
    const unsigned below = bits_of(float_of(magnitude) + 0.5F) - bits_of(0.5F);
    const unsigned normal = (magnitude + 0xfffu + (magnitude >> 13 & 1u) - (112u << 23)) >> 13;
    const unsigned finite = chosen(magnitude < 113u << 23, below, normal);
    const unsigned number = chosen(magnitude >= 0x477ff000u, 0x7c00u, finite);  // 65520 and above
    const unsigned quiet = 0x7e00u | (magnitude >> 13 & 0x3ffu);
    const unsigned unsigned_bits = chosen(magnitude > 0x7f800000u, quiet, number);
    return static_cast<unit>((bits_of(x) >> 16 & 0x8000u) | unsigned_bits);
  }
};

/// Moves one run. `Step` is its stride in a tile; memory is dense where that is known to the
/// compiler, which then moves vectors.
template <class Number, size_t Step, bool Out, class Real>
WINGBEAT_LANES void move_dense(typename Number::unit* __restrict memory, Real* __restrict tile,
                               size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if constexpr (Out) {
      memory[i] = Number::nearest(tile[Step * i]);
    } else {
      tile[Step * i] = Number::widened(memory[i]);
    }
  }
}
template <class Number, bool Out, class Real>
WINGBEAT_LANES void move_spread(typename Number::unit* __restrict memory, size_t memory_step,
                                Real* __restrict tile, size_t tile_step, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if constexpr (Out) {
      memory[memory_step * i] = Number::nearest(tile[tile_step * i]);
    } else {
      tile[tile_step * i] = Number::widened(memory[memory_step * i]);
    }
  }
}

/// Moves one run between planes of real and imaginary parts and pairs in a tile.
template <bool Out, class Real>
void move_planes(Real* real, Real* imaginary, Real* tile, size_t count) {
  using V = simd<Real, vector_bytes / int{sizeof(Real)}>;
  size_t i = 0;
  for (; i + V::width <= count; i += V::width) {
    if constexpr (Out) {
      const lanes<V> z = load_pairs<false, V>(tile + 2 * i);
      store(real + i, z.re);
      store(imaginary + i, z.im);
    } else {
      store_pairs<false, V>(tile + 2 * i, {load<V>(real + i), load<V>(imaginary + i)});
    }
  }
  for (; i < count; ++i) {
    if constexpr (Out) {
      real[i] = tile[2 * i];
      imaginary[i] = tile[2 * i + 1];
    } else {
      tile[2 * i] = real[i];
      tile[2 * i + 1] = imaginary[i];
    }
  }
}

/// Moves rows of complex numbers to columns: number c of run r stands at from + r from_pitch + 2 c
/// and goes to to + c to_pitch + 2 r. Squares are transposed in registers, one complex float as one
/// double, which no instruction here computes with.
template <class Real>
void move_transposed(const Real* from, size_t from_pitch, Real* to, size_t to_pitch, size_t n_runs,
                     size_t n_numbers) {
  constexpr size_t number_bytes = 2 * sizeof(Real);
  size_t run = 0;
  constexpr int side = vector_bytes / int{sizeof(double)};
  if constexpr (sizeof(Real) == 4) {
    using V = simd<double, side>;
    for (; run + side <= n_runs; run += side) {
      size_t c = 0;
      for (; c + side <= n_numbers; c += side) {
        V row[side];
        WINGBEAT_UNROLL
        for (int i = 0; i < side; ++i) {
          __builtin_memcpy(&row[i].v, from + (run + i) * from_pitch + 2 * c, sizeof row[i].v);
        }
        transpose<side>(row);
        WINGBEAT_UNROLL
        for (int i = 0; i < side; ++i) {
          __builtin_memcpy(to + (c + i) * to_pitch + 2 * run, &row[i].v, sizeof row[i].v);
        }
      }
      for (; c < n_numbers; ++c) {
        for (size_t i = 0; i < side; ++i) {
          __builtin_memcpy(to + c * to_pitch + 2 * (run + i), from + (run + i) * from_pitch + 2 * c,
                           number_bytes);
        }
      }
    }
  }
  for (size_t c = 0; c < n_numbers; ++c) {
    for (size_t r = run; r < n_runs; ++r) {
      __builtin_memcpy(to + c * to_pitch + 2 * r, from + r * from_pitch + 2 * c, number_bytes);
    }
  }
}

/// Real and imaginary parts of one run, one after the other.
template <class Number, bool Out, class Real>
void move_run(const rectangle& what, typename Number::unit* memory, Real* tile) {
  const size_t n = what.run_length;
  const bool is_real = what.imaginary_at == 0;
  if (!is_real && what.memory_step == 1 && what.tile_step == 2) {
    if constexpr (sizeof(typename Number::unit) == sizeof(Real)) {
      return move_planes<Out>(memory, memory + what.imaginary_at, tile, n);
    }
    move_dense<Number, 2, Out>(memory, tile, n);
    return move_dense<Number, 2, Out>(memory + what.imaginary_at, tile + 1, n);
  }
  move_spread<Number, Out>(memory, what.memory_step, tile, what.tile_step, n);
  if (is_real) return;
  move_spread<Number, Out>(memory + what.imaginary_at, what.memory_step, tile + 1, what.tile_step,
                           n);
}

template <class Number, bool Out, class Real>
void move_runs(const rectangle& what, void* memory, Real* tile) {
  auto* const units = static_cast<typename Number::unit*>(memory);
  const size_t reals = what.imaginary_at == 0 ? 1 : 2;
  const bool is_dense =
      what.imaginary_at < 2 && what.memory_step == reals && what.tile_step == reals;
  for (size_t run = 0; run < what.n_runs; ++run) {
    typename Number::unit* const from = units + what.memory_run * run;
    Real* const to = tile + what.tile_run * run;
    if (is_dense) {
      move_dense<Number, 1, Out>(from, to, reals * what.run_length);
    } else {
      move_run<Number, Out>(what, from, to);
    }
  }
}

/// Whether runs of complex numbers in memory are columns of a tile whose rows are dense.
template <class Real>
bool is_transposition(const rectangle& what) {
  return what.as == stored::own && what.imaginary_at == 1 && what.memory_step == 2 &&
         what.tile_run == 2 && what.tile_step != 2;
}

template <bool Out, class Real>
void move_rectangle(const rectangle& what, void* memory, Real* tile) {
  if (is_transposition<Real>(what)) {
    auto* const numbers = static_cast<Real*>(memory);
    if constexpr (Out) {
      return move_transposed(tile, what.tile_step, numbers, what.memory_run, what.run_length,
                             what.n_runs);
    } else {
      return move_transposed(numbers, what.memory_run, tile, what.tile_step, what.n_runs,
                             what.run_length);
    }
  }
  if constexpr (sizeof(Real) == 4) {
    if (what.as == stored::fp16) return move_runs<fp16_number, Out>(what, memory, tile);
    if (what.as == stored::bf16) return move_runs<bf16_number, Out>(what, memory, tile);
  }
  move_runs<own_number<Real>, Out>(what, memory, tile);
}

/// kernels::gather and kernels::scatter; each leaves alone what its casts make writable.
template <class Real>
void gather(const rectangle& what, const void* memory, Real* tile) {
  move_rectangle<false>(what, const_cast<void*>(memory), tile);
}
template <class Real>
void scatter(const rectangle& what, const Real* tile, void* memory) {
  move_rectangle<true>(what, memory, const_cast<Real*>(tile));
}

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
