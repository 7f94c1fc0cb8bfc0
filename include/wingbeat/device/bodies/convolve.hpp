// SPDX-License-Identifier: Apache-2.0
// The body of a pass whose rows are convolved in registers: forward, times a spectrum, inverse.
// Bins never leave the registers. For powers of two they are in scrambled order, which has the
// fewest exchanges; for other lengths in natural order, the only one.
#pragma once

#include "wingbeat/device/bodies/transform.hpp"  // transform
#include "wingbeat/device/direction.hpp"         // direction
#include "wingbeat/device/grid/numbers.hpp"      // pass_numbers
#include "wingbeat/device/order.hpp"             // order
#include "wingbeat/device/port.hpp"              // WINGBEAT_FN, group
#include "wingbeat/device/workgroup/fft.hpp"     // fft

namespace wingbeat::device::bodies {

/// Returns the product of a row's bin and a spectrum's bin.
template <grid::product Times, class Real>
WINGBEAT_FN complex<Real> multiplied(complex<Real> x, complex<Real> h) {
  if constexpr (Times == grid::product::conjugate_row) return conj(x) * h;
  if constexpr (Times == grid::product::conjugate_spectrum) return x * conj(h);
  return x * h;
}

/// Threads hold the elements of a transform by the same team, before and after.
template <class Policy, class Group = group_in_rows>
class convolve : public transform<Policy, Group> {
  using base = transform<Policy, Group>;
  WINGBEAT_FN static constexpr grid::pass_numbers numbers() { return Policy::numbers(); }
  WINGBEAT_FN static constexpr grid::tile_shape of() { return numbers().shape; }

 public:
  using base::e;
  using typename base::complex_type;
  using typename base::real;
  template <direction Dir>
  using fft_to = workgroup::fft<typename base::shape, real, Dir, of().stage_order(),
                                typename base::memory, base::twiddles>;
  using fft = fft_to<direction::forward>;
  static constexpr bool has_exchanges = fft::exchanges > 0;
  static_assert(!of().along_out, "in place, no exchange hands rows from some threads to others");

  using base::base;

  /// Transforms the registers of all threads, multiplies x[r] by filter(r), and transforms back.
  /// filter(r) is the bin in the place of element number_in(r).
  template <class Filter>
  WINGBEAT_FN void run(complex_type (&x)[e], const Filter& filter) const {
    run_around(
        x, [&](unsigned r, complex_type bin) { return multiplied<of().times>(bin, filter(r)); });
  }

  /// Same, but change(r, bin) replaces the bin of each element r.
  template <class Change>
  WINGBEAT_FN void run_around(complex_type (&x)[e], const Change& change) const {
    run_within<false>(x, change, this->scratch(), this->scratch());
  }

  /// Same, with exchanges in the local memory `forward`, and on the way back in `inverse`, which
  /// may be apart.
  template <bool AreApart, class Change, class Scratch>
  WINGBEAT_FN void run_within(complex_type (&x)[e], const Change& change, const Scratch& forward,
                              const Scratch& inverse) const {
    fft::template execute_padded<base::live>(this->team(), x, forward, this->roots());
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < e; ++r) x[r] = change(r, x[r]);
    // In place, each thread first writes slots that it has just read; otherwise slots that others
    // read.
    if constexpr (!AreApart && !of().is_in_place() && has_exchanges) this->team().barrier();
    fft_to<direction::inverse>::execute(this->team(), x, inverse, roots_back());
  }

  /// Returns the roots of the inverse transform.
  WINGBEAT_FN WINGBEAT_GLOBAL const complex_type* roots_back() const {
    constexpr size back_at = of().roots_back_at();
    return this->roots() + back_at;
  }

  template <class Elements, class Pass>
  WINGBEAT_FN void run_tile(const Elements& tile, const Pass& pass, unsigned number,
                            size rows) const {
    if constexpr (numbers().n_turns > 0) {
      run_turns(tile, pass);
      return;
    }
    complex_type x[e];
    if constexpr (numbers().prefetches_filter) {
      const unsigned first_lane = this->lane_in();
      if (this->team().thread() == 0 && tile.has(first_lane)) {
        constexpr size count = of().length;
        if constexpr (numbers().has_own_filter) {
          device::prefetch(own_spectrum(tile, first_lane), count);
        } else {
          pass.filter().prefetch(tile.filter(first_lane), count);
        }
      }
    }
    pass.load(tile, x, number, rows);
    const unsigned lane = this->lane_in();
    // Evaluated for every load, because ptxas 13.0 misplaces a first entry that is chosen between 0
    // and the lane's (bench/lessons/compilers.md#ptxas-drops-a-value-of-a-predicated-load).
    const bool inside = tile.has(lane);
    if constexpr (numbers().has_own_filter) {
      const auto spectrum = own_spectrum(tile, lane);
      run(x, [&](unsigned r) {
        complex_type factor{real(0), real(0)};
        if (inside) factor = copied_from(spectrum + this->number_in(r));
        return factor;
      });
    } else {
      const size first = tile.filter(lane);
      run(x, [&](unsigned r) {
        complex_type factor{real(0), real(0)};
        if (inside) factor = pass.filter().get(first + this->number_in(r), 0);
        return factor;
      });
    }
    pass.store(tile, x);
  }

 private:
  /// Returns the spectrum in the table for a lane's row.
  template <class Elements>
  WINGBEAT_FN WINGBEAT_GLOBAL const complex_type* own_spectrum(const Elements& tile,
                                                               unsigned lane) const {
    constexpr size spectra_at = numbers().filter_at();
    return this->roots() + spectra_at +
           (of().points > 0 ? 0 : size(tile.first_out(lane)) * of().length);
  }

  /// Convolves a row by right angles; see `pass_numbers::n_turns`.
  template <class Elements, class Pass>
  WINGBEAT_FN void run_turns(const Elements& tile, const Pass& pass) const {
    constexpr size n_turns = numbers().n_turns, length = of().length;
    const unsigned lane = this->lane_in();
    const bool inside = tile.has(lane);
    for (size turn = 0; turn < n_turns; ++turn) {
      complex_type x[e];
      const size first = tile.filter(lane) + turn * length;
      if (numbers().prefetches_filter && this->team().thread() == 0 && inside) {
        pass.filter().prefetch(first, length);
      }
      pass.load_turn(tile, x, turn, tile.in(lane));
      run(x, [&](unsigned r) {
        complex_type factor{real(0), real(0)};
        if (inside) factor = pass.filter().get(first + this->number_in(r), 0);
        return factor;
      });
      pass.store_turn(tile, x, turn);
      // The next turn writes slots that other threads read in this one.
      if constexpr (n_turns > 1 && has_exchanges) this->team().barrier();
    }
  }
};

}  // namespace wingbeat::device::bodies
