// SPDX-License-Identifier: Apache-2.0
// Sizes of rows of prime length, which are convolved in Rader's order: the local memory and the
// table entries of bodies/rader.hpp, halved_rader.hpp and real_rader.hpp.
#pragma once

#include "wingbeat/device/index.hpp"  // maximum
#include "wingbeat/device/port.hpp"   // WINGBEAT_FN, size

namespace wingbeat::device::workgroup {

/// How the p - 1 points in Rader's order are convolved.
enum class prime_order {
  none,    ///< The length is not prime.
  whole,   ///< All points, by the threads of the row.
  halves,  ///< Sums and differences of two points, by one thread each.
  reals    ///< The points are reals; two make a complex number.
};

struct prime_rows {
  prime_order order = prime_order::none;
  unsigned length = 1;  ///< Of the convolution; for halves, of both.
  unsigned elements_per_thread = 1, lanes = 1;
  unsigned element_bytes = 8;  ///< Bytes of a complex number.
  bool are_staged = false;
  unsigned padded_points = 0;  ///< p, if reals are convolved within more numbers; else 0.

  WINGBEAT_FN constexpr bool has_order() const { return order != prime_order::none; }
  WINGBEAT_FN constexpr unsigned points() const {
    if (padded_points > 0) return padded_points;
    return (order == prime_order::reals ? 2 : 1) * length + (has_order() ? 1 : 0);
  }
  /// Returns whether each transform runs in one thread's registers.
  WINGBEAT_FN constexpr bool are_in_threads() const {
    return order == prime_order::halves ||
           (order == prime_order::reals && length == elements_per_thread);
  }

  /// Returns the bytes of local memory that hold all rows in the order of memory.
  WINGBEAT_FN constexpr unsigned staged_bytes() const {
    const unsigned bytes = order == prime_order::reals ? element_bytes / 2 : element_bytes;
    return (points() * lanes * bytes + 15) / 16 * 16;
  }
  /// Returns the bytes in which `whole` rows are staged or exchanged; short rows have two such
  /// parts.
  WINGBEAT_FN constexpr unsigned part_bytes(unsigned exchange_bytes) const {
    return maximum((exchange_bytes + 15) / 16 * 16, are_staged ? staged_bytes() : 0u);
  }
  WINGBEAT_FN constexpr unsigned parts() const { return are_staged && length <= 512 ? 2 : 1; }
  /// Returns the bytes of local memory of a workgroup.
  WINGBEAT_FN constexpr unsigned bytes(unsigned exchange_bytes) const {
    if (order == prime_order::whole) return part_bytes(exchange_bytes) * parts();
    const unsigned met_bytes = length * lanes * element_bytes;
    return staged_bytes() + (order == prime_order::halves ? met_bytes : exchange_bytes);
  }

  /// Returns the table entries of the order of points, and of the filter.
  WINGBEAT_FN constexpr size order_entries() const { return points() - 1; }
  WINGBEAT_FN constexpr size filter_entries() const {
    return (order == prime_order::reals ? 2 : 1) * size(length);
  }
};

}  // namespace wingbeat::device::workgroup
