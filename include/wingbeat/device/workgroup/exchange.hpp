// SPDX-License-Identifier: Apache-2.0
// Threads of a workgroup trade their registers through local memory.
#pragma once

#include "wingbeat/device/complex.hpp"         // complex
#include "wingbeat/device/index.hpp"           // maximum
#include "wingbeat/device/port.hpp"            // WINGBEAT_FN, WINGBEAT_LOCAL
#include "wingbeat/device/workgroup/team.hpp"  // team

namespace wingbeat::device::workgroup {

/// What crosses local memory at once.
enum class trade {
  whole,  ///< Complex numbers: two barriers, full footprint.
  halves  ///< Real parts, then imaginary parts: four barriers, half the footprint.
};

/// Local memory as numbered slots.  Where memory has banks, one unused entry follows every
/// `pad_every` entries:   address(s) = s + s / pad_every,
/// so that what neighbours write `FirstRadix` apart, after the first stage, falls into different
/// banks. `BankBytes` = 0: no banks, no padding.
template <class Shape, class Real, trade Trade, unsigned BankBytes, unsigned FirstRadix>
struct scratch_layout {
  static constexpr unsigned entry_bytes = Trade == trade::whole ? 2 * sizeof(Real) : sizeof(Real);
  static constexpr unsigned slots = Shape::length * Shape::transforms;
  static constexpr unsigned pad_every = maximum(FirstRadix, BankBytes / entry_bytes);
  static constexpr unsigned entries = BankBytes == 0 ? slots : slots + slots / pad_every;
  static constexpr unsigned bytes = entries * entry_bytes;

  /// Returns the entry of slot base + offset. The offset is a constant after unrolling; where it
  /// is whole paddings it is added last, so that it folds into the access as an immediate.
  WINGBEAT_FN static constexpr unsigned address(unsigned base, unsigned offset = 0) {
    if constexpr (BankBytes == 0) {
      return base + offset;
    } else if (offset % pad_every == 0) {
      return base + base / pad_every + (offset + offset / pad_every);
    } else {
      return base + offset + (base + offset) / pad_every;
    }
  }
};

/// Puts x[r] at entry `to(r)`, then replaces it by what another thread put at entry `from(r)`.
/// Callers: every thread of the workgroup.  Memory: scratch, free on entry; the caller passes a
/// barrier before it touches scratch again.
template <trade Trade, class Team, class Real, unsigned E, class To, class From>
WINGBEAT_FN void exchange(const Team& team, complex<Real> (&x)[E], WINGBEAT_LOCAL char* scratch,
                          const To& to, const From& from) {
  if constexpr (Trade == trade::whole) {
    auto entry = reinterpret_cast<WINGBEAT_LOCAL complex<Real>*>(scratch);
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < E; ++r) entry[to(r)] = x[r];
    team.barrier();
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < E; ++r) x[r] = entry[from(r)];
  } else {
    auto entry = reinterpret_cast<WINGBEAT_LOCAL Real*>(scratch);
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < E; ++r) entry[to(r)] = x[r].re;
    team.barrier();
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < E; ++r) x[r].re = entry[from(r)];
    team.barrier();
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < E; ++r) entry[to(r)] = x[r].im;
    team.barrier();
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < E; ++r) x[r].im = entry[from(r)];
  }
}

}  // namespace wingbeat::device::workgroup
