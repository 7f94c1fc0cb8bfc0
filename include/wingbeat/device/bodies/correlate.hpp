// SPDX-License-Identifier: Apache-2.0
// The body of a pass that sums circular correlations: of the rows x and y of each term
//     c = the inverse transform of the sum over terms of conj(X) Y
// The sum stays in registers. Rows are read in the order x[0], y[0], x[1], y[1], ..; each lane
// stores one row. Terms are added in order, so that equal inputs have equal sums. Rows y may also
// be convolved, because their bins are at hand: see `pass_numbers::returns_terms`.
#pragma once

#include "wingbeat/device/bodies/convolve.hpp"  // convolve
#include "wingbeat/device/complex.hpp"          // complex, conj
#include "wingbeat/device/grid/numbers.hpp"     // pass_numbers
#include "wingbeat/device/port.hpp"             // WINGBEAT_FN, group, size

namespace wingbeat::device::bodies {

template <class Policy, class Group = group_in_rows>
class correlate : public convolve<Policy, Group> {
  using base = convolve<Policy, Group>;
  static constexpr size least_prefetched = 4096;  ///< Length of rows loaded by a functor.
  WINGBEAT_FN static constexpr grid::pass_numbers numbers() { return Policy::numbers(); }
  WINGBEAT_FN static constexpr grid::tile_shape row_shape() { return numbers().shape; }

 public:
  using base::base;
  using base::e;
  using typename base::complex_type;
  using typename base::real;

  template <class Elements, class Pass>
  WINGBEAT_FN void run_tile(const Elements& tile, const Pass& pass, unsigned number,
                            size rows) const {
    constexpr size n_turns = numbers().n_turns;
    if constexpr (n_turns == 0) {
      complex_type sum[e];
      const auto read = [&](size row, complex_type(&x)[e]) {
        load(tile, row, x);
        pass.twiddle(tile, x);
        prefetch(tile, row + 2);
      };
      prefetch_spectrum(tile, pass);
      if constexpr (!Elements::load_type::computes) pass.prefetch(number, rows);
      correlate_rows(sum, read, [&](size row, complex_type(&y)[e]) {
        if constexpr (numbers().returns_terms) return_row(tile, pass, row, y);
      });
      pass.store(tile, sum);
    } else {
      for (size turn = 0; turn < n_turns; ++turn) {
        complex_type sum[e];
        const auto read = [&](size row, complex_type(&x)[e]) {
          constexpr size row_distance = numbers().term_distance;
          pass.load_turn(tile, x, turn, tile.in(this->lane_in()) + row * row_distance);
          prefetch(tile, row + 2);
        };
        correlate_rows(sum, read, [](size, complex_type(&)[e]) {});
        pass.store_turn(tile, sum, turn);
        if constexpr (n_turns > 1 && base::has_exchanges) this->team().barrier();
      }
    }
  }

 private:
  /// Sets `sum` to the sum of the correlations of the rows that load(row, x) reads. Calls use(row,
  /// y) with the bins of each y.
  template <class Load, class Use>
  WINGBEAT_FN void correlate_rows(complex_type (&sum)[e], const Load& load, const Use& use) const {
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < e; ++r) sum[r] = {real(0), real(0)};
    constexpr size terms = numbers().terms;
    for (size term = 0; term < terms; ++term) {
      complex_type x[e], y[e];
      load(2 * term, x);
      load(2 * term + 1, y);
      transform_row(x);
      transform_row(y);
      WINGBEAT_UNROLL
      for (unsigned r = 0; r < e; ++r) sum[r] = sum[r] + conj(x[r]) * y[r];
      use(2 * term + 1, y);
    }
    transform_back(sum);
  }

  /// Multiplies the bins of a lane's row by its spectrum, transforms them back and stores the row
  /// in its own place.
  template <class Elements, class Pass>
  WINGBEAT_FN void return_row(const Elements& tile, const Pass& pass, size row,
                              complex_type (&y)[e]) const {
    const unsigned lane = this->lane_in();
    const bool inside = tile.has(lane);
    const size spectrum = tile.filter(lane);
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < e; ++r) {
      complex_type factor{real(0), real(0)};
      if (inside) factor = pass.filter().get(spectrum + this->number_in(r), 0);
      y[r] = multiplied<row_shape().times>(y[r], factor);
    }
    transform_back(y);
    if constexpr (base::has_exchanges) this->team().barrier();
    if (!inside) return;
    constexpr size row_distance = numbers().term_distance;
    const size first = tile.out(lane) + row * row_distance;
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < e; ++r) {
      const size offset = this->offset_out(r);
      tile.write(first + offset, tile.index_out(lane, this->number_out(r), offset), y[r]);
    }
  }

  /// Prefetches row `row` of a lane, which its threads read in the next term, if there is one.
  template <class Elements>
  WINGBEAT_FN void prefetch(const Elements& tile, size row) const {
    constexpr bool computes = Elements::load_type::computes;
    if constexpr (computes ? row_shape().length >= least_prefetched
                           : numbers().prefetch_elements > 0) {
      constexpr size row_distance = numbers().term_distance, count = numbers().prefetch_elements;
      const unsigned lane = this->lane_in();
      if (row >= 2 * numbers().terms || this->team().thread() != 0 || !tile.has(lane)) return;
      tile.source().prefetch(tile.in(lane) + row * row_distance, count);
    }
  }
  template <class Elements, class Pass>
  WINGBEAT_FN void prefetch_spectrum(const Elements& tile, const Pass& pass) const {
    if constexpr (numbers().prefetches_filter) {
      constexpr size count = row_shape().length;
      const unsigned lane = this->lane_in();
      if (this->team().thread() == 0 && tile.has(lane)) {
        pass.filter().prefetch(tile.filter(lane), count);
      }
    }
  }

  /// Reads row `row` of a lane.
  template <class Elements>
  WINGBEAT_FN void load(const Elements& tile, size row, complex_type (&x)[e]) const {
    constexpr size row_distance = numbers().term_distance;
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

  WINGBEAT_FN void transform_back(complex_type (&x)[e]) const {
    using inverse = typename base::template fft_to<direction::inverse>;
    inverse::execute(this->team(), x, this->scratch(), this->roots_back());
  }

  /// Transforms a row. A barrier follows, because the next row's exchanges write slots that other
  /// threads read.
  WINGBEAT_FN void transform_row(complex_type (&x)[e]) const {
    base::fft::template execute_padded<base::live>(this->team(), x, this->scratch(), this->roots());
    if constexpr (base::has_exchanges) this->team().barrier();
  }
};

}  // namespace wingbeat::device::bodies
