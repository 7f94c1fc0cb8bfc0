// SPDX-License-Identifier: Apache-2.0
// The first stage of a row, along n3, and its inverse, along ka.
#pragma once

#include "wingbeat/device/half.hpp"                   // half_pair
#include "wingbeat/device/port.hpp"                   // WINGBEAT_FN
#include "wingbeat/device/tensor/matrix_product.hpp"  // product_part, table_entry
#include "wingbeat/device/tensor/numbers.hpp"         // forward_place, inverse_place
#include "wingbeat/device/tensor/scaled_signals.hpp"  // scaled_signals

namespace wingbeat::device::tensor {

template <class Policy, class Group>
class outer_stages : public scaled_signals<Policy, Group> {
  using base = scaled_signals<Policy, Group>;

 protected:
  using base::base;
  using base::places, base::n_rows, base::subgroups, base::blocks, base::steps, base::tiles,
      base::is_folded, base::row_quads, base::memory_, base::exchange_, base::subgroup_,
      base::lane_, base::g_, base::t_, base::units_, base::column, base::both_of;

  /// Transforms along n3 and stores pairs (n2, n2 + 2).
  WINGBEAT_FN void transform_outer(const right_part (&inputs)[n_rows][blocks][steps][4],
                                   unsigned b) const {
    const unsigned number = subgroup_ + subgroups * b;
    const auto matrix = memory_.table + places.first() + lane_;
    const auto twiddles = memory_.table + places.twiddles() + number * (tiles * 64) + lane_;
    constexpr unsigned results = is_folded ? 2 : 1, turns = tiles / results;
    WINGBEAT_UNROLL
    for (unsigned m = 0; m < turns; ++m) {
      left_part f[steps];
      quad w[results][2];
      WINGBEAT_UNROLL
      for (unsigned s = 0; s < steps; ++s)
        f[s] = left_of(table_entry(matrix + (m * steps + s) * 32));
      WINGBEAT_UNROLL
      for (unsigned h = 0; h < results; ++h) WINGBEAT_UNROLL
      for (unsigned q = 0; q < 2; ++q)
        w[h][q] = table_entry(twiddles + ((m + h * turns) * 2 + q) * 32);
      WINGBEAT_UNROLL
      for (unsigned v = 0; v < n_rows; ++v) WINGBEAT_UNROLL
      for (unsigned q = 0; q < 2; ++q) {
        product_part sums[results][2];
        WINGBEAT_UNROLL
        for (unsigned j = 0; j < 2; ++j) sum_outer(f, inputs[v][b], 2 * q + j, sums, j);
        WINGBEAT_UNROLL
        for (unsigned h = 0; h < results; ++h) {
          const auto place = forward_place(4 * (m + h * turns) + (g_ >> 1), g_ & 1, number & 1,
                                           number >> 1, 2 * t_ + q);
          exchange_[v * row_quads + place] = both_of(sums[h], w[h][q]);
        }
      }
    }
  }
  template <unsigned Results>
  WINGBEAT_FN void sum_outer(const left_part (&f)[steps], const right_part (&inputs)[steps][4],
                             unsigned c, product_part (&sums)[Results][2], unsigned j) const {
    product_part even{};
    if constexpr (is_folded) {
      WINGBEAT_UNROLL
      for (unsigned s = 0; s < steps; s += 2) even = units_.multiply_add(f[s], inputs[s][c], even);
      sums[0][j] = sums[1][j] = even;
      WINGBEAT_UNROLL
      for (unsigned s = 1; s < steps; s += 2) {
        sums[0][j] = units_.multiply_add(f[s], inputs[s][c], sums[0][j]);
        sums[1][j] = units_.multiply_add(-f[s], inputs[s][c], sums[1][j]);
      }
    } else {
      WINGBEAT_UNROLL
      for (unsigned s = 0; s < steps; ++s) even = units_.multiply_add(f[s], inputs[s][c], even);
      sums[0][j] = even;
    }
  }
  /// Transforms the rows of a block back along ka.
  WINGBEAT_FN void transform_outer_back(unsigned b, product_part (&sums)[n_rows][steps][4]) const {
    const unsigned number = subgroup_ + subgroups * b;
    const auto matrix = memory_.table + places.last() + lane_;
    constexpr unsigned folds = is_folded ? 2 : 1, turns = tiles / folds;
    WINGBEAT_UNROLL
    for (unsigned k = 0; k < turns; ++k) {
      left_part f[steps];
      WINGBEAT_UNROLL
      for (unsigned s = 0; s < steps; ++s)
        f[s] = left_of(table_entry(matrix + (s * turns + k) * 32));
      WINGBEAT_UNROLL
      for (unsigned v = 0; v < n_rows; ++v) WINGBEAT_UNROLL
      for (unsigned q = 0; q < 2; ++q) {
        right_part z[folds][2];
        read_outer(number, k, v, q, z);
        WINGBEAT_UNROLL
        for (unsigned s = 0; s < steps; ++s) WINGBEAT_UNROLL
        for (unsigned j = 0; j < 2; ++j) {
          product_part& sum = sums[v][s][2 * q + j];
          sum = k == 0 ? units_.multiply(f[s], z[s % folds][j])
                       : units_.multiply_add(f[s], z[s % folds][j], sum);
        }
      }
    }
  }
  /// Reads pairs of ka, or their sums and differences with those R / 2 further.
  template <unsigned Folds>
  WINGBEAT_FN void read_outer(unsigned number, unsigned k, unsigned v, unsigned q,
                              right_part (&z)[Folds][2]) const {
    const auto row = exchange_ + v * row_quads;
    const auto quad_of = [&](unsigned tile) {
      return row[inverse_place(4 * tile + t_, 2 * number + (g_ >> 2), 2 * (g_ & 3) + q)];
    };
    const quad x = quad_of(k);
    if constexpr (is_folded) {
      const quad y = quad_of(k + tiles / 2);
      WINGBEAT_UNROLL
      for (unsigned i = 0; i < 4; ++i) {
        const half_pair a = half_pair::of_bits(x.value[i]), c = half_pair::of_bits(y.value[i]);
        z[0][i / 2].word[i % 2] = (a + c).bits;
        z[1][i / 2].word[i % 2] = (a - c).bits;
      }
    } else {
      WINGBEAT_UNROLL
      for (unsigned i = 0; i < 4; ++i) z[0][i / 2].word[i % 2] = x.value[i];
    }
  }
};

}  // namespace wingbeat::device::tensor
