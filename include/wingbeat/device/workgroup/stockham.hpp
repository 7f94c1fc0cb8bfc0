// SPDX-License-Identifier: Apache-2.0
// A workgroup's transform in natural order: Stockham stages in registers, exchanges between.
//
// Thread t of T holds elements t + r T, r < E, before the first stage and after the last. A stage
// of radix R after prior length P takes butterfly b = 0 .. N/R - 1 from elements b + q N/R,
// multiplies input q by w^(q (b mod P)), w = exp(-+ 2 pi i / (P R)), and delivers output q to
//     (b / P) P R + (b mod P) + q P.
// Thread t computes butterflies t + m T, m below the stage's `rounds`; if R does not divide E, some
// threads are idle in the last round. Inputs and outputs of the last stage are elements b + q N/R,
// so no exchange follows it if R divides E: there is one exchange fewer than stages, and no
// reversal of digits. See docs/maths.md.
#pragma once

#include "wingbeat/device/complex.hpp"             // complex
#include "wingbeat/device/direction.hpp"           // direction
#include "wingbeat/device/index.hpp"               // is_power_of_two, maximum
#include "wingbeat/device/port.hpp"                // WINGBEAT_FN, WINGBEAT_GLOBAL
#include "wingbeat/device/thread/dft.hpp"          // dft
#include "wingbeat/device/thread/dft/fused.hpp"    // fused_stage
#include "wingbeat/device/twiddle.hpp"             // apply_powers
#include "wingbeat/device/workgroup/contract.hpp"  // is_same
#include "wingbeat/device/workgroup/exchange.hpp"  // exchange_some, slot_addresses
#include "wingbeat/device/workgroup/schedule.hpp"  // schedule, twiddling
#include "wingbeat/device/workgroup/team.hpp"      // lanes

namespace wingbeat::device::workgroup {

template <class Shape, class Real, direction Dir, class Memory,
          twiddling Twiddles = twiddling::apart>
struct stockham {
  using complex_type = complex<Real>;
  static constexpr unsigned elements = Shape::elements_per_thread;
  static constexpr unsigned threads = Shape::threads;
  static constexpr schedule plan{order::natural, Shape::length, Shape::elements_per_thread,
                                 Twiddles};
  static constexpr unsigned n_stages = plan.count();
  static_assert(n_stages == 0 || elements % plan.radix(0) == 0,
                "the first radix divides the elements of a thread");
  static constexpr unsigned most = plan.max_registers();
  /// Slots for powers of two, if threads across transforms trade or change lanes.
  using layout =
      slot_addresses<Shape, Real, Memory, n_stages == 0 ? 1u : plan.radix(0), false, Memory::pad>;
  static constexpr unsigned entry_bytes = entry_bytes_of<Real, Memory>;
  /// If threads are in sequence along a transform, each transform has its own entries.
  static constexpr unsigned own_entries = delivered_entries(plan, entry_bytes, Memory::bank_bytes);
  static constexpr unsigned scratch_bytes =
      delivered_bytes(plan, Shape::transforms, entry_bytes, Memory::bank_bytes);
  static_assert(Memory::pad == 1 || layout::bytes <= scratch_bytes, "there is room for padding");

  /// Transforms x in place; the registers from `Live` on are known zeros. Scratch is free on entry;
  /// barriers: see `execute` of fft.hpp.
  template <unsigned Live = elements, class Team, class Scratch>
  WINGBEAT_FN static void run(const Team& team, complex_type (&x)[elements], const Scratch& scratch,
                              WINGBEAT_GLOBAL const complex_type* table) {
    if constexpr (n_stages > 0) run<Live>(team, team, x, scratch, table);
  }

  /// Same, but the first exchange hands elements from `before` to `after`, whose lanes differ.
  template <unsigned Live = elements, class Before, class After, class Scratch>
  WINGBEAT_FN static void run(const Before& before, const After& after, complex_type (&x)[elements],
                              const Scratch& scratch, WINGBEAT_GLOBAL const complex_type* table) {
    if constexpr (most == elements) {
      run_from<0, Live>(before, after, x, scratch, table);
    } else {
      complex_type y[most];
      WINGBEAT_UNROLL
      for (unsigned r = 0; r < elements; ++r) y[r] = x[r];
      run_from<0, Live>(before, after, y, scratch, table);
      WINGBEAT_UNROLL
      for (unsigned r = 0; r < elements; ++r) x[r] = y[r];
    }
  }

 private:
  /// The slots of the exchange after `Stage`, addressed by the threads before and after it.
  template <unsigned Stage, class Team>
  struct slots_after {
    static constexpr bool is_along = Team::neighbours == lanes::along_transform;
    static constexpr bool has_powers_of_two =
        is_power_of_two(Shape::length * (is_along ? 1 : Shape::transforms));
    static constexpr slot_layout lies = delivered_after(
        plan, Stage, is_along ? 1 : Shape::transforms, entry_bytes, Memory::bank_bytes);
    using addresses = slot_addresses<Shape, Real, Memory, lies.apart, false, lies.pad, lies.every>;

    /// Returns the entry of element i + offset of a transform; requirements: see slot_addresses.
    WINGBEAT_FN static unsigned at(unsigned transform, unsigned i, unsigned offset) {
      if constexpr (is_along) {
        return transform * own_entries + addresses::address(i, offset);
      } else if constexpr (has_powers_of_two) {
        return layout::address(Team::slot_of(transform, i), offset * Team::slot_stride);
      } else {
        return addresses::address(Team::slot_of(transform, i), offset * Team::slot_stride);
      }
    }
    /// Elements between paddings; 0: no padding, or that of powers of two.
    static constexpr bool is_padded = !has_powers_of_two && lies.pad > 0;
    static constexpr unsigned grain =
        is_padded ? lies.pad_every() / (is_along ? 1 : Shape::transforms) : 0;
  };

  /// Returns whether the address of element t + m T, t < T, is the sum of those of t and m T, for
  /// groups of `grain` elements.
  WINGBEAT_FN static constexpr bool splits(unsigned grain) {
    return grain == 0 || threads % grain == 0 || grain % threads == 0;
  }

  /// Runs the stages from `Stage` on: `team` the first, `after` the others.
  template <unsigned Stage, unsigned Live = elements, bool WasHandedOver = false, class Team,
            class After, class Scratch>
  WINGBEAT_FN static void run_from(const Team& team, const After& after, complex_type (&x)[most],
                                   const Scratch& scratch,
                                   WINGBEAT_GLOBAL const complex_type* table) {
    constexpr unsigned first = plan.table_offset(Stage);
    butterflies<Stage, Live>(team, x, table + first);
    if constexpr (Stage < plan.exchanges()) {
      if constexpr (WasHandedOver) {  // waits for reads of the last exchange
        team.workgroup_barrier();
      } else if constexpr (Stage > 0) {
        team.barrier();
      }
      deliver<Stage>(team, after, x, scratch.address);
      constexpr bool is_last = Stage + 1 == plan.exchanges();
      if constexpr (is_last && Scratch::reused == reuse::at_once) team.workgroup_barrier();
      constexpr bool hands_over = !contract::is_same<Team, After>::value;
      if constexpr (Stage + 1 < n_stages) {
        run_from<Stage + 1, elements, hands_over>(after, after, x, scratch, table);
      }
    }
  }

  /// Returns whether a thread computes its butterfly m of a stage.
  template <unsigned Stage>
  WINGBEAT_FN static bool makes(unsigned thread, unsigned m) {
    return (m + 1) * threads <= plan.butterflies(Stage) ||
           thread + m * threads < plan.butterflies(Stage);
  }

  /// Runs one stage in registers: with M rounds, register m + q M is input and output q of
  /// butterfly t + m T.
  template <unsigned Stage, unsigned Live, class Team>
  WINGBEAT_FN static void butterflies(const Team& team, complex_type (&x)[most],
                                      WINGBEAT_GLOBAL const complex_type* roots) {
    constexpr unsigned radix = plan.radix(Stage);
    constexpr unsigned prior = plan.place_value(Stage);
    constexpr unsigned rounds = plan.rounds(Stage);
    WINGBEAT_UNROLL
    for (unsigned m = 0; m < rounds; ++m) {
      if (!makes<Stage>(team.thread(), m)) continue;
      complex_type y[radix];
      WINGBEAT_UNROLL
      for (unsigned q = 0; q < radix; ++q) y[q] = x[m + q * rounds];
      constexpr unsigned live = Stage == 0 ? thread::live_of(Live, 0, rounds) : radix;
      if constexpr (plan.is_fused(Stage)) {
        thread::fused_stage<Dir, prior, live>(y, roots, (team.thread() + m * threads) % prior);
      } else {
        if constexpr (prior > 1) {
          twiddle::apply_powers<Dir, prior>(y, roots, (team.thread() + m * threads) % prior);
        }
        thread::dft<Dir, live>(y);
      }
      WINGBEAT_UNROLL
      for (unsigned q = 0; q < radix; ++q) x[m + q * rounds] = y[q];
    }
  }

  /// Moves the outputs of a stage to the threads that hold them in the next stage or, after the
  /// last stage, in the end. Slots are those of `team`.
  template <unsigned Stage, class Team, class After>
  WINGBEAT_FN static void deliver(const Team& team, const After& after, complex_type (&x)[most],
                                  WINGBEAT_LOCAL char* address) {
    constexpr unsigned radix = plan.radix(Stage);
    constexpr unsigned prior = plan.place_value(Stage);
    constexpr unsigned rounds = plan.rounds(Stage);
    constexpr bool is_last = Stage + 1 == n_stages;
    constexpr unsigned next = is_last ? Stage : Stage + 1;
    constexpr unsigned taken_rounds = is_last ? elements : plan.rounds(next);
    constexpr unsigned taken = is_last ? elements : taken_rounds * plan.radix(next);
    using slots = slots_after<Stage, Team>;
    const auto first_of = [](unsigned b) { return b / prior * prior * radix + b % prior; };
    constexpr bool spreads =
        Team::neighbours == lanes::along_transform && After::neighbours == lanes::across_transforms;
    const auto fold = [](unsigned entry, unsigned transform) {
      constexpr unsigned bank_entries = Memory::bank_bytes / entry_bytes;
      return spreads ? entry ^ row_fold(transform, Shape::transforms, own_entries, bank_entries)
                     : entry;
    };
    const auto slot_written = [&](unsigned r) {
      const unsigned t = team.thread(), m = r % rounds * threads, q = r / rounds;
      if constexpr (splits(maximum(
                        slots::grain / radix,
                        prior))) {  // b and q P occupy different digits, with none in common
        return fold(slots::at(team.transform(), first_of(t), first_of(m) + q * prior),
                    team.transform());
      } else {
        return fold(slots::at(team.transform(), first_of(t + m), q * prior), team.transform());
      }
    };
    const auto slot_read = [&](unsigned r) {
      const unsigned t = after.thread(), m = r % taken_rounds * threads;
      const unsigned q = r / taken_rounds * plan.butterflies(next);
      if constexpr (splits(slots::grain)) {
        return fold(slots::at(after.transform(), t, m + q), after.transform());
      } else {
        return fold(slots::at(after.transform(), t + m, q), after.transform());
      }
    };
    const auto sends = [&](unsigned r) { return makes<Stage>(team.thread(), r % rounds); };
    const auto takes = [&](unsigned r) {
      return is_last || makes<next>(after.thread(), r % taken_rounds);
    };
    if constexpr (spreads) {  // barriers of `team` may be those of one transform
      exchange_some<Memory::trades, threads, rounds * radix, taken>(after, x, address, slot_written,
                                                                    slot_read, sends, takes);
    } else {
      exchange_some<Memory::trades, threads, rounds * radix, taken>(team, x, address, slot_written,
                                                                    slot_read, sends, takes);
    }
  }
};

}  // namespace wingbeat::device::workgroup
