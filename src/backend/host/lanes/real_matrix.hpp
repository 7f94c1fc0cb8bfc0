// SPDX-License-Identifier: Apache-2.0
// Rows of few reals times a matrix, in the forms of matrix_form. Adjacent outputs are the lanes of
// a vector, an input stands in all lanes. Terms come in pairs with a sum for each of the two, which
// takes half the time of one chain of sums and rounds less. A row has the same bits in any batch.
#pragma once

#include "backend/host/kernels.hpp"       // first_of_tile
#include "backend/host/lanes/mirror.hpp"  // reversed
#include "backend/host/lanes/simd.hpp"    // simd, load, store, weave
#include "backend/host/line_kernels.hpp"  // row_product, matrix_form

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

/// Reals of a row that is folded, or copied because it is overwritten.
constexpr size_t copied_reals = longest_real_matrix + 8;

/// The two sums of each output.
template <class V>
struct sum_pair {
  V first, second;
};

/// Writes lanes `begin` to `end`, lane l to out[l].
template <class V>
WINGBEAT_LANES void store_lanes(typename V::Real* out, V given, size_t begin, size_t end) {
  if (begin == 0 && end >= V::width) return store(out, given);
#if defined(__AVX512VL__)
  if (begin > 0 || end != V::width / 2) {
    const auto mask = (1U << end) - (1U << begin);
    if constexpr (sizeof(typename V::Real) == 4) {
      if constexpr (V::width == 8) return _mm256_mask_storeu_ps(out, __mmask8(mask), given.v);
      if constexpr (V::width == 4) return _mm_mask_storeu_ps(out, __mmask8(mask), given.v);
    } else {
      if constexpr (V::width == 4) return _mm256_mask_storeu_pd(out, __mmask8(mask), given.v);
      if constexpr (V::width == 2) return _mm_mask_storeu_pd(out, __mmask8(mask), given.v);
    }
  }
  __builtin_memcpy(out, &given.v, sizeof given.v / 2);
#else
  for (size_t l = begin; l < end; ++l) out[l] = given.v[l];
#endif
}

/// Writes a vector of outputs from `first` on.
template <matrix_form Form, class V>
WINGBEAT_LANES void store_outputs(size_t n, size_t n_lanes, size_t first, sum_pair<V> sums,
                                  typename V::Real* out) {
  constexpr size_t w = V::width;
  constexpr auto lane_indices = indices_below<V::width>{};
  if constexpr (Form == matrix_form::folded) {
    const size_t n_reals = 2 * (n_lanes - first);
    const V low = weave<1, V::width, false>(sums.first, sums.second, lane_indices);
    const V high = weave<1, V::width, true>(sums.first, sums.second, lane_indices);
    store_lanes(out + 2 * first, low, 0, n_reals);
    if (n_reals > w) store_lanes(out + 2 * first + w, high, 0, n_reals - w);
  } else {
    store_lanes(out + first, sums.first + sums.second, 0, n_lanes - first);
    if constexpr (Form == matrix_form::unfolded) {
      const size_t last = first + w - 1, n_images = (n - 1) / 2;
      const V image = reversed(sums.first - sums.second, lane_indices);
      const bool is_longer = last > n / 2;  // than all outputs
      store_lanes(out + n - last, image, is_longer ? last - n_images : 0, first == 0 ? w - 1 : w);
    }
  }
}

/// Replaces N reals by x[0], x[j] + x[N-j] and, from `folded_distance` on, x[j] - x[N-j].
template <class V>
WINGBEAT_LANES void fold_reals(const typename V::Real* in, size_t n, typename V::Real* folded) {
  const size_t n_images = (n - 1) / 2;
  if constexpr (V::width > 1) {
    if (n_images < V::width) {
      return fold_reals<simd<typename V::Real, V::width / 2>>(in, n, folded);
    }
  }
  constexpr auto lane_indices = indices_below<V::width>{};
  folded[0] = in[0];
  folded[n / 2] = in[n / 2];  // where N is even
  for (size_t tile = 0; tile * V::width < n_images; ++tile) {
    const size_t j = 1 + first_of_tile(tile, V::width, n_images);
    const V near = load<V>(in + j);
    const V far = reversed(load<V>(in + n + 1 - V::width - j), lane_indices);
    store(folded + j, near + far);
    store(folded + folded_distance + j, near - far);
  }
}

/// Pairs of terms in a block. Blocks are summed apart and then added, because along one chain the
/// roundings of a constant or a slow tone add up.
inline constexpr size_t pairs_in_block = 8;

/// Sums `Tiles` vectors of outputs, from vector `tile` on, of `Rows` rows.
template <int Rows, int Tiles, class V>
WINGBEAT_LANES void sum_terms(const row_product<typename V::Real>& product, size_t tile,
                              const typename V::Real* in, size_t in_pitch,
                              sum_pair<V> (&sums)[Rows][Tiles]) {
  constexpr size_t w = V::width;
  const size_t pitch = w * product.n_tiles;
  const auto* factors = product.factors + w * tile;
  const auto* terms = product.terms;
  const auto value = [&](int r, ptrdiff_t term) {
    return V{in[static_cast<size_t>(r) * in_pitch + term] - typename V::vector{}};
  };
  const auto add_pairs = [&](size_t n_pairs, sum_pair<V>(&target)[Rows][Tiles]) {
    for (size_t i = n_pairs; i > 0; --i, terms += 2, factors += 2 * pitch) {
      WINGBEAT_UNROLL
      for (int r = 0; r < Rows; ++r) {
        const V a = value(r, terms[0]), b = value(r, terms[1]);
        WINGBEAT_UNROLL
        for (int t = 0; t < Tiles; ++t) {
          target[r][t].first = target[r][t].first + a * load<V>(factors + w * t);
          target[r][t].second = target[r][t].second + b * load<V>(factors + pitch + w * t);
        }
      }
    }
  };
  WINGBEAT_UNROLL
  for (int r = 0; r < Rows; ++r) {
    WINGBEAT_UNROLL
    for (int t = 0; t < Tiles; ++t) {
      sums[r][t] = {value(r, terms[0]) * load<V>(factors + w * t), V{0.0}};
    }
  }
  ++terms;
  factors += pitch;
  const size_t n_pairs = (product.n_terms - 1) / 2;
  add_pairs(n_pairs < pairs_in_block ? n_pairs : pairs_in_block, sums);
  for (size_t done = pairs_in_block; done < n_pairs; done += pairs_in_block) {
    sum_pair<V> block[Rows][Tiles];
    WINGBEAT_UNROLL
    for (int r = 0; r < Rows; ++r) {
      WINGBEAT_UNROLL
      for (int t = 0; t < Tiles; ++t) block[r][t] = {V{0.0}, V{0.0}};
    }
    add_pairs(n_pairs - done < pairs_in_block ? n_pairs - done : pairs_in_block, block);
    WINGBEAT_UNROLL
    for (int r = 0; r < Rows; ++r) {
      WINGBEAT_UNROLL
      for (int t = 0; t < Tiles; ++t) {
        sums[r][t] = {sums[r][t].first + block[r][t].first, sums[r][t].second + block[r][t].second};
      }
    }
  }
  if (product.n_terms % 2 != 0) return;
  WINGBEAT_UNROLL
  for (int r = 0; r < Rows; ++r) {
    WINGBEAT_UNROLL
    for (int t = 0; t < Tiles; ++t) {
      sums[r][t].first = sums[r][t].first + value(r, terms[0]) * load<V>(factors + w * t);
    }
  }
}

template <matrix_form Form, int Rows, int Tiles, class V>
WINGBEAT_LANES void multiply_tiles(const row_product<typename V::Real>& product, size_t tile,
                                   const typename V::Real* in, size_t in_pitch,
                                   typename V::Real* out) {
  sum_pair<V> sums[Rows][Tiles];
  sum_terms(product, tile, in, in_pitch, sums);
  WINGBEAT_UNROLL
  for (int r = 0; r < Rows; ++r) {
    WINGBEAT_UNROLL
    for (int t = 0; t < Tiles; ++t) {
      store_outputs<Form>(product.length, product.n_lanes,
                          first_of_tile(tile + t, V::width, product.n_lanes), sums[r][t],
                          out + static_cast<size_t>(r) * product.out_pitch);
    }
  }
}

/// Multiplies `Rows` rows whose outputs fill `Tiles` vectors; 0: any number of vectors.
template <matrix_form Form, int Rows, int Tiles, class V>
WINGBEAT_LANES void multiply_rows(const row_product<typename V::Real>& product,
                                  const typename V::Real* in, typename V::Real* out) {
  using Real = typename V::Real;
  size_t in_pitch = product.in_pitch;
  if constexpr (Form == matrix_form::folded || Tiles == 0) {  // outputs may replace inputs
    Real copied[Rows][copied_reals];
    for (int r = 0; r < Rows; ++r, in += product.in_pitch) {
      if constexpr (Form == matrix_form::folded) {
        fold_reals<V>(in, product.length, copied[r]);
      } else {
        __builtin_memcpy(copied[r], in, product.n_in * sizeof(Real));
      }
    }
    in = copied[0];
    in_pitch = copied_reals;
    if constexpr (Tiles == 0) {
      size_t tile = 0;
      for (; tile + 4 <= product.n_tiles; tile += 4) {
        multiply_tiles<Form, Rows, 4, V>(product, tile, in, in_pitch, out);
      }
      for (; tile < product.n_tiles; ++tile) {
        multiply_tiles<Form, Rows, 1, V>(product, tile, in, in_pitch, out);
      }
    } else {
      multiply_tiles<Form, Rows, Tiles, V>(product, 0, in, in_pitch, out);
    }
  } else {
    multiply_tiles<Form, Rows, Tiles, V>(product, 0, in, in_pitch, out);
  }
}

/// Multiplies rows of any number of terms.
template <matrix_form Form, int Tiles, class V>
[[gnu::flatten]] void multiply_reals(const void* prepared, const std::byte* in_bytes,
                                     std::byte* out_bytes) {
  using Real = typename V::Real;
  constexpr int n_registers = vector_bytes > 32 ? 16 : 8;  // of sums
  constexpr int together = Tiles == 1 ? 4 : Tiles == 2 ? n_registers / 4 : n_registers / 8;
  const auto& product = *static_cast<const row_product<Real>*>(prepared);
  const auto* in = reinterpret_cast<const Real*>(in_bytes);
  auto* out = reinterpret_cast<Real*>(out_bytes);
  size_t left = product.count;
  if constexpr (together > 1) {
    for (; left >= together; left -= together) {
      multiply_rows<Form, together, Tiles, V>(product, in, out);
      in += together * product.in_pitch;
      out += together * product.out_pitch;
    }
  }
  for (; left > 0; --left, in += product.in_pitch, out += product.out_pitch) {
    multiply_rows<Form, 1, Tiles, V>(product, in, out);
  }
}

/// Multiplies rows of `Terms` terms, whose factors stay in registers from row to row. The terms
/// after the first are neighbours in memory, in rising or falling order.
template <matrix_form Form, int Terms, int Tiles, class V>
[[gnu::flatten]] void multiply_few_reals(const void* prepared, const std::byte* in_bytes,
                                         std::byte* out_bytes) {
  using Real = typename V::Real;
  const auto& product = *static_cast<const row_product<Real>*>(prepared);
  const size_t n_lanes = product.n_lanes, in_pitch = product.in_pitch,
               out_pitch = product.out_pitch;
  V factors[Terms][Tiles];
  const ptrdiff_t first = product.terms[0], second = product.terms[Terms > 1 ? 1 : 0];
  const ptrdiff_t step = Terms > 2 ? product.terms[2] - second : 1;
  WINGBEAT_UNROLL
  for (int j = 0; j < Terms; ++j) {
    WINGBEAT_UNROLL
    for (int t = 0; t < Tiles; ++t) {
      factors[j][t] = load<V>(product.factors + V::width * (j * Tiles + t));
    }
  }
  const auto* in = reinterpret_cast<const Real*>(in_bytes);
  auto* out = reinterpret_cast<Real*>(out_bytes);
  for (size_t left = product.count; left > 0; --left, in += in_pitch, out += out_pitch) {
    V x[Terms];
    const auto value = [&](ptrdiff_t i) { return V{in[i] - typename V::vector{}}; };
    if constexpr (Form == matrix_form::folded) {
      x[0] = value(0);
      if constexpr (Terms % 2 == 0) x[Terms - 1] = value(Terms / 2);
      WINGBEAT_UNROLL
      for (int j = 1; j <= (Terms - 1) / 2; ++j) {
        const V near = value(j), far = value(Terms - j);
        x[2 * j - 1] = near + far;
        x[2 * j] = near - far;
      }
    } else {
      WINGBEAT_UNROLL
      for (int j = 0; j < Terms; ++j) x[j] = value(j == 0 ? first : second + (j - 1) * step);
    }
    sum_pair<V> sums[Tiles];
    WINGBEAT_UNROLL
    for (int t = 0; t < Tiles; ++t) {
      sums[t] = {x[0] * factors[0][t], V{0.0}};
      WINGBEAT_UNROLL
      for (int j = 1; j < Terms; ++j) {
        V& sum = j % 2 == 1 ? sums[t].first : sums[t].second;
        sum = sum + x[j] * factors[j][t];
      }
    }
    WINGBEAT_UNROLL
    for (int t = 0; t < Tiles; ++t) {
      store_outputs<Form>(Terms, n_lanes, first_of_tile(t, V::width, n_lanes), sums[t], out);
    }
  }
}

/// Returns whether the outputs of rows of `n_terms` terms fill `n_tiles` vectors. From reals to
/// reals there are as many outputs as terms, of fewer than 6 reals two for each bin, otherwise one
/// for each bin.
template <matrix_form Form>
constexpr bool fill_tiles(int n_terms, int n_tiles, int width) {
  const int n_bins = n_terms / 2 + 1;
  const auto fill = [&](int n_lanes) { return (n_lanes + width - 1) / width == n_tiles; };
  if (Form != matrix_form::plain) return fill(n_bins);
  return fill(n_terms) || (n_terms < 6 && fill(2 * n_bins));
}

template <matrix_form Form, int Terms, int Tiles, class V>
constexpr single_kernel few_reals() {
  if constexpr (fill_tiles<Form>(Terms, Tiles, V::width)) {
    return multiply_few_reals<Form, Terms, Tiles, V>;
  }
  return nullptr;
}

/// Returns multiply_few_reals of the number of terms among `First` and those behind it, or null.
template <matrix_form Form, int First, int Tiles, class V, int... I>
constexpr single_kernel few_reals(size_t n_terms, indices<I...>) {
  single_kernel found = nullptr;
  ((n_terms == First + I ? void(found = few_reals<Form, First + I, Tiles, V>()) : void()), ...);
  return found;
}

/// The fewest and the most terms whose factors fit registers, where that pays.
template <matrix_form Form>
constexpr int first_few = Form == matrix_form::plain    ? 1
                          : Form == matrix_form::folded ? 6
                                                        : 9;
template <matrix_form Form>
constexpr int last_few = Form == matrix_form::plain ? 8 : 12;

template <matrix_form Form, class V>
single_kernel product_in(size_t n_terms, size_t n_lanes) {
  constexpr auto few = indices_below<last_few<Form> - first_few<Form> + 1>{};
  const size_t n_tiles = (n_lanes + V::width - 1) / V::width;
  single_kernel found = nullptr;
  if (n_tiles == 1) found = few_reals<Form, first_few<Form>, 1, V>(n_terms, few);
  // More outputs take wide vectors, if the set has them.
  if constexpr (sizeof(V) == 16 && vector_bytes > 16) return found;
  if (n_tiles == 2) found = few_reals<Form, first_few<Form>, 2, V>(n_terms, few);
  if (found != nullptr) return found;
  switch (n_tiles) {
    case 1: return multiply_reals<Form, 1, V>;
    case 2: return multiply_reals<Form, 2, V>;
    case 3: return multiply_reals<Form, 3, V>;
    case 4: return multiply_reals<Form, 4, V>;
    default: return multiply_reals<Form, 0, V>;
  }
}

/// line_kernels::product
template <class Real>
single_kernel product(matrix_form form, size_t n_terms, size_t n_lanes) {
  const auto of_width = [&](auto vector) {
    using V = decltype(vector);
    switch (form) {
      case matrix_form::folded: return product_in<matrix_form::folded, V>(n_terms, n_lanes);
      case matrix_form::unfolded: return product_in<matrix_form::unfolded, V>(n_terms, n_lanes);
      default: return product_in<matrix_form::plain, V>(n_terms, n_lanes);
    }
  };
  constexpr int narrow = 16 / int{sizeof(Real)}, wide = 2 * narrow;
  if constexpr (vector_bytes > 16) {
    if (product_width<Real>(n_lanes, widest<Real>::width) == wide) {
      return of_width(simd<Real, wide>{});
    }
  }
  return of_width(simd<Real, narrow>{});
}

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
