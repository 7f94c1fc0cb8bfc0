// SPDX-License-Identifier: Apache-2.0
// One crossing of memory: elements of a nest of loops come in at a load end, go through a body and
// leave at a store end.
//
// Policy is a plain struct of compile-time parameters, written by src/kernel_text:
//   real         float or double, the type of arithmetic
//   dir          direction
//   numbers()    the `pass_numbers`, constexpr
#pragma once

#include "wingbeat/device/complex.hpp"        // complex, scaled
#include "wingbeat/device/ends/direct.hpp"    // load_direct, store_direct
#include "wingbeat/device/ends/keep.hpp"      // start_kept, finish_kept
#include "wingbeat/device/ends/memory.hpp"    // no_filter
#include "wingbeat/device/ends/mirrored.hpp"  // combine_bins, store_separated, store_separated_rows
#include "wingbeat/device/ends/reduce.hpp"    // finish_reduced
#include "wingbeat/device/ends/staged.hpp"    // load_staged, store_staged
#include "wingbeat/device/ends/turned.hpp"    // load_turn, store_turn
#include "wingbeat/device/grid/elements.hpp"  // elements
#include "wingbeat/device/grid/numbers.hpp"   // pass_numbers
#include "wingbeat/device/grid/prefetch.hpp"  // prefetch_tile
#include "wingbeat/device/grid/twiddle.hpp"   // apply_twiddles
#include "wingbeat/device/index.hpp"          // minimum
#include "wingbeat/device/port.hpp"           // WINGBEAT_FN, WINGBEAT_GLOBAL, WINGBEAT_LOCAL

namespace wingbeat::device::grid {

/// Body: see bodies/transform.hpp for its members. Load and Store: ends/memory.hpp,
/// ends/functor.hpp. Filter: a load of the spectrum, for bodies that multiply by one.
template <class Policy, class Body, class Load, class Store, class Filter = ends::no_filter>
class pass {
  WINGBEAT_FN static constexpr pass_numbers numbers() { return Policy::numbers(); }
  using elements_type = elements<Policy, Load, Store>;

 public:
  using real = typename Policy::real;
  using complex_type = complex<real>;
  static constexpr unsigned workgroup_threads = Body::workgroup_threads;
  static constexpr unsigned scratch_bytes = numbers().shape.scratch_bytes();

  template <class Group>
  WINGBEAT_FN pass(Load in, Store out, WINGBEAT_GLOBAL const complex_type* table,
                   WINGBEAT_LOCAL char* scratch, Group group, Filter filter = {})
      : body_(table, scratch, group), access_(in, out), filter_(filter) {}

  /// Computes the butterflies of tile `number` of `rows` of the batch.
  WINGBEAT_FN void run(unsigned number, size rows) const {
    if constexpr (numbers().shape.keeps()) {
      run_kept(number, rows);
    } else {
      const elements_type tile(access_, number, rows);
      body_.run_tile(tile, *this, number, rows);
      if constexpr (Store::reduces) ends::finish_reduced(body_, tile);
    }
  }

  /// Does the work of one workgroup of a launch: a tile, or its part of one, or several tiles.
  WINGBEAT_FN void run_tiles(size workgroup, size rows) const {
    if constexpr (numbers().max_workgroups == 0) {
      run(static_cast<unsigned>(workgroup / numbers().shape.workgroups), rows);
    } else {
      const size count = numbers().tiles(rows);
      for (size number = workgroup; number < count; number += numbers().max_workgroups) {
        run(static_cast<unsigned>(number), rows);
        body_.team().workgroup_barrier();
      }
    }
  }

  // Steps that a body calls between its own.

  /// Loads the elements of a body's threads, in the order in which it transforms them.
  template <class X>
  WINGBEAT_FN void load(const elements_type& tile, X& x, unsigned number, size rows) const {
    if constexpr (numbers().shape.stage_in) {
      ends::load_staged<Policy>(body_, tile, x);
    } else {
      ends::load_direct(body_, tile, x);
    }
    prefetch(number, rows);  // after this tile's own loads
    if constexpr (numbers().shape.source == row::half_spectrum)
      ends::combine_bins<Policy>(body_, tile, x);
    if constexpr (numbers().factors_in > 0) multiply<true>(tile, x);
    twiddle(tile, x);
  }

  /// Multiplies input q by w^(q k), w = exp(-+ 2 pi i / (P R)), if inputs are twiddled.
  template <class X>
  WINGBEAT_FN void twiddle(const elements_type& tile, X& x) const {
    if constexpr (numbers().is_twiddled()) {
      apply_twiddles<Policy>(x, body_.roots(), tile.first_out(body_.lane_in()), body_.number_in(0));
    }
  }

  /// Scales and stores the elements of a body's threads.
  template <class Tile, class X>
  WINGBEAT_FN void store(const Tile& tile, X& x) const {
    scale(x);
    if constexpr (numbers().factors_out > 0) multiply<false>(tile, x);
    // In a store that reduces, a thread has elements of one lane only.
    if constexpr (numbers().shape.sink == row::half_spectrum && Body::stores_whole_rows &&
                  !Store::reduces) {
      ends::store_separated_rows<Policy>(body_, tile, x);
    } else if constexpr (numbers().shape.sink == row::half_spectrum) {
      ends::store_separated<Policy>(body_, tile, x);
    } else if constexpr (numbers().shape.stage_out) {
      ends::store_staged<Policy>(body_, tile, x);
    } else {
      ends::store_direct(body_, tile, x);
    }
  }

  // Load and store for one turn of a row by right angles, which begins at `place`.
  template <class X>
  WINGBEAT_FN void load_turn(const elements_type& tile, X& x, size turn, size place) const {
    ends::load_turn<Policy>(body_, tile, x, turn, place);
  }
  template <class X>
  WINGBEAT_FN void store_turn(const elements_type& tile, X& x, size turn) const {
    scale(x);
    ends::store_turn<Policy>(body_, tile, x, turn);
  }

  WINGBEAT_FN const Filter& filter() const { return filter_; }

  WINGBEAT_FN void prefetch(unsigned number, size rows) const {
    if constexpr (numbers().prefetch_tiles > 0) {
      prefetch_tile<Policy>(access_, number, rows, body_.rank(), body_.part());
    }
  }

  WINGBEAT_FN static complex_type scaled(complex_type z) {
    if constexpr (numbers().scale == 1) return z;
    constexpr auto factor = static_cast<real>(numbers().scale);
    return device::scaled(z, factor);
  }

 private:
  /// Computes the butterflies of tile `number` of all rows, one row after another.
  WINGBEAT_FN void run_kept(unsigned number, size rows) const {
    using kept_type = ends::kept_elements<elements_type, Body::elements_per_thread>;
    typename kept_type::held_type held;
    const kept_type first({access_, number, rows}, held);
    ends::start_kept(body_, first);
    for (size row = 0; row < rows; ++row) {
      const kept_type tile({access_, number, rows, row}, held);
      if constexpr (numbers().prefetch_elements > 0) {
        constexpr size elements = numbers().prefetch_elements, distance = numbers().in.distance;
        constexpr size tiles_of_block = numbers().loops[0].block / numbers().shape.lanes;
        const bool is_first = number % tiles_of_block == 0 && body_.rank() == 0;
        if (row + 1 < rows && is_first) access_.prefetch(tile.in(0) + distance, elements);
      }
      body_.run_tile(tile, *this, number, rows);
      body_.team().workgroup_barrier();
    }
    ends::finish_kept(body_, first);
  }

  /// Multiplies inputs, or outputs, by the factors of their indices, or of their numbers. Inputs
  /// without factors become 0; outputs without factors are not stored.
  template <bool In, class X>
  WINGBEAT_FN void multiply(const elements_type& tile, X& x) const {
    constexpr size factors_at = In ? numbers().factors_at() : numbers().factors_out_at();
    constexpr size last = (In ? numbers().inputs_with_factors() : numbers().factors_out) - 1;
    const auto factors = body_.roots() + factors_at;
    const unsigned lane = In ? body_.lane_in() : body_.lane_out();
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < Body::elements_per_thread; ++r) {
      const unsigned q = In ? body_.number_in(r) : body_.number_out(r);
      size i = q;
      if constexpr (numbers().shape.points == 0)
        i = In ? tile.index_in(lane, q) : tile.index_out(lane, q);
      const complex_type z = x[r] * copied_from(factors + minimum(i, last));
      x[r] = {!In || i <= last ? z.re : real(0), !In || i <= last ? z.im : real(0)};
    }
  }

  template <class X>
  WINGBEAT_FN static void scale(X& x) {
    if constexpr (numbers().scale != 1) {
      WINGBEAT_UNROLL
      for (unsigned r = 0; r < Body::elements_per_thread; ++r) x[r] = scaled(x[r]);
    }
  }

  Body body_;
  access<Policy, Load, Store> access_;
  Filter filter_;
};

}  // namespace wingbeat::device::grid
