// SPDX-License-Identifier: Apache-2.0
// Common parts of bodies that compute each transform, of any number of elements, in the registers
// of one thread. bodies/transform.hpp describes the members.
#pragma once

#include "wingbeat/device/complex.hpp"         // complex
#include "wingbeat/device/grid/numbers.hpp"    // pass_numbers
#include "wingbeat/device/port.hpp"            // WINGBEAT_FN, group
#include "wingbeat/device/workgroup/team.hpp"  // lanes, shape, team

namespace wingbeat::device::bodies {

/// A thread has one row, or two threads have half a row each.
template <class Policy, class Group = group_in_rows>
class thread_rows {
  WINGBEAT_FN static constexpr grid::pass_numbers numbers() { return Policy::numbers(); }
  WINGBEAT_FN static constexpr grid::tile_shape row_shape() { return numbers().shape; }

 public:
  using group_type = Group;
  using real = typename Policy::real;
  using complex_type = complex<real>;
  static constexpr unsigned elements_per_thread = row_shape().elements_per_thread;
  static constexpr unsigned e = elements_per_thread;
  static constexpr unsigned lanes = row_shape().lanes, workgroup_threads = row_shape().threads();
  static constexpr unsigned scratch_bytes = row_shape().scratch_bytes();
  static constexpr unsigned threads_of_row = workgroup_threads / lanes;
  static_assert(row_shape().as_prime().are_in_threads() && threads_of_row <= 2,
                "a row has one thread or two");
  /// Only describes threads: a row of one element, or of two elements per thread.
  using shape = workgroup::shape<threads_of_row == 1 ? 1 : 4, threads_of_row, lanes>;
  using team_type = workgroup::team<shape,
                                    row_shape().lanes_across ? workgroup::lanes::across_transforms
                                                             : workgroup::lanes::along_transform,
                                    Group>;
  struct fft {
    static constexpr unsigned exchanges = 0, scratch_bytes = 0, table_entries = 0;
  };

  WINGBEAT_FN thread_rows(WINGBEAT_GLOBAL const complex_type* table, WINGBEAT_LOCAL char* scratch,
                          Group group)
      : team_(group), table_(table), scratch_(scratch) {}

  WINGBEAT_FN const team_type& team() const { return team_; }
  WINGBEAT_FN unsigned rank() const { return team_.rank(); }
  WINGBEAT_FN unsigned part() const { return 0; }
  WINGBEAT_FN WINGBEAT_GLOBAL const complex_type* roots() const { return table_; }
  WINGBEAT_FN WINGBEAT_LOCAL complex_type* entries() const {
    return reinterpret_cast<WINGBEAT_LOCAL complex_type*>(scratch_);
  }
  WINGBEAT_FN unsigned lane_in() const { return team_.transform(); }
  WINGBEAT_FN unsigned number_in(unsigned r) const { return team_.thread() * e + r; }
  static constexpr bool stores_whole_rows = false;

 protected:
  static constexpr size in_stride = numbers().in.stride, out_stride = numbers().out.stride;

  team_type team_;
  WINGBEAT_GLOBAL const complex_type* table_;
  WINGBEAT_LOCAL char* scratch_;
};

}  // namespace wingbeat::device::bodies
