// SPDX-License-Identifier: Apache-2.0
// One crossing of memory: the whole grid transforms one axis, or makes one Stockham stage of it.
// A stage has radix R = Policy::length after prior length P = Policy::prior, and its butterflies
// are workgroup transforms; an axis that fits one workgroup is the stage with R = N, P = 1.
//
// Policy is a plain struct of constants, written by src/planner:
//   real                 float or double, what is computed with
//   dir                  direction
//   length, prior        R and P
//   elements_per_thread, lanes   the workgroup's shape; lanes: butterflies of one workgroup
//   lanes_across         neighbouring threads take neighbouring butterflies
//   along_out            across on the way in only: neighbouring threads store neighbours of one
//                        butterfly, which they get at its first exchange
//   half_trade           exchange in halves
//   bank_bytes           width of local memory's banks; 0 on a CPU
//   stage_in, stage_out  loads / stores pass through local memory: neighbours in rank take
//                        neighbours in a butterfly
//   in_stride, out_stride      places from input to input (output to output) of a butterfly
//   in_along, out_along        loop that runs along the axis, or no_loop
//   in_step, out_step          indices of the axis from one input (output) to the next
//   turn_along           loop whose index k turns input q by w^(q k), or no_loop
//   scaled, scale        factor on the way out
// and what tile.hpp, access.hpp and ahead.hpp ask for.
#pragma once

#include "wingbeat/device/complex.hpp"           // complex
#include "wingbeat/device/grid/access.hpp"       // access, row
#include "wingbeat/device/grid/ahead.hpp"        // request_ahead
#include "wingbeat/device/grid/ends.hpp"         // complex_load
#include "wingbeat/device/grid/real.hpp"         // combine_all, root_after, separate_all
#include "wingbeat/device/grid/step.hpp"         // step_of
#include "wingbeat/device/grid/tile.hpp"         // tile, nest
#include "wingbeat/device/grid/turn.hpp"         // turn_of
#include "wingbeat/device/index.hpp"             // mirrored
#include "wingbeat/device/port.hpp"              // WINGBEAT_FN, group
#include "wingbeat/device/twiddle.hpp"           // roots
#include "wingbeat/device/workgroup/memory.hpp"  // scratch, reuse
#include "wingbeat/device/workgroup/team.hpp"    // team, lanes

namespace wingbeat::device::grid {

/// Load and Store are the ends, see ends.hpp; fused.hpp has those that call your functors.
template <class Policy, class Load, class Store, class Group = group_in_rows>
class pass {
 public:
  using step = step_of<Policy>;
  using real = typename Policy::real;
  using complex_type = complex<real>;
  using shape = typename step::shape;
  static constexpr workgroup::lanes lanes_are = Policy::lanes_across
                                                    ? workgroup::lanes::across_transforms
                                                    : workgroup::lanes::along_transform;
  using team_type = workgroup::team<shape, lanes_are, Group>;
  using team_out_type =
      workgroup::team<shape, Policy::along_out ? workgroup::lanes::along_transform : lanes_are,
                      Group>;
  using fft = typename step::fft;
  using layout = typename fft::layout;
  using tile_type = tile<Policy>;

  static constexpr unsigned e = Policy::elements_per_thread;
  static constexpr unsigned threads = shape::threads;
  static constexpr unsigned workgroup_threads = shape::workgroup_threads;
  static constexpr unsigned scratch_bytes = step::scratch_bytes;
  using lent = workgroup::scratch<scratch_bytes, workgroup::reuse::after_barrier>;

  static_assert(!(Policy::stage_in || Policy::stage_out) || !Policy::half_trade,
                "what is staged is exchanged whole");
  static_assert(!Policy::along_out || (Policy::lanes_across && !Policy::stage_out),
                "stores change lanes at an exchange or are staged");

  WINGBEAT_FN pass(Load in, Store out, WINGBEAT_GLOBAL const complex_type* table,
                   WINGBEAT_LOCAL char* scratch, Group group = Group{})
      : team_(group), team_out_(group), access_(in, out), table_(table), scratch_(scratch) {}

  /// Makes the butterflies of tile `number` of these rows.
  WINGBEAT_FN void run(unsigned number, rows_of_batch rows) const {
    const tile_type here(number, rows);
    const auto request = [&] {
      if constexpr (Policy::ahead > 0) request_ahead<Policy>(access_, number, rows, team_.rank());
    };
    if constexpr (step::is_real_row) {
      request();
      run_real_row(here);
    } else {
      complex_type x[e];
      load(here, x);
      request();  // behind what is wanted now
      if constexpr (Policy::source == row::half_spectrum) join(here, x);
      run_complex(here, x);
    }
  }

 private:
  using access_type = access<Policy, Load, Store>;

  WINGBEAT_FN unsigned held(unsigned r) const { return team_.thread() + r * threads; }

  /// Index on the axis of input q of a lane.
  WINGBEAT_FN static size index_in(const tile_type& here, unsigned lane, unsigned q) {
    return here.template index<Policy::in_along>(lane) + size(q) * Policy::in_step;
  }
  WINGBEAT_FN complex_type read(const tile_type& here, unsigned lane, unsigned q) const {
    return access_.read(here.in(lane) + size(q) * Policy::in_stride, index_in(here, lane, q));
  }
  WINGBEAT_FN void write(const tile_type& here, unsigned lane, unsigned q, complex_type z) const {
    const size i = here.template index<Policy::out_along>(lane) + size(q) * Policy::out_step;
    if constexpr (Policy::scaled) z = device::scaled(z, Policy::scale);
    access_.write(here.out(lane) + size(q) * Policy::out_stride, i, z);
  }

  WINGBEAT_FN void run_complex(const tile_type& here, complex_type (&x)[e]) const {
    if constexpr (Policy::turn_along != no_loop) turn_inputs(here, x);
    if constexpr (Policy::along_out) {
      fft::execute_between(team_, team_out_, x, lent{scratch_}, table_);
    } else {
      fft::execute(team_, x, lent{scratch_}, table_);
    }
    if constexpr (Policy::sink == row::half_spectrum) {
      store_separated(here, x);
    } else if constexpr (Policy::stage_out) {
      store_staged(here, x);
    } else {
      const unsigned lane = team_out_.transform();
      if (!here.has(lane)) return;
      WINGBEAT_UNROLL
      for (unsigned r = 0; r < e; ++r) write(here, lane, team_out_.thread() + r * threads, x[r]);
    }
  }

  WINGBEAT_FN void load(const tile_type& here, complex_type (&x)[e]) const {
    if constexpr (Policy::stage_in) {
      read_run<Policy::length>(here, [&](unsigned lane, unsigned q, complex_type z) {
        device::copy_to(entries() + layout::address(slot(lane, q)), z);
      });
      WINGBEAT_UNROLL
      for (unsigned r = 0; r < e; ++r)
        x[r] = device::copied_from(entries() + layout::address(team_.slot(held(r))));
      if constexpr (fft::exchanges > 0) team_.workgroup_barrier();
    } else {
      const unsigned lane = team_.transform();
      const bool inside = here.has(lane);
      WINGBEAT_UNROLL
      for (unsigned r = 0; r < e; ++r) {
        x[r] = {real(0), real(0)};
        if (inside) x[r] = read(here, lane, held(r));
      }
    }
  }

  /// Turns input q by w^(q k), w = exp(-+ 2 pi i / (P R)).
  WINGBEAT_FN void turn_inputs(const tile_type& here, complex_type (&x)[e]) const {
    const unsigned k = here.template index<Policy::turn_along>(team_.transform());
    turn_of<Policy, Policy::length>::apply(x, table_ + step::pass_roots_at, k, team_.thread());
  }

  // Staging: neighbours in rank take neighbouring elements of a butterfly.

  WINGBEAT_FN WINGBEAT_LOCAL complex_type* entries() const {
    return reinterpret_cast<WINGBEAT_LOCAL complex_type*>(scratch_);
  }
  /// What a real row stages lies behind what its transform exchanges.
  WINGBEAT_FN WINGBEAT_LOCAL complex_type* arrived() const {
    return entries() + step::transform_bytes / step::element_bytes;
  }
  WINGBEAT_FN WINGBEAT_LOCAL complex_type* leaving() const {
    return arrived() + (Policy::stage_in ? step::pitch_in * Policy::lanes : 0u);
  }
  WINGBEAT_FN static unsigned slot(unsigned lane, unsigned q) {
    return Policy::lanes_across ? q * Policy::lanes + lane : lane * Policy::length + q;
  }

  /// Calls take(lane, q, element) for all elements of the tile, `Length` of each lane, then waits
  /// for everybody.
  template <unsigned Length, class Take>
  WINGBEAT_FN void read_run(const tile_type& here, const Take& take) const {
    each_of_run<Length>([&](unsigned lane, unsigned q) {
      if (here.has(lane)) take(lane, q, read(here, lane, q));
    });
    team_.workgroup_barrier();
  }

  template <unsigned Length, class Call>
  WINGBEAT_FN void each_of_run(const Call& call) const {
    constexpr unsigned all = Length * Policy::lanes;
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < (all + workgroup_threads - 1) / workgroup_threads; ++r) {
      const bool is_inside =
          all % workgroup_threads == 0 || team_.rank() + r * workgroup_threads < all;
      if (is_inside) team_.template split_rank<Length>(r * workgroup_threads, call);
    }
  }

  WINGBEAT_FN void store_staged(const tile_type& here, const complex_type (&x)[e]) const {
    if constexpr (fft::exchanges > 0 || Policy::stage_in) team_.workgroup_barrier();
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < e; ++r)
      device::copy_to(entries() + layout::address(team_.slot(held(r))), x[r]);
    team_.workgroup_barrier();
    each_of_run<Policy::length>([&](unsigned lane, unsigned q) {
      if (here.has(lane))
        write(here, lane, q, device::copied_from(entries() + layout::address(slot(lane, q))));
    });
  }

  // Real transforms.

  /// Entry of element -(c + q P) of the axis, opposite to what a thread holds as r, number q on a
  /// lane of a mirrored tile, which is column c of P. They lie a constant below that of r = 0.
  template <unsigned P>
  WINGBEAT_FN size opposite_entry(unsigned lane, unsigned c, unsigned r) const {
    const unsigned other = mirrored<P, Policy::lanes / 2>::opposite(c, lane);
    const unsigned top = Policy::length - (c == 0 ? 0 : 1) - team_.thread();
    const unsigned first = (r == 0 ? top % Policy::length : top) * Policy::lanes + other;
    return size(first) - size(r) * threads * Policy::lanes;
  }

  WINGBEAT_FN complex_type real_root(size i) const {
    return twiddle::roots<real, 2 * Policy::total>{table_ + step::real_roots_at}(i);
  }

  /// Makes Z of bins, in the first pass of a long inverse: tile.hpp brings X[k] and X[N-k] into one
  /// workgroup. Bin N comes with bin 0.
  WINGBEAT_FN void join(const tile_type& here, complex_type (&x)[e]) const {
    constexpr auto columns = static_cast<unsigned>(Policy::in_step);
    const unsigned lane = team_.transform();
    const unsigned c = here.template index<Policy::in_along>(lane);
    const bool has_first = c == 0 && team_.thread() == 0 && here.has(lane);
    const complex_type root = real_root(index_in(here, lane, team_.thread()));
    combine_all</*IsPlane=*/false>(
        team_, entries(), x, [&](unsigned r) { return held(r) * Policy::lanes + lane; },
        [&](unsigned r) { return opposite_entry<columns>(lane, c, r); },
        [&](unsigned r) { return root_after<e>(root, r); },
        [&](unsigned r) { return r == 0 && has_first; },
        [&](unsigned) {
          return access_.read(here.in(lane) + Policy::total * Policy::in_unit, Policy::total);
        });
  }

  /// Separates the bins of a long real transform in its last pass, the same way.
  WINGBEAT_FN void store_separated(const tile_type& here, complex_type (&x)[e]) const {
    if constexpr (Policy::scaled) {
      WINGBEAT_UNROLL
      for (unsigned r = 0; r < e; ++r) x[r] = device::scaled(x[r], Policy::scale);
    }
    const unsigned lane = team_.transform();
    const unsigned c = here.template index<Policy::out_along>(lane);
    const bool inside = here.has(lane), has_first = c == 0 && team_.thread() == 0;
    const auto at = [&](unsigned r) { return here.out(lane) + size(held(r)) * Policy::out_stride; };
    const auto index = [&](unsigned r) { return c + size(held(r)) * Policy::out_step; };
    const complex_type root = real_root(index(0));
    if constexpr (fft::exchanges > 0) team_.workgroup_barrier();
    separate_all(
        team_, entries(), x, [&](unsigned r) { return held(r) * Policy::lanes + lane; },
        [&](unsigned r) { return opposite_entry<Policy::prior>(lane, c, r); },
        [&](unsigned r) { return root_after<e>(root, r); },
        [&](unsigned r) { return r == 0 && has_first; },
        [&](unsigned r, complex_type z) {
          if (inside) access_.write(at(r), index(r), z);
        },
        [&](unsigned r, complex_type z) {
          if (inside) access_.write(at(r) + Policy::total * Policy::out_unit, Policy::total, z);
        });
  }

  /// A whole row: both bins of a mirror pair at once, through local memory where it is staged.
  WINGBEAT_FN void run_real_row(const tile_type& here) const {
    const unsigned lane = team_.transform();
    const bool inside = here.has(lane);
    if constexpr (Policy::stage_in) {
      read_run<step::staged_in>(here, [&](unsigned of, unsigned q, complex_type z) {
        device::copy_to(arrived() + of * step::pitch_in + q, z);
      });
    }
    const auto load = [&](unsigned i) {
      complex_type z{real(0), real(0)};
      if constexpr (Policy::stage_in) {
        if (inside) z = device::copied_from(arrived() + lane * step::pitch_in + i);
      } else {
        if (inside) z = read(here, lane, i);
      }
      return z;
    };
    const auto store = [&](unsigned i, complex_type z) {
      if constexpr (Policy::stage_out) {
        device::copy_to(leaving() + lane * step::pitch_out + i, z);
      } else {
        if (inside) write(here, lane, i, z);
      }
    };
    step::real_fft::execute(team_, load, store, lent{scratch_}, table_);
    if constexpr (Policy::stage_out) {
      team_.workgroup_barrier();
      each_of_run<step::staged_out>([&](unsigned of, unsigned q) {
        if (here.has(of))
          write(here, of, q, device::copied_from(leaving() + of * step::pitch_out + q));
      });
    }
  }

  team_type team_;
  team_out_type team_out_;
  access_type access_;
  WINGBEAT_GLOBAL const complex_type* table_;
  WINGBEAT_LOCAL char* scratch_;
};

}  // namespace wingbeat::device::grid
