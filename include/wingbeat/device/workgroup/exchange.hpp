// SPDX-License-Identifier: Apache-2.0
// Threads of a workgroup trade their registers through local memory.
#pragma once

#include "wingbeat/device/complex.hpp"             // complex
#include "wingbeat/device/index.hpp"               // maximum, minimum, is_power_of_two
#include "wingbeat/device/port.hpp"                // WINGBEAT_FN, WINGBEAT_LOCAL
#include "wingbeat/device/workgroup/memory.hpp"    // trade
#include "wingbeat/device/workgroup/schedule.hpp"  // schedule

namespace wingbeat::device::workgroup {

/// Bytes of an entry, which an exchange moves at a time: a number, or a part of it.
template <class Real, class Memory>
inline constexpr unsigned entry_bytes_of = (Memory::trades == trade::whole ? 2u : 1u) *
                                           unsigned(sizeof(Real));

/// Local memory as numbered slots. If memory has banks, `pad` unused entries follow every
/// `pad_every()` entries,
///     address(s) = s + s / pad_every * pad,
/// so that runs of `pad` slots, `apart` apart, fall into different banks. Neighbours write such
/// slots after a Stockham stage, or read them in a window of `apart` registers. In place,
/// neighbours also touch adjacent slots; if `apart` is below the banks' width, digits are folded
/// instead:
///     address(s) = s ^ (s / apart mod entries of all banks).
/// `bank_bytes` = 0: no banks, address(s) = s.
struct slot_layout {
  unsigned slots, entry_bytes, bank_bytes, apart;
  bool is_in_place;
  unsigned pad = 1;
  unsigned every = 0;  ///< `pad_every()` if not 0.

  WINGBEAT_FN constexpr unsigned bank_entries() const { return bank_bytes / entry_bytes; }
  WINGBEAT_FN constexpr bool is_folded() const {
    return is_in_place && bank_bytes != 0 && apart < bank_entries();
  }
  WINGBEAT_FN constexpr unsigned pad_every() const {
    return every != 0 ? every : maximum(apart, bank_entries());
  }
  WINGBEAT_FN constexpr unsigned entries() const {
    return bank_bytes == 0 || is_folded() ? slots : slots + slots / pad_every() * pad;
  }
  WINGBEAT_FN constexpr unsigned bytes() const { return entries() * entry_bytes; }
};

/// Returns the layout for threads in sequence that deliver a stage of radix R after prior length P.
/// They write runs of P slots, S = P R apart; the next stage reads `next` numbers, S apart. W is
/// the number of entries in all banks: runs of W and more need no padding. Powers of two: see
/// slot_layout. Otherwise
/// P > 1    S + pad = P mod W, behind each S: the slots that W neighbours write are in W banks.
/// P = 1    an odd S needs none. An even one, of g = gcd(S, W), meets W/g banks, each after
///          S W/g slots: one entry behind those lets the next ones meet others. That needs `next`
///          to be a multiple of W/g, so that all inputs of a butterfly lie a constant apart. Where
///          it is not, g = 2 is left as it is, and one entry follows each S of a larger g.
WINGBEAT_FN constexpr slot_layout delivered(unsigned slots, unsigned entry_bytes,
                                            unsigned bank_bytes, unsigned radix, unsigned prior,
                                            unsigned next = 1) {
  const unsigned apart = radix * prior;
  const bool is_narrow = prior * entry_bytes < bank_bytes;
  slot_layout lies{slots, entry_bytes, bank_bytes, apart, false, is_narrow ? prior : 0u};
  if (is_power_of_two(slots) || !is_narrow) return lies;
  const unsigned banks = lies.bank_entries(), common = minimum(apart & (0u - apart), banks);
  lies.every = apart;
  if (prior > 1) {
    lies.pad = (prior + banks * radix - apart % banks) % banks;
  } else if (common == 1) {
    lies.pad = 0;
  } else if (next % (banks / common) == 0) {
    lies.every = apart * (banks / common);
  } else if (common == 2) {
    lies.pad = 0;
  }
  return lies;
}

/// Returns that layout for the exchange after stage `stage` of a schedule. `transforms` is their
/// number if threads are in sequence across transforms, otherwise 1.
WINGBEAT_FN constexpr slot_layout delivered_after(schedule plan, unsigned stage,
                                                  unsigned transforms, unsigned entry_bytes,
                                                  unsigned bank_bytes) {
  const unsigned prior = plan.place_value(stage), radix = plan.radix(stage);
  const unsigned slots = plan.length * transforms;
  if (stage + 1 == plan.count()) {  // neighbours write and read neighbouring slots
    return {slots, entry_bytes, bank_bytes, slots, false, 0};
  }
  const unsigned next = plan.butterflies(stage + 1) / (prior * radix);
  return delivered(slots, entry_bytes, bank_bytes, radix, prior * transforms, next);
}

/// Returns the layout of `transforms` consecutive transforms whose elements keep their positions,
/// in windows of `held`. Powers of two: see slot_layout. Otherwise, if `held` is even and windows
/// begin at multiples of it, one unused entry follows each window, so that threads which read
/// `held` apart use different banks.
WINGBEAT_FN constexpr slot_layout kept_in_place(schedule plan, unsigned transforms,
                                                unsigned entry_bytes, unsigned bank_bytes) {
  const unsigned held = plan.held(), slots = plan.length * transforms;
  if (is_power_of_two(plan.length)) return {slots, entry_bytes, bank_bytes, held, true};
  bool is_padded = held % 2 == 0 && bank_bytes > 0;
  for (unsigned s = 0; s < plan.count(); ++s) {
    const unsigned place = plan.place_value(s);
    is_padded = is_padded && (place == 1 || place % held == 0);
  }
  return {slots, entry_bytes, bank_bytes, held, false, is_padded ? 1u : 0u, held};
}

/// Returns the entries from one row of `count` to the next if `threads` in sequence read each row,
/// so that runs of several rows fall into different banks. For a power of two of threads the pitch
/// is an odd multiple of it; otherwise it is `threads` modulo the banks.
WINGBEAT_FN constexpr unsigned row_pitch(unsigned count, unsigned threads, unsigned bank_entries) {
  if (!is_power_of_two(threads) && bank_entries > 0) {
    return count + (threads + bank_entries * threads - count % bank_entries) % bank_entries;
  }
  return threads >= bank_entries ? count : (((count + threads - 1) / threads) | 1u) * threads;
}

/// Returns the exclusive-or mask for the entries of one transform's row, so that threads which read
/// the same slot of neighbouring rows use different banks. Rows that begin in different banks need
/// no change.
WINGBEAT_FN constexpr unsigned row_fold(unsigned transform, unsigned transforms, unsigned pitch,
                                        unsigned bank_entries) {
  if (bank_entries == 0 || pitch % bank_entries != 0) return 0;
  const unsigned rows = minimum(transforms, bank_entries);
  return transform % rows * (bank_entries / rows);
}

/// Returns the entries for all exchanges of a transform in natural order with threads in sequence.
/// Neighbouring transforms, which may not wait for each other at a barrier, have entries of their
/// own.
WINGBEAT_FN constexpr unsigned delivered_entries(schedule plan, unsigned entry_bytes,
                                                 unsigned bank_bytes) {
  unsigned most = plan.length;
  for (unsigned s = 0; s + 1 < plan.count(); ++s) {
    most = maximum(most, delivered_after(plan, s, 1, entry_bytes, bank_bytes).entries());
  }
  return row_pitch(most, plan.threads(), bank_bytes / entry_bytes);
}

/// Returns the bytes of several transforms, for either order of lanes.
WINGBEAT_FN constexpr unsigned delivered_bytes(schedule plan, unsigned transforms,
                                               unsigned entry_bytes, unsigned bank_bytes) {
  const unsigned radix = plan.count() == 0 ? 1u : plan.radix(0);
  unsigned most =
      maximum(slot_layout{plan.length * transforms, entry_bytes, bank_bytes, radix, false}.bytes(),
              delivered_entries(plan, entry_bytes, bank_bytes) * transforms * entry_bytes);
  const bool has_powers_of_two = is_power_of_two(plan.length * transforms);
  for (unsigned s = 0; !has_powers_of_two && s + 1 < plan.count(); ++s) {
    most = maximum(most, delivered_after(plan, s, transforms, entry_bytes, bank_bytes).bytes());
  }
  return most;
}

/// Returns the entry of a slot where `Pad` unused entries follow every `Every` slots.
template <unsigned Every, unsigned Pad>
WINGBEAT_FN constexpr unsigned padded(unsigned slot) {
  if constexpr (Pad == 0) return slot;
  return slot + slot / Every * Pad;
}

/// Addresses of slots, for Memory's banks and the entries of Real that it trades.
template <class Shape, class Real, class Memory, unsigned Apart, bool IsInPlace, unsigned Pad = 1,
          unsigned Every = 0>
struct slot_addresses {
  static constexpr unsigned entry_bytes = entry_bytes_of<Real, Memory>;
  static constexpr slot_layout layout{Shape::length * Shape::transforms,
                                      entry_bytes,
                                      Memory::bank_bytes,
                                      Apart,
                                      IsInPlace,
                                      Pad,
                                      Every};
  static constexpr unsigned bytes = layout.bytes();

  /// Returns the entry of slot base + offset. Requires that their remainders by `pad_every()` add
  /// up to less than it, or, in folded layouts, that they share no binary digit. A constant offset
  /// then stays constant and folds into the access as an immediate.
  WINGBEAT_FN static constexpr unsigned address(unsigned base, unsigned offset = 0) {
    constexpr unsigned pad = layout.pad_every();
    if constexpr (Memory::bank_bytes == 0 || Pad == 0) {
      return base + offset;
    } else if constexpr (layout.is_folded()) {
      return folded(base) ^ folded(offset);
    } else {
      return padded<pad, Pad>(base) + padded<pad, Pad>(offset);
    }
  }

 private:
  WINGBEAT_FN static constexpr unsigned folded(unsigned s) {
    constexpr unsigned banks = layout.bank_entries();
    static_assert(is_power_of_two(banks) && is_power_of_two(Apart), "folding exchanges bits");
    return s ^ s / Apart % banks;
  }
};

/// Selects every register for an exchange.
struct every_register {
  WINGBEAT_FN constexpr bool operator()(unsigned) const { return true; }
};

/// Puts x[r] at entry `to(r)`, r < `Sent`, then replaces x[r], r < `Taken`, by the number that
/// another thread put at entry `from(r)`. `sends(r)` and `takes(r)`, conditions of the thread,
/// select the registers.
/// Callers: every thread of the team.  Memory: scratch; the caller ensures that no thread still
/// reads the entries written here.  `Span`: neighbouring threads that trade with each other.
template <trade Trade, unsigned Span, unsigned Sent, unsigned Taken, class Team, class Real,
          unsigned E, class To, class From, class Sends, class Takes>
WINGBEAT_FN void exchange_some(const Team& team, complex<Real> (&x)[E],
                               WINGBEAT_LOCAL char* scratch, const To& to, const From& from,
                               const Sends& sends, const Takes& takes) {
  static_assert(Sent <= E && Taken <= E, "registers are exchanged that do not exist");
  if constexpr (Trade == trade::whole) {
    auto entry = reinterpret_cast<WINGBEAT_LOCAL complex<Real>*>(scratch);
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < Sent; ++r) {
      if (sends(r)) copy_to(entry + to(r), x[r]);
    }
    team.template barrier_among<Span>();
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < Taken; ++r) {
      if (takes(r)) x[r] = copied_from(entry + from(r));
    }
  } else {
    auto entry = reinterpret_cast<WINGBEAT_LOCAL Real*>(scratch);
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < Sent; ++r) {
      if (sends(r)) entry[to(r)] = x[r].re;
    }
    team.template barrier_among<Span>();
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < Taken; ++r) {
      if (takes(r)) x[r].re = entry[from(r)];
    }
    team.template barrier_among<Span>();
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < Sent; ++r) {
      if (sends(r)) entry[to(r)] = x[r].im;
    }
    team.template barrier_among<Span>();
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < Taken; ++r) {
      if (takes(r)) x[r].im = entry[from(r)];
    }
  }
}

/// Exchanges all registers: each thread sends as many as it takes.
template <trade Trade, unsigned Span, class Team, class Real, unsigned E, class To, class From>
WINGBEAT_FN void exchange(const Team& team, complex<Real> (&x)[E], WINGBEAT_LOCAL char* scratch,
                          const To& to, const From& from) {
  exchange_some<Trade, Span, E, E>(team, x, scratch, to, from, every_register{}, every_register{});
}

/// Puts sent(r) at entry `to(r)`, r < E, then calls take(r, z) for one r after another with the
/// number that another thread of the workgroup put at entry `from(r)`, so that z needs no registers
/// of its own.
/// Callers: every thread of the workgroup.  Memory: as above.
template <unsigned E, class Team, class Complex, class Sent, class To, class From, class Take>
WINGBEAT_FN void exchange_each(const Team& team, WINGBEAT_LOCAL Complex* entries, const Sent& sent,
                               const To& to, const From& from, const Take& take) {
  WINGBEAT_UNROLL
  for (unsigned r = 0; r < E; ++r) copy_to(entries + to(r), sent(r));
  team.workgroup_barrier();
  WINGBEAT_UNROLL
  for (unsigned r = 0; r < E; ++r) take(r, copied_from(entries + from(r)));
}

}  // namespace wingbeat::device::workgroup
