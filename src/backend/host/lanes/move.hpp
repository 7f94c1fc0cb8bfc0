// SPDX-License-Identifier: Apache-2.0
// Numbers between memory as a caller lays it out and a tile. 16-bit numbers are widened and rounded
// by integer arithmetic without branches, which compilers turn into vectors of any width: all of it
// inline, because its functions have the same names in all instruction sets.
#pragma once

#include "backend/host/kernels.hpp"     // rectangle, stored
#include "backend/host/lanes/simd.hpp"  // WINGBEAT_LANES, size_t
#include "wingbeat/device/bfloat.hpp"   // bfloat
#include "wingbeat/device/half.hpp"     // half_float

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

/// Returns a number of 4 or 8 bytes, which is moved as a whole.
template <size_t Bytes>
constexpr auto unit_of_bytes() {
  if constexpr (Bytes == sizeof(float)) {
    return float{};
  } else {
    return double{};
  }
}

/// Move one run. Where memory is dense and the stride in the tile is the constant `Step`, compilers
/// move vectors.
template <size_t Step, bool Out, class Unit, class Real>
WINGBEAT_LANES void move_dense(Unit* __restrict memory, Real* __restrict tile, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if constexpr (Out) {
      memory[i] = Unit(tile[Step * i]);
    } else {
      tile[Step * i] = Real(memory[i]);
    }
  }
}
template <bool Out, class Unit, class Real>
WINGBEAT_LANES void move_spread(Unit* __restrict memory, size_t memory_step, Real* __restrict tile,
                                size_t tile_step, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if constexpr (Out) {
      memory[memory_step * i] = Unit(tile[tile_step * i]);
    } else {
      tile[tile_step * i] = Real(memory[memory_step * i]);
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

/// Moves rows of numbers of `Parts` reals to columns: number c of run r stands at
/// from + r from_pitch + Parts c and goes to to + c to_pitch + Parts r. Squares are transposed in
/// registers, one complex float as one double, which no instruction here computes with.
template <int Parts, class Real>
void move_transposed(const Real* from, size_t from_pitch, Real* to, size_t to_pitch, size_t n_runs,
                     size_t n_numbers) {
  constexpr size_t number_bytes = Parts * sizeof(Real);
  size_t run = 0;
  if constexpr (number_bytes <= sizeof(double)) {
    constexpr int side = vector_bytes / int{number_bytes};
    using V = simd<decltype(unit_of_bytes<number_bytes>()), side>;
    for (; run + side <= n_runs; run += side) {
      size_t c = 0;
      for (; c + side <= n_numbers; c += side) {
        V row[side];
        WINGBEAT_UNROLL
        for (int i = 0; i < side; ++i) {
          __builtin_memcpy(&row[i].v, from + (run + i) * from_pitch + Parts * c, sizeof row[i].v);
        }
        transpose<side>(row);
        WINGBEAT_UNROLL
        for (int i = 0; i < side; ++i) {
          __builtin_memcpy(to + (c + i) * to_pitch + Parts * run, &row[i].v, sizeof row[i].v);
        }
      }
      for (; c < n_numbers; ++c) {
        for (size_t i = 0; i < side; ++i) {
          __builtin_memcpy(to + c * to_pitch + Parts * (run + i),
                           from + (run + i) * from_pitch + Parts * c, number_bytes);
        }
      }
    }
  }
  for (size_t c = 0; c < n_numbers; ++c) {
    for (size_t r = run; r < n_runs; ++r) {
      __builtin_memcpy(to + c * to_pitch + Parts * r, from + r * from_pitch + Parts * c,
                       number_bytes);
    }
  }
}

/// Real and imaginary parts of one run, one after the other.
template <bool Out, class Unit, class Real>
void move_run(const rectangle& shape, Unit* memory, Real* tile) {
  const size_t n = shape.run_length;
  const bool is_real = shape.imaginary_at == 0;
  if (!is_real && shape.memory_step == 1 && shape.tile_step == 2) {
    if constexpr (sizeof(Unit) == sizeof(Real)) {
      return move_planes<Out>(memory, memory + shape.imaginary_at, tile, n);
    }
    move_dense<2, Out>(memory, tile, n);
    return move_dense<2, Out>(memory + shape.imaginary_at, tile + 1, n);
  }
  move_spread<Out>(memory, shape.memory_step, tile, shape.tile_step, n);
  if (is_real) return;
  move_spread<Out>(memory + shape.imaginary_at, shape.memory_step, tile + 1, shape.tile_step, n);
}

template <bool Out, class Unit, class Real>
[[gnu::flatten]] void move_runs(const rectangle& shape, Unit* memory, Real* tile) {
  const size_t reals = shape.imaginary_at == 0 ? 1 : 2;
  const bool is_dense =
      shape.imaginary_at < 2 && shape.memory_step == reals && shape.tile_step == reals;
  for (size_t run = 0; run < shape.n_runs; ++run) {
    Unit* const run_in_memory = memory + shape.memory_run * run;
    Real* const run_in_tile = tile + shape.tile_run * run;
    if (is_dense) {
      move_dense<1, Out>(run_in_memory, run_in_tile, reals * shape.run_length);
    } else {
      move_run<Out>(shape, run_in_memory, run_in_tile);
    }
  }
}

/// Moves numbers of `Parts` reals if runs in memory are columns of a tile whose rows are dense.
/// Returns whether they are.
template <int Parts, bool Out, class Real>
bool move_if_transposed(const rectangle& shape, Real* memory, Real* tile) {
  if (shape.imaginary_at != Parts - 1 || shape.memory_step != Parts || shape.tile_run != Parts ||
      shape.tile_step == Parts) {
    return false;
  }
  if constexpr (Out) {
    move_transposed<Parts>(tile, shape.tile_step, memory, shape.memory_run, shape.run_length,
                           shape.n_runs);
  } else {
    move_transposed<Parts>(memory, shape.memory_run, tile, shape.tile_step, shape.n_runs,
                           shape.run_length);
  }
  return true;
}

template <bool Out, class Real>
void move_rectangle(const rectangle& shape, void* memory, Real* tile) {
  if (shape.type == stored::own &&
      (move_if_transposed<1, Out>(shape, static_cast<Real*>(memory), tile) ||
       move_if_transposed<2, Out>(shape, static_cast<Real*>(memory), tile))) {
    return;
  }
  if constexpr (sizeof(Real) == 4) {
    if (shape.type == stored::fp16) {
      return move_runs<Out>(shape, static_cast<device::half_float*>(memory), tile);
    }
    if (shape.type == stored::bf16) {
      return move_runs<Out>(shape, static_cast<device::bfloat*>(memory), tile);
    }
  }
  move_runs<Out>(shape, static_cast<Real*>(memory), tile);
}

/// kernels::gather and kernels::scatter; each leaves alone what its casts make writable.
template <class Real>
void gather(const rectangle& shape, const void* memory, Real* tile) {
  move_rectangle<false>(shape, const_cast<void*>(memory), tile);
}
template <class Real>
void scatter(const rectangle& shape, const Real* tile, void* memory) {
  move_rectangle<true>(shape, memory, const_cast<Real*>(tile));
}

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
