// SPDX-License-Identifier: Apache-2.0
// Whole transforms as chains of Stockham stages: of one row, and of the two halves of a four-step
// transform.
#pragma once

#include "backend/host/kernels.hpp"  // chain, rows, four_step, tiles
#include "backend/host/stage.hpp"    // first_in_row, middle, last

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

/// A number a template can take.
template <int Value>
struct constant {
  static constexpr int value = Value;
};

/// Which radices a chain has. Powers of two: 4, 8 and 16 (and 2 for fp64 pairs). Any: up to 13.
enum class radices { powers_of_two, any };

/// Calls `run` with the radix as a constant.
template <radices Which, class Run>
WINGBEAT_LANES void with_radix(int radix, Run run) {
  if constexpr (Which == radices::any) {
    switch (radix) {
      case 3: return run(constant<3>{});
      case 5: return run(constant<5>{});
      case 6: return run(constant<6>{});
      case 7: return run(constant<7>{});
      case 9: return run(constant<9>{});
      case 10: return run(constant<10>{});
      case 11: return run(constant<11>{});
      case 12: return run(constant<12>{});
      case 13: return run(constant<13>{});
      default: break;
    }
  }
  switch (radix) {
    case 2: return run(constant<2>{});
    case 4: return run(constant<4>{});
    case 8: return run(constant<8>{});
    default: break;
  }
  if constexpr (Which == radices::powers_of_two) run(constant<16>{});
}
template <class Run>
WINGBEAT_LANES void with_radix(int radix, Run run) {
  with_radix<radices::powers_of_two>(radix, run);
}

/// Runs the stages between the first and the last and returns where their output lies: in
/// `from`, where the input lies, or in `other`.
template <class V, radices Which = radices::powers_of_two>
const typename V::Real* run_middle(const chain& how, const typename V::Real* roots,
                                   typename V::Real* from, typename V::Real* other, size_t n_q,
                                   int begin) {
  size_t done = 1;
  for (int i = 0; i < begin; ++i) done *= how.stages[i].radix;
  for (int i = begin; i + 1 < how.n_stages; ++i) {
    const int radix = how.stages[i].radix;
    const size_t n_p = how.length / (done * radix);
    with_radix<Which>(radix, [&](auto r) {
      middle<decltype(r)::value, V>(from, other, roots + how.stages[i].roots, n_p, n_q);
    });
    done *= radix;
    n_q *= radix;
    auto* const written = other;
    other = from;
    from = written;
  }
  return from;
}

template <bool Swapped, class V>
void transform_rows(const chain& how, const typename V::Real* roots,
                    const rows<typename V::Real>& what, typename V::Real* scratch) {
  using Real = typename V::Real;
  const size_t n = how.length;
  const stage& head = how.stages[0];
  const int tail = how.stages[how.n_stages - 1].radix;
  const Real* in = what.in;
  Real* out = what.out;
  for (size_t row = 0; row < what.count; ++row) {
    with_radix(head.radix, [&](auto r) {
      if constexpr (decltype(r)::value % V::width == 0) {
        first_in_row<decltype(r)::value, Swapped, V>(in, scratch, roots + head.roots,
                                                     n / head.radix);
      }
    });
    const Real* turned =
        run_middle<V>(how, roots, scratch, scratch + 2 * n, head.radix / V::width, 1);
    with_radix(tail, [&](auto r) {
      last<decltype(r)::value, Swapped, V>(turned, out, V::width, n / tail / V::width, what.scale);
    });
    in += 2 * what.in_pitch;
    out += 2 * what.out_pitch;
  }
}

template <class Real, int Width>
rows_kernel<Real> stockham_of_width(bool is_swapped) {
  using V = simd<Real, Width>;
  return is_swapped ? transform_rows<true, V> : transform_rows<false, V>;
}

/// kernels::stockham: the widest vectors, a half and a quarter of them.
template <class Real, int Width>
rows_kernel<Real> stockham(int width, bool is_swapped) {
  if constexpr (Width * sizeof(Real) > 16) {
    if (2 * width == Width) return stockham_of_width<Real, Width / 2>(is_swapped);
  }
  if constexpr (Width * sizeof(Real) > 32) {
    if (4 * width == Width) return stockham_of_width<Real, Width / 4>(is_swapped);
  }
  return stockham_of_width<Real, Width>(is_swapped);
}

/// One tile of columns: all `width` at once through the first stage, then one after another.
template <bool Swapped, class V>
void transform_columns(const four_step<typename V::Real>& how, const tiles<typename V::Real>& what,
                       size_t tile) {
  using Real = typename V::Real;
  constexpr size_t w = V::width;
  const chain& columns = how.columns;
  const size_t a = columns.length;
  const size_t b = how.rows.length;
  const size_t pitch = a + w;  // one block more, so that columns do not share a cache set
  const stage& head = columns.stages[0];
  const int tail = columns.stages[columns.n_stages - 1].radix;
  with_radix(head.radix, [&](auto r) {
    if constexpr (decltype(r)::value % V::width == 0) {
      first_in_columns<decltype(r)::value, Swapped, V>(
          what.in + 2 * w * tile, b, what.scratch, pitch, how.roots + head.roots, a / head.radix);
    }
  });
  for (size_t l = 0; l < w; ++l) {
    const size_t j2 = tile * w + l;
    const Real* turned = run_middle<V>(columns, how.roots, what.scratch + 2 * pitch * l,
                                       what.scratch + 2 * pitch * w, head.radix / w, 1);
    with_radix(tail, [&](auto r) {
      last_in_column<decltype(r)::value, V>(turned, what.out + 2 * w * j2, how.block_pitch,
                                            how.step_lane + 2 * w * j2,
                                            how.step_first + 2 * (a / w) * j2, a / w / tail);
    });
  }
}

/// One tile of rows: `width` of them, one per lane.
template <bool Swapped, class V>
void transform_blocks(const four_step<typename V::Real>& how, const tiles<typename V::Real>& what,
                      size_t tile) {
  using Real = typename V::Real;
  constexpr size_t w = V::width;
  const size_t b = how.rows.length;
  const stage& head = how.rows.stages[0];
  const int tail = how.rows.stages[how.rows.n_stages - 1].radix;
  with_radix(head.radix, [&](auto r) {
    middle<decltype(r)::value, V>(what.in + 2 * how.block_pitch * tile, what.scratch,
                                  how.roots + head.roots, b / head.radix, 1);
  });
  const Real* turned =
      run_middle<V>(how.rows, how.roots, what.scratch, what.scratch + 2 * w * b, head.radix, 1);
  with_radix(tail, [&](auto r) {
    last<decltype(r)::value, Swapped, V>(turned, what.out + 2 * w * tile, how.columns.length,
                                         b / tail, what.scale);
  });
}

/// kernels::columns
template <class Real, int Width>
void columns(const four_step<Real>& how, const tiles<Real>& what) {
  using V = simd<Real, Width>;
  for (size_t tile = what.first; tile < what.end; ++tile) {
    if (what.is_swapped) {
      transform_columns<true, V>(how, what, tile);
    } else {
      transform_columns<false, V>(how, what, tile);
    }
  }
}

/// kernels::blocks
template <class Real, int Width>
void blocks(const four_step<Real>& how, const tiles<Real>& what) {
  using V = simd<Real, Width>;
  for (size_t tile = what.first; tile < what.end; ++tile) {
    if (what.is_swapped) {
      transform_blocks<true, V>(how, what, tile);
    } else {
      transform_blocks<false, V>(how, what, tile);
    }
  }
}

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
