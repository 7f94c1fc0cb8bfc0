// SPDX-License-Identifier: Apache-2.0
// Opposite bins of a transform of length M in natural order meet in one thread. Thread t of T holds
// bins t + r T, r < E. If E is even, its first E/2 registers hold the bins below M/2; bin k of
// these is computed with
//     partner(k) = M - k,   partner(0) = M/2,
// which another thread holds, so half of all bins travel through local memory. If E is odd, all
// bins travel, and every bin is computed by the thread that holds it.
#pragma once

#include "wingbeat/device/direction.hpp"           // direction
#include "wingbeat/device/index.hpp"               // mirror
#include "wingbeat/device/port.hpp"                // WINGBEAT_FN, WINGBEAT_GLOBAL
#include "wingbeat/device/workgroup/exchange.hpp"  // exchange
#include "wingbeat/device/workgroup/memory.hpp"    // reuse, reused_as
#include "wingbeat/device/workgroup/team.hpp"      // lanes

namespace wingbeat::device::workgroup {

/// Trades of `Fft`, a transform in natural order whose exchanges use `Memory`.
template <class Fft, class Memory>
struct opposite_trade {
  using register_type = typename Fft::register_type;
  static constexpr unsigned m = Fft::length;
  static constexpr unsigned e = Fft::elements_per_thread;
  static constexpr unsigned threads = Fft::threads;
  static constexpr bool has_pairs = e % 2 == 0 || m == 1;
  static constexpr unsigned pairs = (e + 1) / 2;  ///< Per thread: k = t + r T below M/2.
  /// Half of the bins meet in the entries of the transform's exchanges.
  static constexpr unsigned scratch_bytes = threads > 1 ? Fft::steps::scratch_bytes : 0;

  /// Transforms z forward, with zeros in the registers from `Live` on, and leaves scratch free for
  /// the pairs: for the transform's own threads if they share a subgroup, otherwise for the
  /// workgroup.
  template <unsigned Live = e, class Team, class Scratch>
  WINGBEAT_FN static void transform_and_free(const Team& team, register_type (&z)[e],
                                             const Scratch& lent,
                                             WINGBEAT_GLOBAL const register_type* table) {
    constexpr reuse free_for = Team::is_in_subgroup ? reuse::after_barrier : reuse::at_once;
    Fft::template execute_padded<Live>(team, z, reused_as<Scratch, free_for>{lent.address}, table);
    if constexpr (Team::is_in_subgroup && Fft::exchanges > 0) team.barrier();
  }

  /// For each z[r] = Z[k], gets other[r] = Z[partner(k)], k = t + r T, r < pairs. Only the numbers
  /// above M/2 travel; thread 0 holds M/2 itself.
  /// Callers: every thread of the workgroup.  Memory: `scratch_bytes`, free on entry and, unless
  /// `lent_until_barrier`, on return.  Cost: one exchange of half the elements.
  template <class Team, class Scratch>
  WINGBEAT_FN static void gather_partners(const Team& team, register_type (&z)[e],
                                          register_type (&other)[pairs], const Scratch& lent) {
    if constexpr (threads == 1) {
      WINGBEAT_UNROLL
      for (unsigned r = 0; r < pairs; ++r) other[r] = z[partner(r) % e];
    } else {
      travel<pairs>(
          team, lent, [&](unsigned r) -> register_type& { return z[r + pairs]; },
          [](const Team& of, unsigned r) { return of.thread() + (r + pairs) * threads; },
          [&](unsigned r) -> register_type& { return other[r]; },
          [](const Team& of, unsigned r) { return partner(of.thread() + r * threads); });
    }
  }

  /// Inverse of `gather_partners`: sends other[r] to the thread that holds number partner(k), as
  /// its z.
  /// Callers, memory, cost: as above.
  template <class Team, class Scratch>
  WINGBEAT_FN static void return_partners(const Team& team, register_type (&z)[e],
                                          register_type (&other)[pairs], const Scratch& lent) {
    if constexpr (m == 1) return;
    if constexpr (threads == 1) {
      WINGBEAT_UNROLL
      for (unsigned r = 0; r < pairs; ++r) z[partner(r) % e] = other[r];
    } else {
      travel<pairs>(
          team, lent, [&](unsigned r) -> register_type& { return other[r]; },
          [](const Team& of, unsigned r) { return partner(of.thread() + r * threads); },
          [&](unsigned r) -> register_type& { return z[r + pairs]; },
          [](const Team& of, unsigned r) { return of.thread() + (r + pairs) * threads; });
    }
  }

  /// For each z[r] = Z[k], gets other[r] = Z[-k], k = t + r T, r < E; for Z[0] itself.
  /// Callers, memory: as above.  Cost: one exchange.
  template <class Team, class Scratch>
  WINGBEAT_FN static void gather_opposites(const Team& team, register_type (&z)[e],
                                           register_type (&other)[e], const Scratch& lent) {
    if constexpr (threads == 1) {
      WINGBEAT_UNROLL
      for (unsigned r = 0; r < e; ++r) other[r] = z[(e - r) % e];
    } else {
      travel<e>(
          team, lent, [&](unsigned r) -> register_type& { return z[r]; },
          [](const Team& of, unsigned r) { return of.thread() + r * threads; },
          [&](unsigned r) -> register_type& { return other[r]; },
          [](const Team& of, unsigned r) { return mirror(of.thread() + r * threads, m); });
    }
  }

 private:
  WINGBEAT_FN static constexpr unsigned partner(unsigned k) { return k == 0 ? m / 2 : m - k; }

  /// Sends source(r) to slot to(r) and takes target(r) from slot from(r), r < Count, whole or in
  /// halves. Scratch is free before and after.
  template <unsigned Count, class Team, class Scratch, class Source, class To, class Target,
            class From>
  WINGBEAT_FN static void travel(const Team& team, const Scratch& lent, const Source& source,
                                 const To& to, const Target& target, const From& from) {
    register_type moved[Count];
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < Count; ++r) moved[r] = source(r);
    exchange<Memory::trades, threads>(
        team, moved, lent.address, [&](unsigned r) { return entry_of(team, to(team, r)); },
        [&](unsigned r) { return entry_of(team, from(team, r)); });
    constexpr bool is_used_again = Fft::dir == direction::inverse && Fft::exchanges > 0;
    if constexpr (Scratch::reused == reuse::at_once) {
      team.workgroup_barrier();
    } else if constexpr (is_used_again) {
      team.barrier();
    }
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < Count; ++r) target(r) = moved[r];
  }

  /// Opposite numbers meet in the entries of their transform.
  template <class Team>
  WINGBEAT_FN static unsigned entry_of(const Team& team, unsigned i) {
    constexpr bool is_along = Team::neighbours == lanes::along_transform;
    return is_along ? team.transform() * Fft::steps::own_entries + i : team.slot(i);
  }
};

}  // namespace wingbeat::device::workgroup
