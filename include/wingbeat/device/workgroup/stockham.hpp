// SPDX-License-Identifier: Apache-2.0
// A workgroup's transform in natural order: Stockham stages in registers, exchanges between.
//
// Thread t of T holds elements t + r T, r < E, before and after every stage. A stage of radix R
// after prior length P takes butterfly b = 0 .. N/R - 1 from elements b + q N/R, multiplies input q
// by w^(q (b mod P)), w = exp(-+ 2 pi i / (P R)), and delivers output q to
//     (b / P) P R + (b mod P) + q P.
// Both ends of the last stage are elements b + q N/R, so it needs no exchange: one fewer than
// there are stages, no reversal of digits. See docs/maths.md.
#pragma once

#include "wingbeat/device/complex.hpp"             // complex
#include "wingbeat/device/direction.hpp"           // direction
#include "wingbeat/device/port.hpp"                // WINGBEAT_FN, WINGBEAT_GLOBAL
#include "wingbeat/device/thread/dft.hpp"          // dft
#include "wingbeat/device/twiddle.hpp"             // apply_powers
#include "wingbeat/device/workgroup/contract.hpp"  // is_same
#include "wingbeat/device/workgroup/exchange.hpp"  // exchange, row_fold, slot_addresses
#include "wingbeat/device/workgroup/schedule.hpp"  // schedule
#include "wingbeat/device/workgroup/team.hpp"      // lanes

namespace wingbeat::device::workgroup {

template <class Shape, class Real, direction Dir, class Memory>
struct stockham {
  using complex_type = complex<Real>;
  static constexpr unsigned elements = Shape::elements_per_thread;
  static constexpr unsigned threads = Shape::threads;
  static constexpr schedule plan{order::natural, Shape::length, Shape::elements_per_thread};
  static constexpr unsigned n_stages = plan.count();
  /// Slots where threads across transforms trade, or change lanes.
  using layout = slot_addresses<Shape, Real, Memory, n_stages == 0 ? 1u : plan.radix(0), false>;
  static constexpr unsigned entry_bytes = entry_bytes_of<Real, Memory>;
  /// Where threads are in sequence along a transform, each transform has entries of its own.
  static constexpr unsigned own_entries = delivered_entries(plan, entry_bytes, Memory::bank_bytes);
  static constexpr unsigned scratch_bytes =
      delivered_bytes(plan, Shape::transforms, entry_bytes, Memory::bank_bytes);

  /// Transforms x in place, of which the registers from `Live` on are known zeros. Scratch is free
  /// on entry; barriers as `execute` of fft.hpp says.
  template <unsigned Live = elements, class Team, class Scratch>
  WINGBEAT_FN static void run(const Team& team, complex_type (&x)[elements], const Scratch& scratch,
                              WINGBEAT_GLOBAL const complex_type* table) {
    if constexpr (n_stages > 0) run_from<0, Live>(team, team, x, scratch, table);
  }

  /// The same, but what `before` holds goes to `after`, of the other lanes, at the first exchange.
  template <unsigned Live = elements, class Before, class After, class Scratch>
  WINGBEAT_FN static void run(const Before& before, const After& after, complex_type (&x)[elements],
                              const Scratch& scratch, WINGBEAT_GLOBAL const complex_type* table) {
    run_from<0, Live>(before, after, x, scratch, table);
  }

 private:
  /// Entries of slots base + offset in the exchange after a stage, of Team's transform.
  template <unsigned Stage, class Team>
  WINGBEAT_FN static unsigned address(unsigned transform, unsigned i, unsigned offset) {
    if constexpr (Team::neighbours == lanes::along_transform) {
      constexpr slot_layout lies =
          delivered(0, entry_bytes, Memory::bank_bytes, plan.radix(Stage), plan.place_value(Stage));
      using slots = slot_addresses<Shape, Real, Memory, lies.apart, false, lies.pad>;
      return transform * own_entries + slots::address(i, offset);
    } else {
      return layout::address(Team::slot_of(transform, i), offset * Team::slot_stride);
    }
  }

  /// Stages from `Stage` on, of which `team` makes the first and `after` the others.
  template <unsigned Stage, unsigned Live = elements, bool WasHandedOver = false, class Team,
            class After, class Scratch>
  WINGBEAT_FN static void run_from(const Team& team, const After& after,
                                   complex_type (&x)[elements], const Scratch& scratch,
                                   WINGBEAT_GLOBAL const complex_type* table) {
    constexpr unsigned first = plan.table_offset(Stage);
    butterflies<Stage, Live>(team, x, table + first);
    if constexpr (Stage + 1 < n_stages) {
      if constexpr (WasHandedOver) {  // until the last exchange has been read
        team.workgroup_barrier();
      } else if constexpr (Stage > 0) {
        team.barrier();
      }
      deliver<Stage>(team, after, x, scratch.at);
      constexpr bool is_last = Stage + 2 == n_stages;
      if constexpr (is_last && Scratch::reused == reuse::at_once) team.workgroup_barrier();
      constexpr bool hands_over = !contract::is_same<Team, After>::value;
      run_from<Stage + 1, elements, hands_over>(after, after, x, scratch, table);
    }
  }

  /// One stage in registers: register m + q E/R is input (and output) q of butterfly t + m T.
  template <unsigned Stage, unsigned Live, class Team>
  WINGBEAT_FN static void butterflies(const Team& team, complex_type (&x)[elements],
                                      WINGBEAT_GLOBAL const complex_type* roots) {
    constexpr unsigned radix = plan.radix(Stage);
    constexpr unsigned prior = plan.place_value(Stage);
    constexpr unsigned count = elements / radix;
    static_assert(elements % radix == 0, "a thread makes whole butterflies");
    WINGBEAT_UNROLL
    for (unsigned m = 0; m < count; ++m) {
      complex_type y[radix];
      WINGBEAT_UNROLL
      for (unsigned q = 0; q < radix; ++q) y[q] = x[m + q * count];
      if constexpr (prior > 1) {
        twiddle::apply_powers<Dir, prior>(y, roots, (team.thread() + m * threads) % prior);
      }
      thread::dft<Dir, thread::live_of(Live, 0, count)>(y);
      WINGBEAT_UNROLL
      for (unsigned q = 0; q < radix; ++q) x[m + q * count] = y[q];
    }
  }

  /// Moves the outputs of a stage to the threads that want them next. Slots are those of `team`.
  template <unsigned Stage, class Team, class After>
  WINGBEAT_FN static void deliver(const Team& team, const After& after, complex_type (&x)[elements],
                                  WINGBEAT_LOCAL char* at) {
    constexpr unsigned radix = plan.radix(Stage);
    constexpr unsigned prior = plan.place_value(Stage);
    constexpr unsigned count = elements / radix;
    const auto first_of = [](unsigned b) { return b / prior * prior * radix + b % prior; };
    constexpr bool spreads =
        Team::neighbours == lanes::along_transform && After::neighbours == lanes::across_transforms;
    const auto fold = [](unsigned entry, unsigned transform) {
      constexpr unsigned bank_entries = Memory::bank_bytes / entry_bytes;
      return spreads ? entry ^ row_fold(transform, Shape::transforms, own_entries, bank_entries)
                     : entry;
    };
    const auto to = [&](unsigned r) {  // digits of b, and those of q P, that none has in common
      const unsigned entry =
          address<Stage, Team>(team.transform(), first_of(team.thread()),
                               first_of(r % count * threads) + r / count * prior);
      return fold(entry, team.transform());
    };
    const auto from = [&](unsigned r) {
      const unsigned entry = address<Stage, Team>(after.transform(), after.thread(), r * threads);
      return fold(entry, after.transform());
    };
    if constexpr (spreads) {  // the barriers of `team` may be those of one transform alone
      exchange<Memory::trades, threads>(after, x, at, to, from);
    } else {
      exchange<Memory::trades, threads>(team, x, at, to, from);
    }
  }
};

}  // namespace wingbeat::device::workgroup
