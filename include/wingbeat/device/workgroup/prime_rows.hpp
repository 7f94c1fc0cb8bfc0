// SPDX-License-Identifier: Apache-2.0
// Rows of a prime as a convolution in Rader's order, as numbers: what bodies/rader.hpp,
// halved_rader.hpp and real_rader.hpp keep in local memory and read from the table.
#pragma once

#include "wingbeat/device/index.hpp"  // maximum
#include "wingbeat/device/port.hpp"   // WINGBEAT_FN, size

namespace wingbeat::device::workgroup {

/// What becomes of the p - 1 points in their order.
enum class prime_order {
  none,    ///< The row is of no prime.
  whole,   ///< All are convolved by the row's threads.
  halves,  ///< Sums and differences of two are, by a thread each.
  reals    ///< They are reals, two of which are a complex number.
};

struct prime_rows {
  prime_order order = prime_order::none;
  unsigned length = 1;  ///< Of a convolution, but of halves of both together.
  unsigned elements_per_thread = 1, lanes = 1;
  unsigned element_bytes = 8;  ///< Of a complex number.
  bool are_staged = false;
  unsigned padded_points = 0;  ///< Of reals that are convolved within more numbers; 0: they fit.

  WINGBEAT_FN constexpr bool has_order() const { return order != prime_order::none; }
  WINGBEAT_FN constexpr unsigned points() const {
    if (padded_points > 0) return padded_points;
    return (order == prime_order::reals ? 2 : 1) * length + (has_order() ? 1 : 0);
  }
  /// Returns whether each transform is made in one thread's registers.
  WINGBEAT_FN constexpr bool are_in_threads() const {
    return order == prime_order::halves ||
           (order == prime_order::reals && length == elements_per_thread);
  }

  /// Returns the local memory in which all rows are, in the order of memory.
  WINGBEAT_FN constexpr unsigned staged_bytes() const {
    const unsigned bytes = order == prime_order::reals ? element_bytes / 2 : element_bytes;
    return (points() * lanes * bytes + 15) / 16 * 16;
  }
  /// Returns that in which whole ones are staged or exchanged; short rows have two such parts.
  WINGBEAT_FN constexpr unsigned part_bytes(unsigned exchange_bytes) const {
    return maximum((exchange_bytes + 15) / 16 * 16, are_staged ? staged_bytes() : 0u);
  }
  WINGBEAT_FN constexpr unsigned parts() const { return are_staged && length <= 512 ? 2 : 1; }
  /// Returns the local memory of a workgroup.
  WINGBEAT_FN constexpr unsigned bytes(unsigned exchange_bytes) const {
    if (order == prime_order::whole) return part_bytes(exchange_bytes) * parts();
    const unsigned met_bytes = length * lanes * element_bytes;
    return staged_bytes() + (order == prime_order::halves ? met_bytes : exchange_bytes);
  }

  /// Returns the entries of the table that say in which order points are taken, and of the filter.
  WINGBEAT_FN constexpr size order_entries() const { return points() - 1; }
  WINGBEAT_FN constexpr size filter_entries() const {
    return (order == prime_order::reals ? 2 : 1) * size(length);
  }
};

}  // namespace wingbeat::device::workgroup
