// SPDX-License-Identifier: Apache-2.0
// What a pass makes in each workgroup, and what that takes of local memory and of the table.
#pragma once

#include "wingbeat/device/grid/access.hpp"         // row
#include "wingbeat/device/grid/turn.hpp"           // turn_of
#include "wingbeat/device/index.hpp"               // maximum
#include "wingbeat/device/order.hpp"               // order
#include "wingbeat/device/port.hpp"                // size
#include "wingbeat/device/workgroup/exchange.hpp"  // row_pitch
#include "wingbeat/device/workgroup/fft.hpp"       // fft
#include "wingbeat/device/workgroup/memory.hpp"    // memory, trade
#include "wingbeat/device/workgroup/real.hpp"      // real_fft
#include "wingbeat/device/workgroup/team.hpp"      // shape

namespace wingbeat::device::grid {

/// A workgroup's transform, and the local memory and roots it takes. Whole real rows are made as
/// pairs of bins; long ones meet their mirror images in a mirrored tile.
template <class Policy>
struct step_of {
  using real = typename Policy::real;
  static constexpr workgroup::trade trade =
      Policy::half_trade ? workgroup::trade::halves : workgroup::trade::whole;
  using memory = workgroup::memory<trade, Policy::bank_bytes>;
  using shape = workgroup::shape<Policy::length, Policy::elements_per_thread, Policy::lanes>;
  using fft = workgroup::fft<shape, real, Policy::dir, order::natural, memory>;
  using real_fft =
      workgroup::real_fft<shape, real, Policy::dir, workgroup::spectrum::unpacked, memory>;
  static constexpr bool is_of_bins =
      Policy::source == row::half_spectrum || Policy::sink == row::half_spectrum;
  static constexpr bool is_real_row = is_of_bins && !Policy::mirrored;

  // The table: roots of the workgroup's stages, of the pass, of the real transform.
  static constexpr size pass_roots_at = is_real_row ? real_fft::table_entries : fft::table_entries;
  static constexpr size real_roots_at = pass_roots_at + turn_of<Policy, Policy::length>::entries;

  /// Elements of one butterfly as they are staged on each side, and of a real row the entries to
  /// those of the next.
  static constexpr unsigned staged_in =
      Policy::length + (Policy::source == row::half_spectrum && is_real_row ? 1 : 0);
  static constexpr unsigned staged_out =
      Policy::length + (Policy::sink == row::half_spectrum && is_real_row ? 1 : 0);
  static constexpr unsigned element_bytes = 2 * sizeof(real);
  static constexpr unsigned bank_entries = Policy::bank_bytes / element_bytes;
  static constexpr unsigned pitch_in =
      workgroup::row_pitch(staged_in, shape::threads, bank_entries);
  static constexpr unsigned pitch_out =
      workgroup::row_pitch(staged_out, shape::threads, bank_entries);
  static constexpr unsigned staged_elements = (Policy::stage_in ? pitch_in * Policy::lanes : 0u) +
                                              (Policy::stage_out ? pitch_out * Policy::lanes : 0u);
  static constexpr unsigned transform_bytes =
      is_real_row ? real_fft::scratch_bytes
                  : (staged_elements > 0 ? maximum(fft::layout::bytes, fft::scratch_bytes)
                                         : fft::scratch_bytes);
  /// Where mirrored bins meet, one entry for each.
  static constexpr unsigned meeting_bytes =
      is_of_bins && !is_real_row ? Policy::length * Policy::lanes * element_bytes : 0u;
  static constexpr unsigned scratch_bytes = is_real_row
                                                ? transform_bytes + staged_elements * element_bytes
                                                : maximum(transform_bytes, meeting_bytes);
};

}  // namespace wingbeat::device::grid
