// SPDX-License-Identifier: Apache-2.0
// Copies a box of elements from one memory to another, each with its own strides: a kernel's body.
#pragma once

#include "wingbeat/device/port.hpp"  // WINGBEAT_FN, WINGBEAT_GLOBAL, WINGBEAT_UNROLL, size

namespace wingbeat::device::functors {

/// Elements consist of adjacent units of 1, 2, 4 or 8 bytes, which are the last axis, or a part of
/// it. There are no initial values, because parameters of kernels may not have them.
struct box_copy {
  static constexpr unsigned max_axes = 7, last = max_axes - 1;

  size count[max_axes];         ///< Units along each axis, slowest first; 1 for unused axes.
  size read_stride[max_axes];   ///< Strides in units of the memory that is read,
  size write_stride[max_axes];  ///< and of the memory that is written.
  size parts;                   ///< Parts of a row along the last axis,
  size part_count;              ///< and units per part; the last part may have fewer.
  unsigned part_threads;        ///< Threads that copy a part: a power of two.

  /// Returns the number of parts in all rows.
  WINGBEAT_FN constexpr size all_parts() const {
    size product = parts;
    for (unsigned axis = 0; axis < last; ++axis) product *= count[axis];
    return product;
  }

  /// Copies the parts of one workgroup.  Callers: all threads.
  template <class Group, class Unit>
  WINGBEAT_FN void copy(Group group, WINGBEAT_GLOBAL const Unit* in, WINGBEAT_GLOBAL Unit* out,
                        unsigned n_threads) const {
    const size number = group.index() * (n_threads / part_threads) + group.thread() / part_threads;
    if (number >= all_parts()) return;
    size row = number / parts;
    const size begin = number % parts * part_count;
    WINGBEAT_UNROLL
    for (unsigned i = 0; i < last; ++i) {
      const unsigned axis = last - 1 - i;
      if (count[axis] == 1) continue;  // divisions are slow
      const size index = row % count[axis];
      row /= count[axis];
      in += index * read_stride[axis];
      out += index * write_stride[axis];
    }
    const size end = begin + part_count < count[last] ? begin + part_count : count[last];
    for (size i = begin + group.thread() % part_threads; i < end; i += part_threads) {
      out[i * write_stride[last]] = in[i * read_stride[last]];
    }
  }
};

}  // namespace wingbeat::device::functors
