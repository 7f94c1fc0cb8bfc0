// SPDX-License-Identifier: Apache-2.0
// One crossing of memory by transforms too long for a workgroup's registers, or by planes: made by
// clusters of workgroups (of one, where it fits), see cluster/fft.hpp. Policy is that of pass.hpp
// with, in place of what is said of butterflies and staging there,
//   first, second        A and B: a butterfly is a line of length A B, or a plane [A][B]
//   kind                 line or plane
//   workgroups           of a cluster
//   in_first_stride, in_second_stride     places from n1 to n1 + 1, from n2 to n2 + 1
//   out_first_stride, out_second_stride   places from k1 to k1 + 1, from k2 to k2 + 1
#pragma once

#include "wingbeat/device/cluster/fft.hpp"         // fft, shape
#include "wingbeat/device/complex.hpp"             // complex
#include "wingbeat/device/grid/access.hpp"         // access, row
#include "wingbeat/device/grid/tile.hpp"           // tile
#include "wingbeat/device/grid/turn.hpp"           // turn_of
#include "wingbeat/device/port.hpp"                // WINGBEAT_FN, group
#include "wingbeat/device/workgroup/exchange.hpp"  // show

namespace wingbeat::device::grid {

/// A cluster's transform, and the local memory and roots it takes.
template <class Policy, class Group = group>
struct cluster_step_of {
  using real = typename Policy::real;
  static constexpr size length = size(Policy::first) * Policy::second;
  static constexpr bool separates =
      Policy::sink == row::half_spectrum && Policy::source == row::complex_row;
  static constexpr bool mirrors_rows = separates && !Policy::mirrored;
  using memory =
      workgroup::memory<Policy::half_trade ? workgroup::trade::halves : workgroup::trade::whole,
                        Policy::bank_bytes>;
  using shape = cluster::shape<Policy::first, Policy::second, Policy::elements_per_thread,
                               Policy::workgroups, Policy::lanes, Policy::lanes_across,
                               Policy::lanes_across && !Policy::along_out>;
  using fft = cluster::fft<shape, real, Policy::dir, Policy::kind, memory, mirrors_rows, Group>;

  // The table: the cluster's roots, those of the pass, of the real transform.
  static constexpr size pass_roots_at = fft::table_entries;
  static constexpr size real_roots_at = pass_roots_at + turn_of<Policy, length>::entries;
  static constexpr unsigned scratch_bytes =
      separates ? maximum(fft::scratch_bytes, fft::layout::bytes) : fft::scratch_bytes;
};

template <class Policy, class Load, class Store, class Group = group>
class cluster_pass {
 public:
  using step = cluster_step_of<Policy, Group>;
  static_assert(!step::separates || !Policy::half_trade, "bins meet their mirror images whole");
  using real = typename Policy::real;
  using complex_type = complex<real>;
  using fft = typename step::fft;
  using tile_type = tile<Policy>;
  static constexpr unsigned e = Policy::elements_per_thread;
  static constexpr unsigned workgroup_threads = step::shape::workgroup_threads;
  static constexpr unsigned scratch_bytes = step::scratch_bytes;

  WINGBEAT_FN cluster_pass(Load in, Store out, WINGBEAT_GLOBAL const complex_type* table,
                           WINGBEAT_LOCAL char* scratch, Group group = Group{})
      : fft_(table, scratch, group),
        access_(in, out, typename access_type::roots{table + step::real_roots_at}),
        table_(table),
        scratch_(scratch) {}

  /// Makes the butterflies of tile `number` of these rows.
  WINGBEAT_FN void run(unsigned number, rows_of_batch rows) const {
    const tile_type here(number, rows);
    complex_type x[e];
    load(here, x);
    if constexpr (Policy::turn_along != no_loop) turn_inputs(here, x);
    fft_.transform(x);
    if constexpr (Policy::scaled) {
      WINGBEAT_UNROLL
      for (unsigned r = 0; r < e; ++r) x[r] = device::scaled(x[r], Policy::scale);
    }
    if constexpr (step::separates) {
      store_separated(here, x);
    } else {
      const unsigned lane = fft_.lane();
      if (!here.has(lane)) return;
      WINGBEAT_UNROLL
      for (unsigned r = 0; r < e; ++r) access_.write(place_out(here, r), bin(here, r), x[r]);
    }
  }

 private:
  using access_type = access<Policy, Load, Store>;

  WINGBEAT_FN void load(const tile_type& here, complex_type (&x)[e]) const {
    const unsigned lane = fft_.lane_in();
    const bool inside = here.has(lane);
    const size along = here.template index<Policy::in_along>(lane);
    const size from = here.in(lane) + fft_.n2() * Policy::in_second_stride;
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < e; ++r) {
      const size q = size(fft_.n1(r)) * Policy::second + fft_.n2();
      x[r] = {real(0), real(0)};
      if (inside) {
        x[r] =
            access_.read(from + fft_.n1(r) * Policy::in_first_stride, along + q * Policy::in_step);
      }
    }
  }

  /// Turns input q = n1 B + n2 by w^(q k), w = exp(-+ 2 pi i / (P R)).
  WINGBEAT_FN void turn_inputs(const tile_type& here, complex_type (&x)[e]) const {
    const unsigned k = here.template index<Policy::turn_along>(fft_.lane_in());
    turn_of<Policy, step::length>::apply(x, table_ + step::pass_roots_at, k,
                                         size(fft_.n1(0)) * Policy::second + fft_.n2());
  }

  WINGBEAT_FN size place_out(const tile_type& here, unsigned r) const {
    return here.out(fft_.lane()) + fft_.k1() * Policy::out_first_stride +
           fft_.k2(r) * Policy::out_second_stride;
  }
  /// Index on the axis of output k1 + A k2.
  WINGBEAT_FN size bin(const tile_type& here, unsigned r) const {
    const size k = fft_.k1() + size(fft_.k2(r)) * Policy::first;
    return here.template index<Policy::out_along>(fft_.lane()) + k * Policy::out_step;
  }

  /// Separates the bins of a real transform: row -k1 is made in this workgroup. Bin -(k1 + A k2) is
  /// -k1 + A (B - 1 - k2), but 0 + A (B - k2) of row 0.
  WINGBEAT_FN void store_separated(const tile_type& here, const complex_type (&x)[e]) const {
    using layout = typename fft::layout;
    constexpr unsigned b = Policy::second;
    const auto& team = fft_.team();
    const unsigned opposite = fft_.opposite();
    team.workgroup_barrier();
    const bool inside = here.has(fft_.lane());
    const auto to = [&](unsigned r) { return layout::address(team.slot(fft_.k2(r))); };
    const auto from = [&](unsigned r) {
      const unsigned k2 = (b - (fft_.k1() == 0 ? 0 : 1) - fft_.k2(r)) % b;
      return layout::address(k2 * step::shape::rows * Policy::lanes + opposite);
    };
    const auto write_bin = [&](unsigned r, complex_type other) {
      if (inside) access_.write_separated(place_out(here, r), bin(here, r), x[r], other);
    };
    workgroup::show<workgroup_threads>(team, x, scratch_, to, from, write_bin);
  }

  fft fft_;
  access_type access_;
  WINGBEAT_GLOBAL const complex_type* table_;
  WINGBEAT_LOCAL char* scratch_;
};

}  // namespace wingbeat::device::grid
