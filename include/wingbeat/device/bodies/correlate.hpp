// SPDX-License-Identifier: Apache-2.0
// The body of a pass that sums circular correlations: of the rows x and y of each term
//     c = the inverse transform of the sum over terms of conj(X) Y
// The sum stays in registers. Rows are read one behind another, x[0], y[0], x[1], y[1], ..; for
// each lane one row is stored. Terms are added in order, so that equal inputs have equal sums.
#pragma once

#include "wingbeat/device/bodies/convolve.hpp"  // convolve
#include "wingbeat/device/complex.hpp"          // complex, conj
#include "wingbeat/device/grid/numbers.hpp"     // pass_numbers
#include "wingbeat/device/port.hpp"             // WINGBEAT_FN, group, size

namespace wingbeat::device::bodies {

template <class Policy, class Group = group_in_rows>
class correlate : public convolve<Policy, Group> {
  using base = convolve<Policy, Group>;
  static constexpr grid::pass_numbers numbers = Policy::numbers();
  static constexpr grid::tile_shape row_shape = numbers.shape;

 public:
  using base::base;
  using base::e;
  using typename base::complex_type;
  using typename base::real;

  template <class Elements, class Pass>
  WINGBEAT_FN void run_tile(const Elements& tile, const Pass& pass, unsigned, size) const {
    constexpr size turns = numbers.turns;
    if constexpr (turns == 0) {
      complex_type sum[e];
      correlate_rows(sum, [&](size row, complex_type(&x)[e]) {
        load(tile, row, x);
        pass.twiddle(tile, x);
      });
      pass.store(tile, sum);
    } else {
      for (size turn = 0; turn < turns; ++turn) {
        complex_type sum[e];
        correlate_rows(sum, [&](size row, complex_type(&x)[e]) {
          constexpr size row_distance = numbers.term_distance;
          pass.load_turn(tile, x, turn, tile.in(this->lane_in()) + row * row_distance);
        });
        pass.store_turn(tile, sum, turn);
        if constexpr (turns > 1 && base::has_exchanges) this->team().barrier();
      }
    }
  }

 private:
  /// Makes `sum` the sum of the correlations of the rows that load(row, x) reads.
  template <class Load>
  WINGBEAT_FN void correlate_rows(complex_type (&sum)[e], const Load& load) const {
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < e; ++r) sum[r] = {real(0), real(0)};
    constexpr size terms = numbers.terms;
    for (size term = 0; term < terms; ++term) {
      complex_type x[e], y[e];
      load(2 * term, x);
      load(2 * term + 1, y);
      transform_row(x);
      transform_row(y);
      WINGBEAT_UNROLL
      for (unsigned r = 0; r < e; ++r) sum[r] = sum[r] + conj(x[r]) * y[r];
    }
    using inverse = typename base::template fft_to<direction::inverse>;
    inverse::execute(this->team(), sum, this->scratch(), this->roots_back());
  }

  /// Reads row `row` of those of a lane.
  template <class Elements>
  WINGBEAT_FN void load(const Elements& tile, size row, complex_type (&x)[e]) const {
    constexpr size row_distance = numbers.term_distance;
    const unsigned lane = this->lane_in();
    const bool inside = tile.has(lane);
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < e; ++r) {
      x[r] = {real(0), real(0)};
      if (!inside) continue;
      const size first = tile.in(lane) + row * row_distance, offset = this->offset_in(r);
      x[r] = tile.read(first + offset, tile.index_in(lane, this->number_in(r), offset));
    }
  }

  /// Transforms a row. The next one writes where others of its threads have read.
  WINGBEAT_FN void transform_row(complex_type (&x)[e]) const {
    base::fft::template execute_padded<base::live>(this->team(), x, this->scratch(), this->roots());
    if constexpr (base::has_exchanges) this->team().barrier();
  }
};

}  // namespace wingbeat::device::bodies
