// SPDX-License-Identifier: Apache-2.0
// One crossing of memory by transforms too long for a workgroup's registers, or by planes: made by
// clusters of workgroups (of one, where it fits), see cluster/fft.hpp. Policy is that of pass.hpp
// with, in place of what is said of butterflies and staging there,
//   first, second        A and B: a butterfly is a line of length A B, or a plane [A][B]
//   kind                 line or plane
//   workgroups           of a cluster
//   in_first_stride, in_second_stride     places from n1 to n1 + 1, from n2 to n2 + 1
//   out_first_stride, out_second_stride   places from k1 to k1 + 1, from k2 to k2 + 1
// Bins of a real plane are those of its rows: k2 = 0 .. B of 2 B reals.
#pragma once

#include "wingbeat/device/cluster/fft.hpp"  // fft, shape
#include "wingbeat/device/complex.hpp"      // complex
#include "wingbeat/device/grid/access.hpp"  // access, row
#include "wingbeat/device/grid/ahead.hpp"   // request_ahead
#include "wingbeat/device/grid/real.hpp"    // combine_all, root_after, separate_all
#include "wingbeat/device/grid/tile.hpp"    // tile
#include "wingbeat/device/grid/turn.hpp"    // turn_of
#include "wingbeat/device/port.hpp"         // WINGBEAT_FN, group
#include "wingbeat/device/twiddle.hpp"      // roots

namespace wingbeat::device::grid {

/// A cluster's transform, and the local memory and roots it takes.
template <class Policy, class Group = group>
struct cluster_step_of {
  using real = typename Policy::real;
  static constexpr size length = size(Policy::first) * Policy::second;
  static constexpr bool is_plane = Policy::kind == cluster::kind::plane;
  static constexpr bool joins = Policy::source == row::half_spectrum;
  static constexpr bool separates = Policy::sink == row::half_spectrum;
  /// Of a whole axis or plane, whose opposite bins are in one cluster.
  static_assert(!(joins || separates) || is_plane || length == Policy::total,
                "bins of a long real transform meet in a workgroup's mirrored tiles");
  static constexpr auto mirror = joins       ? cluster::mirror::columns
                                 : separates ? cluster::mirror::rows
                                             : cluster::mirror::none;
  using memory =
      workgroup::memory<Policy::half_trade ? workgroup::trade::halves : workgroup::trade::whole,
                        Policy::bank_bytes>;
  using shape = cluster::shape<Policy::first, Policy::second, Policy::elements_per_thread,
                               Policy::workgroups, Policy::lanes, Policy::lanes_across,
                               Policy::lanes_across && !Policy::along_out>;
  using fft = cluster::fft<shape, real, Policy::dir, Policy::kind, memory, mirror, Group>;

  // The table: the cluster's roots, those of the pass, of the real transform.
  static constexpr size pass_roots_at = fft::table_entries;
  static constexpr size real_roots_at = pass_roots_at + turn_of<Policy, length>::entries;
  /// Bins of a row: of an axis N, of a plane B, and the one behind them.
  static constexpr size bins = is_plane ? Policy::second : length;
  static constexpr unsigned scratch_bytes = fft::scratch_bytes;
  static_assert(!(joins || separates) ||
                    shape::workgroup_threads * Policy::elements_per_thread * 2 * sizeof(real) <=
                        fft::shared_bytes,
                "opposite bins meet where elements arrive");
};

template <class Policy, class Load, class Store, class Group = group>
class cluster_pass {
 public:
  using step = cluster_step_of<Policy, Group>;
  using real = typename Policy::real;
  using complex_type = complex<real>;
  using fft = typename step::fft;
  using tile_type = tile<Policy>;
  static constexpr unsigned e = Policy::elements_per_thread;
  static constexpr unsigned workgroup_threads = step::shape::workgroup_threads;
  static constexpr unsigned scratch_bytes = step::scratch_bytes;

  WINGBEAT_FN cluster_pass(Load in, Store out, WINGBEAT_GLOBAL const complex_type* table,
                           WINGBEAT_LOCAL char* scratch, Group group = Group{})
      : fft_(table, scratch, group), access_(in, out), table_(table), scratch_(scratch) {}

  /// Makes the butterflies of tile `number` of these rows.
  WINGBEAT_FN void run(unsigned number, rows_of_batch rows) const {
    const tile_type here(number, rows);
    complex_type x[e];
    load(here, x);
    if constexpr (Policy::ahead > 0)
      request_ahead<Policy>(access_, number, rows, fft_.team().rank(), fft_.rank());
    if constexpr (step::joins) join(here, x);
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
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < e; ++r) {
      x[r] = {real(0), real(0)};
      if (inside) x[r] = access_.read(place_in(here, r), index_in(here, r));
    }
  }

  /// Turns input q = n1 B + n2 by w^(q k), w = exp(-+ 2 pi i / (P R)).
  WINGBEAT_FN void turn_inputs(const tile_type& here, complex_type (&x)[e]) const {
    const unsigned k = here.template index<Policy::turn_along>(fft_.lane_in());
    turn_of<Policy, step::length>::apply(x, table_ + step::pass_roots_at, k,
                                         size(fft_.n1(0)) * Policy::second + fft_.n2());
  }

  WINGBEAT_FN size place_in(const tile_type& here, unsigned r) const {
    return here.in(fft_.lane_in()) + fft_.n1(r) * Policy::in_first_stride +
           fft_.n2() * Policy::in_second_stride;
  }
  /// Index on the axis of input n1 B + n2.
  WINGBEAT_FN size index_in(const tile_type& here, unsigned r) const {
    const size q = size(fft_.n1(r)) * Policy::second + fft_.n2();
    return here.template index<Policy::in_along>(fft_.lane_in()) + q * Policy::in_step;
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

  WINGBEAT_FN complex_type real_root(size i) const {
    return twiddle::roots<real, 2 * step::bins>{table_ + step::real_roots_at}(i);
  }
  WINGBEAT_FN WINGBEAT_LOCAL complex_type* entries() const {
    return reinterpret_cast<WINGBEAT_LOCAL complex_type*>(scratch_);
  }

  /// Makes Z of bins: a workgroup has columns n2 and -n2. Each row of a plane has a bin N, B.
  WINGBEAT_FN void join(const tile_type& here, complex_type (&x)[e]) const {
    const bool has_first =
        here.has(fft_.lane_in()) && fft_.n2() == 0 && (step::is_plane || fft_.n1(0) == 0);
    const complex_type root = real_root(step::is_plane ? fft_.n2() : index_in(here, 0));
    complex_type last[step::is_plane ? e : 1] = {};
    if (has_first) {
      constexpr size apart = step::is_plane ? Policy::in_second_stride : Policy::in_unit;
      WINGBEAT_UNROLL
      for (unsigned r = 0; r < (step::is_plane ? e : 1); ++r)
        last[r] = access_.read(place_in(here, r) + step::bins * apart, step::bins);
    }
    combine_all<step::is_plane>(
        fft_.team(), entries(), x, [&](unsigned r) { return fft_.entry_in(r); },
        [&](unsigned r) { return fft_.opposite_in(r); },
        [&](unsigned r) { return step::is_plane ? root : root_after<e>(root, r); },
        [&](unsigned r) { return has_first && (step::is_plane || r == 0); },
        [&](unsigned r) { return last[step::is_plane ? r : 0]; });
  }

  /// Separates the bins of a real transform: a workgroup has rows k1 and -k1.
  WINGBEAT_FN void store_separated(const tile_type& here, const complex_type (&x)[e]) const {
    const bool inside = here.has(fft_.lane());
    const bool has_first = fft_.k2(0) == 0 && (step::is_plane || fft_.k1() == 0);
    const complex_type root = real_root(step::is_plane ? fft_.k2(0) : bin(here, 0));
    fft_.team().workgroup_barrier();
    separate_all(
        fft_.team(), entries(), x, [&](unsigned r) { return fft_.entry_out(r); },
        [&](unsigned r) { return fft_.opposite_out(r); },
        [&](unsigned r) { return root_after<e>(root, r); },
        [&](unsigned r) { return r == 0 && has_first; },
        [&](unsigned r, complex_type z) {
          if (inside) access_.write(place_out(here, r), bin(here, r), z);
        },
        [&](unsigned r, complex_type z) {
          constexpr size apart = step::is_plane ? Policy::out_second_stride : Policy::out_unit;
          if (inside) access_.write(place_out(here, r) + step::bins * apart, step::bins, z);
        });
  }

  fft fft_;
  access_type access_;
  WINGBEAT_GLOBAL const complex_type* table_;
  WINGBEAT_LOCAL char* scratch_;
};

}  // namespace wingbeat::device::grid
