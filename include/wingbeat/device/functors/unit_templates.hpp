// SPDX-License-Identifier: Apache-2.0
// Templates without their means and divided by their norms, and tables of their sums: bodies of
// three kernels, which are launched one after another.
#pragma once

#include "wingbeat/device/port.hpp"  // WINGBEAT_FN, WINGBEAT_GLOBAL, WINGBEAT_LOCAL, maths, size

namespace wingbeat::device::functors {

/// Templates of Real, and sums of Sum.  // [template][height][width]
template <class Real, class Sum>
struct unit_templates {
  size height = 1, width = 1;
  unsigned n_threads = 1;  ///< Of a workgroup.

  /// Makes one template (t - mean) / sqrt(sum of (t - mean)^2), zeros of a constant one. Elements
  /// are taken relative to the first, and what rounding left in the sum of the differences from the
  /// mean is taken out of the mean, so that a small contrast on a large offset keeps its accuracy
  /// where sums are floats, too.
  /// Callers: all threads of a workgroup for each template.  Memory: a Sum for each thread.
  template <class Group>
  WINGBEAT_FN void scale(Group group, WINGBEAT_GLOBAL const Real* in, WINGBEAT_GLOBAL Real* out,
                         unsigned, WINGBEAT_LOCAL char* scratch) const {
    const auto parts = reinterpret_cast<WINGBEAT_LOCAL Sum*>(scratch);
    const size n = height * width;
    in += group.index() * n;
    out += group.index() * n;
    const Sum first = in[0];
    Sum shifted = 0;
    for (size i = group.thread(); i < n; i += n_threads) shifted += Sum(in[i]) - first;
    const Sum mean = total(group, parts, shifted) / Sum(n);
    Sum rest = 0, squares = 0;
    for (size i = group.thread(); i < n; i += n_threads) {
      const Sum difference = Sum(in[i]) - first - mean;
      rest += difference;
      squares += difference * difference;
    }
    const Sum correction = total(group, parts, rest) / Sum(n);
    const Sum variation = total(group, parts, squares) - Sum(n) * correction * correction;
    const Sum inverse = variation <= 0 ? Sum(0) : 1 / maths::square_root(variation);
    for (size i = group.thread(); i < n; i += n_threads) {
      out[i] = Real((Sum(in[i]) - first - mean - correction) * inverse);
    }
  }

  /// Sums elements to the left, of one row of a table for each thread; row 0 is that above the
  /// template's first.  rim: [template][height + 1][width + 1]
  template <class Group>
  WINGBEAT_FN void sum_rows(Group group, WINGBEAT_GLOBAL const Real* in, WINGBEAT_GLOBAL Real* rim,
                            unsigned count, WINGBEAT_LOCAL char*) const {
    const size row = group.index() * n_threads + group.thread();
    const size number = row / (height + 1), y = row % (height + 1);
    if (number >= count) return;
    rim += row * (width + 1);
    Sum left = 0;
    rim[0] = 0;
    for (size x = 0; x < width; ++x) {
      if (y > 0) left += Sum(in[(number * height + y - 1) * width + x]);
      rim[x + 1] = Real(left);
    }
  }

  /// Sums the rows of a table downwards, one column for each thread.
  template <class Group>
  WINGBEAT_FN void sum_columns(Group group, WINGBEAT_GLOBAL Real* rim, unsigned count,
                               WINGBEAT_LOCAL char*) const {
    const size column = group.index() * n_threads + group.thread();
    const size number = column / (width + 1), x = column % (width + 1);
    if (number >= count) return;
    rim += number * (height + 1) * (width + 1) + x;
    Sum above = 0;
    for (size y = 0; y <= height; ++y) {
      above += Sum(rim[y * (width + 1)]);
      rim[y * (width + 1)] = Real(above);
    }
  }

 private:
  /// Returns the sum over all threads of the workgroup.
  template <class Group>
  WINGBEAT_FN Sum total(Group group, WINGBEAT_LOCAL Sum* parts, Sum part) const {
    const unsigned thread = group.thread();
    group.barrier();
    parts[thread] = part;
    for (unsigned reach = n_threads / 2; reach > 0; reach /= 2) {
      group.barrier();
      if (thread < reach) parts[thread] += parts[thread + reach];
    }
    group.barrier();
    return parts[0];
  }
};

}  // namespace wingbeat::device::functors
