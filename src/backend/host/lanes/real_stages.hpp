// SPDX-License-Identifier: Apache-2.0
// Rows of an odd number of reals, N = B R1 R2 ..: of every R1 R2 ..-th real a row of B, which a
// matrix takes to its bins 0 to B/2; then stages that combine R rows of L reals to one of L R,
//     X[k + L m] = sum_r w_R^(rm) (w_LR^(rk) Y_r[k]),   k = 0 .. L/2,  m < R,
// of which those beyond LR/2 are kept as the conjugates of bins LR - k - L m. Lanes are adjacent k:
// nothing is transposed, and no half-length row has to meet its mirror image. The way back is the
// same in the other order, of numbers whose re and im are exchanged.
// Between stages rows are two planes of `plane_of(L)` reals, re and im.
#pragma once

#include "backend/host/kernels.hpp"            // first_of_tile
#include "backend/host/lanes/mirror.hpp"       // reversed
#include "backend/host/lanes/real_matrix.hpp"  // sum_terms
#include "backend/host/lanes/simd.hpp"         // simd, load_pairs, store_pairs
#include "backend/host/lanes/stage.hpp"        // butterfly
#include "backend/host/line_kernels.hpp"       // row_product, plane_of

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

/// Vectors of 32 bytes; see row_product.
template <class Real>
using staged_vector = simd<Real, staged_width<Real>(widest<Real>::width)>;

/// Rows of half spectra between stages: row i is planes 2 i and 2 i + 1.
template <class Real>
struct planes {
  Real* memory;
  size_t pitch;
};

/// Reads and writes `width` bins of a row: pairs, or two planes `pitch` apart.
template <bool OfPairs, class V>
WINGBEAT_LANES lanes<V> load_bins(const typename V::Real* row, size_t pitch, size_t first) {
  if constexpr (OfPairs) return load_pairs<false, V>(row + 2 * first);
  return {load<V>(row + first), load<V>(row + pitch + first)};
}
template <bool OfPairs, class V>
WINGBEAT_LANES void store_bins(typename V::Real* row, size_t pitch, size_t first, lanes<V> bins) {
  if constexpr (OfPairs) return store_pairs<false, V>(row + 2 * first, bins);
  store(row + first, bins.re);
  store(row + pitch + first, bins.im);
}

/// Combines `Radix` rows of L reals, `n_rows` apart, to each of `n_rows` rows, or `Back` divides
/// those. `IsEnd`: combined rows are of pairs; im of their bin 0 is not read.
/// roots: w^(rk) as [tile of k][r - 1][re, im][lane]
template <int Radix, bool Back, bool IsEnd, class V>
[[gnu::flatten, gnu::noinline]] void real_stage(planes<const typename V::Real> source,
                                                planes<typename V::Real> target, size_t length,
                                                size_t n_rows, const typename V::Real* roots) {
  constexpr size_t w = V::width;
  const size_t n_bins = length / 2 + 1, n_tiles = (n_bins + w - 1) / w;
  const auto exchanged = [](lanes<V> z) -> lanes<V> { return {z.im, z.re}; };
  const auto image = [](size_t m, lanes<V> bins) {
    return 2 * m >= Radix ? reversed(device::conj(bins)) : bins;
  };
  for (size_t row = 0; row < n_rows; ++row) {
    const auto* const in = source.memory + 2 * source.pitch * row;
    auto* const out = target.memory + 2 * target.pitch * row;
    for (size_t tile = 0; tile < n_tiles; ++tile) {
      const size_t k = first_of_tile(tile, w, n_bins);
      const auto* const root = roots + 2 * w * (Radix - 1) * tile;
      const auto turn = [&](size_t r, lanes<V> bins) {
        return r > 0 ? bins * load_split<V>(root + 2 * w * (r - 1)) : bins;
      };
      const auto combined = [&](size_t m) {
        return 2 * m >= Radix ? length * (Radix - m) - k - (w - 1) : k + length * m;
      };
      lanes<V> x[Radix];  // back: im, re
      WINGBEAT_UNROLL
      for (size_t r = 0; r < Radix; ++r) {
        if constexpr (Back) {
          lanes<V> bins = load_bins<IsEnd, V>(in, source.pitch, combined(r));
          if (IsEnd && r == 0 && k == 0) bins.im.v[0] = 0;
          x[r] = exchanged(image(r, bins));
        } else {
          const auto* const part = in + 2 * source.pitch * n_rows * r;
          x[r] = turn(r, load_bins<false, V>(part, source.pitch, k));
        }
      }
      butterfly(x);
      WINGBEAT_UNROLL
      for (size_t r = 0; r < Radix; ++r) {
        if constexpr (Back) {
          auto* const part = out + 2 * target.pitch * n_rows * r;
          store_bins<false, V>(part, target.pitch, k, exchanged(turn(r, x[r])));
        } else {
          store_bins<IsEnd, V>(out, target.pitch, combined(r), image(r, x[r]));
        }
      }
    }
  }
}

/// One stage there or back, `IsEnd`: of pairs in memory.
template <bool Back, bool IsEnd, class V>
WINGBEAT_LANES void run_real_stage(int radix, planes<const typename V::Real> source,
                                   planes<typename V::Real> target, size_t length, size_t n_rows,
                                   const typename V::Real* roots) {
  const auto run = [&](auto r) {
    real_stage<decltype(r)::value, Back, IsEnd, V>(source, target, length, n_rows, roots);
  };
  switch (radix) {
    case 3: return run(std::integral_constant<int, 3>{});
    case 5: return run(std::integral_constant<int, 5>{});
    default: return run(std::integral_constant<int, 7>{});
  }
}

/// Replaces B times `n_rows` reals by x[0], and x[j] + x[B-j] and x[j] - x[B-j] in turns, each of
/// all rows side by side.  folded: [term][row], `pitch` reals apart
template <class V>
WINGBEAT_LANES void fold_rows(const typename V::Real* in, size_t n_rows, size_t length,
                              typename V::Real* folded, size_t pitch) {
  using Real = typename V::Real;
  constexpr size_t w = V::width;
  for (size_t row = 0; row < n_rows; ++row) folded[row] = in[row];
  for (size_t j = 1; 2 * j < length; ++j) {
    const Real *const near = in + n_rows * j, *const far = in + n_rows * (length - j);
    Real *const sums = folded + pitch * (2 * j - 1), *const differences = sums + pitch;
    if (n_rows * j < w) {  // too near to the end
      for (size_t row = 0; row < n_rows; ++row) {
        sums[row] = near[row] + far[row];
        differences[row] = near[row] - far[row];
      }
      continue;
    }
    for (size_t tile = 0; tile * w < n_rows; ++tile) {
      const size_t row = first_of_tile(tile, w, n_rows);
      const V a = load<V>(near + row), b = load<V>(far + row);
      store(sums + row, a + b);
      store(differences + row, a - b);
    }
  }
}

/// Multiplies `Rows` rows by `Tiles` vectors of the matrix from `tile` on, and stores bins 0 to B/2
/// in two planes or, `Back`, reals 0 to B - 1 in one.
template <bool Back, int Rows, int Tiles, class V>
WINGBEAT_LANES void multiply_part(const row_product<typename V::Real>& product, size_t tile,
                                  const typename V::Real* in, size_t in_pitch,
                                  typename V::Real* out, size_t plane) {
  constexpr size_t w = V::width;
  sum_pair<V> sums[Rows][Tiles];
  sum_terms(product, tile, in, in_pitch, sums);
  WINGBEAT_UNROLL
  for (int r = 0; r < Rows; ++r, out += 2 * plane) {
    WINGBEAT_UNROLL
    for (int t = 0; t < Tiles; ++t) {
      const auto [first, second] = sums[r][t];
      const size_t k = first_of_tile(tile + t, w, product.n_lanes);
      if constexpr (Back) {
        store(out + k, first + second);
        store(out + product.length - k - (w - 1), reversed(first - second, indices_below<w>{}));
      } else {
        store(out + k, first);
        store(out + plane + k, second);
      }
    }
  }
}

/// All rows of B.
template <bool Back, class V>
WINGBEAT_LANES void multiply_parts(const row_product<typename V::Real>& product, size_t n_rows,
                                   const typename V::Real* in, size_t in_pitch,
                                   typename V::Real* out, size_t plane) {
  size_t row = 0;
  for (; row + 4 <= n_rows; row += 4, in += 4 * in_pitch, out += 8 * plane) {
    size_t tile = 0;
    for (; tile + 2 <= product.n_tiles; tile += 2) {
      multiply_part<Back, 4, 2, V>(product, tile, in, in_pitch, out, plane);
    }
    if (tile < product.n_tiles)
      multiply_part<Back, 4, 1, V>(product, tile, in, in_pitch, out, plane);
  }
  for (; row < n_rows; ++row, in += in_pitch, out += 2 * plane) {
    size_t tile = 0;
    for (; tile + 4 <= product.n_tiles; tile += 4) {
      multiply_part<Back, 1, 4, V>(product, tile, in, in_pitch, out, plane);
    }
    for (; tile < product.n_tiles; ++tile) {
      multiply_part<Back, 1, 1, V>(product, tile, in, in_pitch, out, plane);
    }
  }
}

/// Reals to bins 0 to N/2.
template <class V>
WINGBEAT_LANES void stages_forward(const row_product<typename V::Real>& product,
                                   const typename V::Real* in, typename V::Real* out,
                                   typename V::Real* a, typename V::Real* b) {
  using Real = typename V::Real;
  constexpr size_t w = V::width;
  const chain& stages = *product.stages;
  size_t length = product.length, n_rows = stages.length / length;
  const size_t pitch = (n_rows + w - 1) / w * w;
  fold_rows<V>(in, n_rows, length, b, pitch);
  multiply_parts<false, V>(product, n_rows, b, 1, a, plane_of<Real>(length));
  for (int i = 0; i < stages.n_stages; ++i) {
    const int radix = stages.stages[i].radix;
    const planes<const Real> source{a, plane_of<Real>(length)};
    const Real* const roots = product.roots + stages.stages[i].roots;
    n_rows /= static_cast<size_t>(radix);
    if (n_rows == 1)
      return run_real_stage<false, true, V>(radix, source, {out, 0}, length, 1, roots);
    const planes<Real> target{b, plane_of<Real>(length * static_cast<size_t>(radix))};
    run_real_stage<false, false, V>(radix, source, target, length, n_rows, roots);
    length *= static_cast<size_t>(radix);
    b = a;
    a = target.memory;
  }
}

/// Bins 0 to N/2 to reals.
template <class V>
WINGBEAT_LANES void stages_back(const row_product<typename V::Real>& product,
                                const typename V::Real* in, typename V::Real* out,
                                typename V::Real* a, typename V::Real* b) {
  using Real = typename V::Real;
  const chain& stages = *product.stages;
  size_t length = stages.length, n_rows = 1;
  for (int i = stages.n_stages - 1; i >= 0; --i) {
    const int radix = stages.stages[i].radix;
    const Real* const roots = product.roots + stages.stages[i].roots;
    const planes<const Real> source{a, plane_of<Real>(length)};
    length /= static_cast<size_t>(radix);
    const planes<Real> target{b, plane_of<Real>(length)};
    if (n_rows == 1) {
      run_real_stage<true, true, V>(radix, {in, 0}, target, length, 1, roots);
    } else {
      run_real_stage<true, false, V>(radix, source, target, length, n_rows, roots);
    }
    n_rows *= static_cast<size_t>(radix);
    b = a;
    a = target.memory;
  }
  const size_t pitch = 2 * plane_of<Real>(length);
  multiply_parts<true, V>(product, n_rows, a, pitch, b, pitch / 2);
  for (size_t row = 0; row < n_rows; ++row) {
    for (size_t j = 0; j < length; ++j) out[n_rows * j + row] = b[pitch * row + j];
  }
}

/// line_kernels::staged
template <bool Back, class V>
[[gnu::flatten]] void staged_rows(const void* prepared, const std::byte* in_bytes,
                                  std::byte* out_bytes) {
  using Real = typename V::Real;
  const auto& product = *static_cast<const row_product<Real>*>(prepared);
  const auto* in = reinterpret_cast<const Real*>(in_bytes);
  auto* out = reinterpret_cast<Real*>(out_bytes);
  alignas(64) Real a[staged_reals], b[staged_reals];
  for (size_t left = product.count; left > 0; --left) {
    if constexpr (Back) stages_back<V>(product, in, out, a, b);
    if constexpr (!Back) stages_forward<V>(product, in, out, a, b);
    in += product.in_pitch;
    out += product.out_pitch;
  }
}

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
