// SPDX-License-Identifier: Apache-2.0
// Threads of a workgroup trade their registers through local memory.
#pragma once

#include "wingbeat/device/complex.hpp"           // complex
#include "wingbeat/device/index.hpp"             // maximum, log2_of
#include "wingbeat/device/port.hpp"              // WINGBEAT_FN, WINGBEAT_LOCAL
#include "wingbeat/device/workgroup/memory.hpp"  // trade

namespace wingbeat::device::workgroup {

/// Local memory as numbered slots. Where memory has banks, one unused entry follows every
/// `pad_every()` entries,
///     address(s) = s + s / pad_every,
/// so that slots `apart` apart fall into different banks: what neighbours write after a Stockham
/// stage of that radix, or read in a window of that many registers. In place, where neighbours
/// also touch slots side by side and `apart` is below the banks' width, digits are folded instead:
///     address(s) = s ^ (s / apart mod entries of all banks).
/// `bank_bytes` = 0: no banks, address(s) = s.
struct slot_layout {
  unsigned slots, entry_bytes, bank_bytes, apart;
  bool is_in_place;

  WINGBEAT_FN constexpr unsigned bank_entries() const { return bank_bytes / entry_bytes; }
  WINGBEAT_FN constexpr bool is_folded() const {
    return is_in_place && bank_bytes != 0 && apart < bank_entries();
  }
  WINGBEAT_FN constexpr unsigned pad_every() const { return maximum(apart, bank_entries()); }
  WINGBEAT_FN constexpr unsigned entries() const {
    return bank_bytes == 0 || is_folded() ? slots : slots + slots / pad_every();
  }
  WINGBEAT_FN constexpr unsigned bytes() const { return entries() * entry_bytes; }
};

/// Addresses of slots, for Memory's banks and the entries of Real that its trade moves.
template <class Shape, class Real, class Memory, unsigned Apart, bool IsInPlace>
struct slot_addresses {
  static constexpr unsigned entry_bytes =
      (Memory::trades == trade::whole ? 2u : 1u) * unsigned(sizeof(Real));
  static constexpr slot_layout as{Shape::length * Shape::transforms, entry_bytes,
                                  Memory::bank_bytes, Apart, IsInPlace};
  static constexpr unsigned bytes = as.bytes();

  /// Returns the entry of slot base + offset. The offset is a constant after unrolling, and stays
  /// one, which folds into the access as an immediate, where it is whole paddings or, in place,
  /// shares no digit with the base.
  WINGBEAT_FN static constexpr unsigned address(unsigned base, unsigned offset = 0) {
    constexpr unsigned pad = as.pad_every();
    if constexpr (Memory::bank_bytes == 0) {
      return base + offset;
    } else if constexpr (as.is_folded()) {
      return folded(base) ^ folded(offset);
    } else if (IsInPlace || offset % pad == 0) {
      return base + base / pad + (offset + offset / pad);
    } else {
      return base + offset + (base + offset) / pad;
    }
  }

 private:
  WINGBEAT_FN static constexpr unsigned folded(unsigned s) {
    constexpr unsigned mask = as.bank_entries() == 0 ? 0 : as.bank_entries() - 1;
    return s ^ ((s / Apart) & mask);
  }
};

/// Puts x[r] at entry `to(r)`, then replaces it by what another thread put at entry `from(r)`.
/// Callers: every thread of the team.  Memory: scratch; the caller sees to it that nobody still
/// reads the entries written here.  `Span`: neighbouring threads that trade with each other.
template <trade Trade, unsigned Span, class Team, class Real, unsigned E, class To, class From>
WINGBEAT_FN void exchange(const Team& team, complex<Real> (&x)[E], WINGBEAT_LOCAL char* scratch,
                          const To& to, const From& from) {
  if constexpr (Trade == trade::whole) {
    auto entry = reinterpret_cast<WINGBEAT_LOCAL complex<Real>*>(scratch);
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < E; ++r) copy_to(entry + to(r), x[r]);
    team.template barrier_among<Span>();
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < E; ++r) x[r] = copied_from(entry + from(r));
  } else {
    auto entry = reinterpret_cast<WINGBEAT_LOCAL Real*>(scratch);
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < E; ++r) entry[to(r)] = x[r].re;
    team.template barrier_among<Span>();
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < E; ++r) x[r].re = entry[from(r)];
    team.template barrier_among<Span>();
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < E; ++r) entry[to(r)] = x[r].im;
    team.template barrier_among<Span>();
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < E; ++r) x[r].im = entry[from(r)];
  }
}

/// Puts what(r) at entry `to(r)`, r < E, then calls take(r, z) with what another thread of the
/// workgroup put at entry `from(r)`, one after another: z needs no registers of its own.
/// Callers: every thread of the workgroup.  Memory: as above.
template <unsigned E, class Team, class Complex, class What, class To, class From, class Take>
WINGBEAT_FN void show(const Team& team, WINGBEAT_LOCAL Complex* entries, const What& what,
                      const To& to, const From& from, const Take& take) {
  WINGBEAT_UNROLL
  for (unsigned r = 0; r < E; ++r) copy_to(entries + to(r), what(r));
  team.workgroup_barrier();
  WINGBEAT_UNROLL
  for (unsigned r = 0; r < E; ++r) take(r, copied_from(entries + from(r)));
}

}  // namespace wingbeat::device::workgroup
