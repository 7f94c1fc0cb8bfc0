// SPDX-License-Identifier: Apache-2.0
// One crossing of memory: elements of a nest of loops come in at a load end, go through a body and
// leave at a store end.
//
// Policy is a plain struct of what a kernel is compiled with, written by src/kernel_text:
//   real         float or double, what is computed with
//   dir          direction
//   numbers()    the `pass_numbers`, constexpr
#pragma once

#include "wingbeat/device/complex.hpp"        // complex, scaled
#include "wingbeat/device/ends/direct.hpp"    // load_direct, store_direct
#include "wingbeat/device/ends/memory.hpp"    // no_filter
#include "wingbeat/device/ends/mirrored.hpp"  // combine_bins, store_separated, store_separated_rows
#include "wingbeat/device/ends/reduce.hpp"    // finish_reduced
#include "wingbeat/device/ends/staged.hpp"    // load_staged, store_staged
#include "wingbeat/device/grid/elements.hpp"  // elements
#include "wingbeat/device/grid/numbers.hpp"   // pass_numbers
#include "wingbeat/device/grid/prefetch.hpp"  // prefetch_tile
#include "wingbeat/device/grid/twiddle.hpp"   // apply_twiddles
#include "wingbeat/device/port.hpp"           // WINGBEAT_FN, WINGBEAT_GLOBAL, WINGBEAT_LOCAL

namespace wingbeat::device::grid {

/// Body: bodies/transform.hpp says what it has. Load and Store: ends/memory.hpp, ends/functor.hpp.
/// Filter: a load of the spectrum that a body multiplies by, where it does.
template <class Policy, class Body, class Load, class Store, class Filter = ends::no_filter>
class pass {
  static constexpr pass_numbers as = Policy::numbers();
  static constexpr tile_shape of = as.shape;

 public:
  using real = typename Policy::real;
  using complex_type = complex<real>;
  static constexpr unsigned workgroup_threads = Body::workgroup_threads;
  static constexpr unsigned scratch_bytes = of.scratch_bytes();

  template <class Group>
  WINGBEAT_FN pass(Load in, Store out, WINGBEAT_GLOBAL const complex_type* table,
                   WINGBEAT_LOCAL char* scratch, Group group, Filter filter = {})
      : body_(table, scratch, group), access_(in, out), filter_(filter) {}

  /// Makes the butterflies of tile `number` of `rows` of the batch.
  WINGBEAT_FN void run(unsigned number, size rows) const {
    const elements_type tile(access_, number, rows);
    if constexpr (of.makes == body::real_row) {
      prefetch(number, rows);
      run_row(tile);
    } else if constexpr (of.makes == body::convolve) {
      complex_type x[Body::elements_per_thread];
      load(tile, x);
      prefetch(number, rows);
      const unsigned lane = body_.lane_in();
      // Asked again for every load: ptxas 13.0 misplaces a first entry chosen from 0 and the lane's
      // own (bench/NOTES.md, section 27).
      const bool inside = tile.has(lane);
      const size first = tile.filter(lane);
      body_.run(x, [&](unsigned r) {
        complex_type factor{real(0), real(0)};
        if (inside) factor = filter_.get(first + body_.number_in(r), 0);
        return factor;
      });
      scale(x);
      store(tile, x);
    } else {
      complex_type x[Body::elements_per_thread];
      load(tile, x);
      prefetch(number, rows);  // behind what this tile waits for
      if constexpr (of.source == row::half_spectrum) ends::combine_bins<Policy>(body_, tile, x);
      if constexpr (as.is_twiddled()) twiddle(tile, x);
      body_.run(x);
      scale(x);
      store(tile, x);
    }
    if constexpr (Store::reduces) ends::finish_reduced(body_, tile);
  }

 private:
  /// Planes of 32 x 32 reals went from 0.681 to 0.702 of a copy's speed when their rows of 17 bins
  /// were stored whole, those of 64 x 64 from 0.679 to 0.660 (H200; bench/NOTES.md, section 14).
  static constexpr unsigned longest_stored_row = 16;

  using elements_type = elements<Policy, Load, Store>;
  template <class X>
  WINGBEAT_FN void load(const elements_type& tile, X& x) const {
    if constexpr (of.stage_in) {
      ends::load_staged<Policy>(body_, tile, x);
    } else {
      ends::load_direct(body_, tile, x);
    }
  }
  template <class X>
  WINGBEAT_FN void store(const elements_type& tile, const X& x) const {
    // A thread that reduces has elements of one lane alone. Long rows fill most sectors by pieces.
    constexpr bool by_rows = of.makes == body::plane && of.workgroups == 1 &&
                             of.second <= longest_stored_row && workgroup_threads > of.second &&
                             !Store::reduces;
    if constexpr (of.sink == row::half_spectrum && by_rows) {
      ends::store_separated_rows<Policy>(body_, tile, x);
    } else if constexpr (of.sink == row::half_spectrum) {
      ends::store_separated<Policy>(body_, tile, x);
    } else if constexpr (of.stage_out) {
      ends::store_staged<Policy>(body_, tile, x);
    } else {
      ends::store_direct(body_, tile, x);
    }
  }

  WINGBEAT_FN void prefetch(unsigned number, size rows) const {
    if constexpr (as.prefetch_tiles > 0) {
      prefetch_tile<Policy>(access_, number, rows, body_.rank(), body_.part());
    }
  }

  /// Multiplies input q by w^(q k), w = exp(-+ 2 pi i / (P R)).
  template <class X>
  WINGBEAT_FN void twiddle(const elements_type& tile, X& x) const {
    apply_twiddles<Policy>(x, body_.roots(), tile.first_out(body_.lane_in()), body_.number_in(0));
  }

  template <class X>
  WINGBEAT_FN static void scale(X& x) {
    if constexpr (as.scale != 1) {
      WINGBEAT_UNROLL
      for (unsigned r = 0; r < Body::elements_per_thread; ++r) x[r] = scaled(x[r]);
    }
  }
  WINGBEAT_FN static complex_type scaled(complex_type z) {
    if constexpr (as.scale == 1) return z;
    constexpr auto factor = static_cast<real>(as.scale);
    return device::scaled(z, factor);
  }

  /// A row whose body takes elements one by one, through local memory where they are staged.
  WINGBEAT_FN void run_row(const elements_type& tile) const {
    constexpr unsigned pitch_in = of.pitch_in(), pitch_out = of.pitch_out();
    constexpr size in_stride = as.in.stride, out_stride = as.out.stride;
    const unsigned lane = body_.lane();
    const bool inside = tile.has(lane);
    if constexpr (of.stage_in) {
      ends::read_staged<Policy, of.staged_in()>(
          body_, tile, [&](unsigned other, unsigned q, complex_type z) {
            copy_to(body_.arrived() + other * pitch_in + q, z);
          });
    }
    const auto load = [&](unsigned i) {
      complex_type z{real(0), real(0)};
      if constexpr (of.stage_in) {
        if (inside) z = copied_from(body_.arrived() + lane * pitch_in + i);
      } else {
        if (inside) z = tile.read(tile.in(lane) + size(i) * in_stride, tile.index_in(lane, i));
      }
      return z;
    };
    const auto store = [&](unsigned i, complex_type z) {
      if constexpr (of.stage_out) {
        copy_to(body_.leaving() + lane * pitch_out + i, scaled(z));
      } else {
        if (inside)
          tile.write(tile.out(lane) + size(i) * out_stride, tile.index_out(lane, i), scaled(z));
      }
    };
    body_.run(load, store);
    if constexpr (of.stage_out) {
      body_.team().workgroup_barrier();
      ends::write_staged<Policy, of.staged_out()>(body_, tile, [&](unsigned other, unsigned q) {
        return copied_from(body_.leaving() + other * pitch_out + q);
      });
    }
  }

  Body body_;
  access<Policy, Load, Store> access_;
  Filter filter_;
};

}  // namespace wingbeat::device::grid
