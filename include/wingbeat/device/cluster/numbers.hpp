// SPDX-License-Identifier: Apache-2.0
// The sizes of a cluster's transform, see fft.hpp. Usable as constants in a kernel and at run time
// by the host that plans it.
#pragma once

#include "wingbeat/device/index.hpp"               // maximum
#include "wingbeat/device/order.hpp"               // order
#include "wingbeat/device/port.hpp"                // WINGBEAT_FN, size
#include "wingbeat/device/twiddle.hpp"             // root_tables, rows
#include "wingbeat/device/workgroup/exchange.hpp"  // delivered_bytes, row_pitch
#include "wingbeat/device/workgroup/schedule.hpp"  // schedule, twiddling

namespace wingbeat::device::cluster {

/// What the two steps compute together.
enum class kind {
  line,  ///< One axis of A B points.
  plane  ///< Two axes: A rows of B points, bins [k1][k2].
};

/// A transform of A B points by C workgroups, `lanes` of them at once.
struct numbers {
  kind makes;
  unsigned first, second;        ///< A and B.
  unsigned elements_per_thread;  ///< Per thread, of one column, then of one row.
  unsigned workgroups, lanes;
  bool is_across, is_across_out;       ///< Lanes are adjacent when loaded; when stored.
  unsigned element_bytes, bank_bytes;  ///< Bytes of a complex number, and of all banks.
  bool half_trade;                     ///< Workgroups exchange real parts, then imaginary parts.
  workgroup::twiddling twiddles;       ///< In both steps.

  WINGBEAT_FN constexpr unsigned columns() const { return second / workgroups; }  ///< n2, each.
  WINGBEAT_FN constexpr unsigned rows() const { return first / workgroups; }      ///< k1, each.

  WINGBEAT_FN constexpr workgroup::schedule stages(unsigned length) const {
    return {order::natural, length, elements_per_thread, twiddles};
  }

  // The table: roots of both steps, then roots of the twiddles between them.
  WINGBEAT_FN constexpr unsigned second_roots_at() const {
    return first == second ? 0 : stage_roots(first);
  }
  WINGBEAT_FN constexpr unsigned twiddles_at() const {
    return second_roots_at() + stage_roots(second);
  }
  WINGBEAT_FN constexpr unsigned twiddle_rows() const {
    return twiddle::rows(elements_per_thread) * second;
  }
  WINGBEAT_FN constexpr unsigned table_entries() const {
    if (makes == kind::plane) return twiddles_at();
    return twiddles_at() + twiddle_rows() +
           static_cast<unsigned>(twiddle::root_tables{size(first) * second}.entries());
  }

  // Numbers from other workgroups arrive row by row, padded as threads read them; or, if columns
  // lie side by side, position by position, so that neighbours stay neighbours.
  WINGBEAT_FN constexpr bool is_by_position() const { return is_across && lanes > 1; }
  /// Returns the entries from lane 0 of a row to lane 0 of the next, padded if neighbouring threads
  /// take neighbouring rows.
  WINGBEAT_FN constexpr unsigned row_apart() const { return lanes + (is_across_out ? 0u : 1u); }
  WINGBEAT_FN constexpr unsigned pitch() const {
    if (is_by_position()) return rows() * row_apart() + (is_across_out ? lanes : 0u);
    if (makes == kind::line) return second + 1;
    return workgroup::row_pitch(second, second / elements_per_thread, bank_bytes / element_bytes);
  }
  WINGBEAT_FN constexpr unsigned arrived_bytes() const {
    return (is_by_position() ? second : rows() * lanes) * pitch() * element_bytes;
  }
  /// Returns the bytes of local memory for the exchanges of both steps.
  WINGBEAT_FN constexpr unsigned steps_bytes() const {
    return maximum(exchange_bytes(first, columns() * lanes),
                   exchange_bytes(second, rows() * lanes));
  }
  WINGBEAT_FN constexpr unsigned shared_bytes() const {
    return maximum(steps_bytes(), arrived_bytes());
  }
  /// Returns the offset of the barrier that counts the bytes from other workgroups.
  WINGBEAT_FN constexpr unsigned arrivals_at() const { return (shared_bytes() + 15) / 16 * 16; }
  WINGBEAT_FN constexpr unsigned scratch_bytes() const {
    return workgroups == 1 ? shared_bytes() : arrivals_at() + 16;
  }

 private:
  WINGBEAT_FN constexpr unsigned stage_roots(unsigned length) const {
    return stages(length).table_entries();
  }
  WINGBEAT_FN constexpr unsigned exchange_bytes(unsigned length, unsigned transforms) const {
    if (length <= elements_per_thread) return 0;
    return workgroup::delivered_bytes(stages(length), transforms,
                                      element_bytes / (half_trade ? 2 : 1), bank_bytes);
  }
};

}  // namespace wingbeat::device::cluster
