// SPDX-License-Identifier: Apache-2.0
// Subtracts the means of templates and divides by their norms, and makes tables of their sums:
// bodies of kernels that are launched one after another.
#pragma once

#include "wingbeat/device/port.hpp"  // WINGBEAT_FN, WINGBEAT_GLOBAL, WINGBEAT_LOCAL, maths, size

namespace wingbeat::device::functors {

/// Templates of Real, and sums of Sum.  // [template][height][width]
template <class Real, class Sum>
struct unit_templates {
  size height = 1, width = 1;
  unsigned n_threads = 1;  ///< Threads of a workgroup.
  size n_parts = 1;        ///< Parts of each template; a workgroup takes one.

  // The next three functions, one after another, make a template (t - mean) / sqrt(sum of
  // (t - mean)^2), and zeros of a constant one. Elements are taken relative to the first, and the
  // rounding error in the sum of the differences from the mean corrects the mean, so that a small
  // contrast on a large offset keeps its accuracy even if sums are floats.
  // Callers: all threads of a workgroup for each part.  Memory: a Sum for each thread.
  // sums: [template][3][part], of differences from the first element; of differences from the mean,
  // and of their squares.

  template <class Group>
  WINGBEAT_FN void sum(Group group, WINGBEAT_GLOBAL const Real* in, WINGBEAT_GLOBAL Sum* sums, size,
                       WINGBEAT_LOCAL char* scratch) const {
    const part_of_template<Group> part{*this, group, in, sums, scratch};
    Sum shifted = 0;
    part.each([&](size i) { shifted += part.difference(i); });
    part.put(0, shifted);
  }
  template <class Group>
  WINGBEAT_FN void vary(Group group, WINGBEAT_GLOBAL const Real* in, WINGBEAT_GLOBAL Sum* sums,
                        size, WINGBEAT_LOCAL char* scratch) const {
    const part_of_template<Group> part{*this, group, in, sums, scratch};
    const Sum mean = part.total(0) / Sum(height * width);
    Sum rest = 0, squares = 0;
    part.each([&](size i) {
      const Sum difference = part.difference(i) - mean;
      rest += difference;
      squares += difference * difference;
    });
    part.put(1, rest);
    part.put(2, squares);
  }
  template <class Group>
  WINGBEAT_FN void scale(Group group, WINGBEAT_GLOBAL const Real* in, WINGBEAT_GLOBAL Sum* sums,
                         WINGBEAT_GLOBAL Real* out, size, WINGBEAT_LOCAL char* scratch) const {
    const part_of_template<Group> part{*this, group, in, sums, scratch};
    const Sum n = Sum(height * width);
    const Sum mean = part.total(0) / n, correction = part.total(1) / n;
    const Sum variation = part.total(2) - n * correction * correction;
    const Sum inverse = variation <= 0 ? Sum(0) : 1 / maths::square_root(variation);
    out += part.first();
    part.each([&](size i) { out[i] = Real((part.difference(i) - mean - correction) * inverse); });
  }

  /// Sums the elements to the left, one table row per thread; row 0 is above the template's first
  /// row. rim: [template][height + 1][width + 1]
  template <class Group>
  WINGBEAT_FN void sum_rows(Group group, WINGBEAT_GLOBAL const Real* in, WINGBEAT_GLOBAL Real* rim,
                            size count, WINGBEAT_LOCAL char*) const {
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

  /// Sums the rows of a table downwards, one column per thread.
  template <class Group>
  WINGBEAT_FN void sum_columns(Group group, WINGBEAT_GLOBAL Real* rim, size count,
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
  /// The part of a template that a workgroup takes.
  template <class Group>
  class part_of_template {
   public:
    WINGBEAT_FN part_of_template(const unit_templates& units, Group group,
                                 WINGBEAT_GLOBAL const Real* in, WINGBEAT_GLOBAL Sum* sums,
                                 WINGBEAT_LOCAL char* scratch)
        : units_(units),
          group_(group),
          number_(group.index() / units.n_parts),
          part_(group.index() % units.n_parts),
          in_(in + first()),
          sums_(sums + number_ * 3 * units.n_parts),
          scratch_(reinterpret_cast<WINGBEAT_LOCAL Sum*>(scratch)) {}

    /// Returns the offset of the template.
    WINGBEAT_FN size first() const { return number_ * units_.height * units_.width; }
    template <class Visit>
    WINGBEAT_FN void each(const Visit& visit) const {
      const size n = units_.height * units_.width, threads = units_.n_threads;
      for (size i = part_ * threads + group_.thread(); i < n; i += units_.n_parts * threads) {
        visit(i);
      }
    }
    WINGBEAT_FN Sum difference(size i) const { return Sum(in_[i]) - Sum(in_[0]); }

    /// Stores the sum over all threads as this part's sum of a kind.
    WINGBEAT_FN void put(unsigned kind, Sum of_thread) const {
      const Sum whole = over_threads(of_thread);
      if (group_.thread() == 0) sums_[kind * units_.n_parts + part_] = whole;
    }
    /// Returns the sum over all parts.
    WINGBEAT_FN Sum total(unsigned kind) const {
      Sum of_thread = 0;
      for (size i = group_.thread(); i < units_.n_parts; i += units_.n_threads) {
        of_thread += sums_[kind * units_.n_parts + i];
      }
      return over_threads(of_thread);
    }

   private:
    WINGBEAT_FN Sum over_threads(Sum of_thread) const {
      const unsigned thread = group_.thread();
      group_.barrier();
      scratch_[thread] = of_thread;
      for (unsigned reach = units_.n_threads / 2; reach > 0; reach /= 2) {
        group_.barrier();
        if (thread < reach) scratch_[thread] += scratch_[thread + reach];
      }
      group_.barrier();
      return scratch_[0];
    }

    const unit_templates& units_;
    Group group_;
    size number_, part_;
    WINGBEAT_GLOBAL const Real* in_;
    WINGBEAT_GLOBAL Sum* sums_;
    WINGBEAT_LOCAL Sum* scratch_;
  };
};

}  // namespace wingbeat::device::functors
