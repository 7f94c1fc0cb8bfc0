// SPDX-License-Identifier: Apache-2.0
// Ends of a turn of rows by right angles; `grid::pass_numbers::n_turns` has the formulas.
#pragma once

#include "wingbeat/device/complex.hpp"       // complex, conj
#include "wingbeat/device/grid/numbers.hpp"  // body, pass_numbers
#include "wingbeat/device/port.hpp"          // WINGBEAT_FN, size

namespace wingbeat::device::ends {

/// Return the weights w[n] of a turn, and its steps s[m], from a body's table.
template <class Policy, class Body>
WINGBEAT_FN auto weights_of(const Body& body, size turn) {
  constexpr size weights_at = Policy::numbers().factors_at(), length = Policy::numbers().total;
  return body.roots() + weights_at + turn * length;
}
template <class Policy, class Body>
WINGBEAT_FN auto steps_of(const Body& body, size turn) {
  constexpr size n_turns = Policy::numbers().n_turns;
  return weights_of<Policy>(body, n_turns) + turn * n_turns;
}

/// Loads a turn's input from the row that begins at `place`.
template <class Policy, class Body, class Elements, class Real, unsigned E>
WINGBEAT_FN void load_turn(const Body& body, const Elements& tile, complex<Real> (&x)[E], size turn,
                           size place) {
  constexpr size length = Policy::numbers().total;
  constexpr unsigned n_turns = unsigned(Policy::numbers().n_turns);
  const auto weights = weights_of<Policy>(body, turn), steps = steps_of<Policy>(body, turn);
  const unsigned lane = tile.read_lane(body.lane_in());
  const bool inside = tile.reads(lane);
  WINGBEAT_UNROLL
  for (unsigned r = 0; r < E; ++r) {
    const unsigned q = body.number_in(r);
    const size offset = body.offset_in(r), index = tile.index_in(lane, q, offset);
    complex<Real> sum{Real(0), Real(0)};
    if (inside) {
      sum.re = tile.read(place + offset, index).re;
      WINGBEAT_UNROLL
      for (unsigned m = 1; m < n_turns; ++m) {
        const Real value = tile.read(place + offset + m * length, index + m * length).re;
        const complex<Real> s = copied_from(steps + m);
        sum = {sum.re + value * s.re, sum.im + value * s.im};
      }
    }
    const complex<Real> w = copied_from(weights + q);
    if constexpr (n_turns == 1) {
      x[r] = {sum.re * w.re, sum.re * w.im};
    } else {
      x[r] = sum * w;
    }
  }
}

/// Stores a turn's results, or adds them. Reads all weights before it stores the first element,
/// because compilers assume that a store may change weights and would wait for each
/// (bench/lessons/compilers.md#stores-before-loads).
template <class Policy, bool Adds, class Body, class Elements, class Real, unsigned E>
WINGBEAT_FN void store_sums(const Body& body, const Elements& tile, complex<Real> (&x)[E],
                            size turn) {
  constexpr size length = Policy::numbers().total;
  constexpr unsigned n_turns = unsigned(Policy::numbers().n_turns);
  const auto weights = weights_of<Policy>(body, turn), steps = steps_of<Policy>(body, turn);
  const unsigned lane = body.lane_out();
  WINGBEAT_UNROLL
  for (unsigned r = 0; r < E; ++r) x[r] = x[r] * conj(copied_from(weights + body.number_out(r)));
  complex<Real> step[n_turns];
  WINGBEAT_UNROLL
  for (unsigned m = 1; m < n_turns; ++m) step[m] = copied_from(steps + m);
  WINGBEAT_UNROLL
  for (unsigned r = 0; r < E; ++r) {
    const size offset = body.offset_out(r), place = tile.out(lane) + offset;
    const size index = tile.index_out(lane, body.number_out(r), offset);
    tile.write(place, index, {x[r].re, Real(Adds)});
    WINGBEAT_UNROLL
    for (unsigned m = 1; m < n_turns; ++m) {
      const Real value = x[r].re * step[m].re + x[r].im * step[m].im;
      tile.write(place + m * length, index + m * length, {value, Real(Adds)});
    }
  }
}

/// Stores the bins of a turn.
template <class Policy, class Body, class Elements, class Real, unsigned E>
WINGBEAT_FN void store_bins(const Body& body, const Elements& tile, const complex<Real> (&x)[E],
                            size turn) {
  constexpr size length = Policy::numbers().total;
  const unsigned lane = body.lane_out();
  WINGBEAT_UNROLL
  for (unsigned r = 0; r < E; ++r) {
    const size offset = body.offset_out(r), place = tile.out(lane) + offset;
    const size index = tile.index_out(lane, body.number_out(r), offset);
    tile.write(place + turn * length, index, x[r]);
  }
}

template <class Policy, class Body, class Elements, class Real, unsigned E>
WINGBEAT_FN void store_turn(const Body& body, const Elements& tile, complex<Real> (&x)[E],
                            size turn) {
  if (!tile.has(body.lane_out())) return;
  if constexpr (Policy::numbers().shape.makes == grid::body::transform) {
    store_bins<Policy>(body, tile, x, turn);
  } else if (Policy::numbers().n_turns == 1 || turn == 0) {
    store_sums<Policy, false>(body, tile, x, turn);
  } else {
    store_sums<Policy, true>(body, tile, x, turn);
  }
}

}  // namespace wingbeat::device::ends
