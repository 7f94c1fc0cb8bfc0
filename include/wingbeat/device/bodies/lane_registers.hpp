// SPDX-License-Identifier: Apache-2.0
// Which elements the registers of a workgroup's threads hold, of transforms of whole lanes: what
// bodies of one workgroup share.
#pragma once

#include "wingbeat/device/complex.hpp"           // complex
#include "wingbeat/device/grid/numbers.hpp"      // pass_numbers
#include "wingbeat/device/port.hpp"              // WINGBEAT_FN, group
#include "wingbeat/device/workgroup/memory.hpp"  // memory, scratch, reuse
#include "wingbeat/device/workgroup/team.hpp"    // team, lanes

namespace wingbeat::device::bodies {

/// transform.hpp says what a body has.
template <class Policy, class Group = group_in_rows>
class lane_registers {
  static constexpr grid::pass_numbers as = Policy::numbers();
  static constexpr grid::tile_shape of = as.shape;

 public:
  using group_type = Group;
  using real = typename Policy::real;
  using complex_type = complex<real>;
  static constexpr unsigned elements_per_thread = of.elements_per_thread;
  static constexpr unsigned e = elements_per_thread;
  static constexpr unsigned length = unsigned(of.length), lanes = of.lanes;
  using shape = workgroup::shape<length, e, lanes>;
  using memory =
      workgroup::memory<of.half_trade ? workgroup::trade::halves : workgroup::trade::whole,
                        of.bank_bytes>;
  static constexpr workgroup::lanes lanes_in =
      of.lanes_across ? workgroup::lanes::across_transforms : workgroup::lanes::along_transform;
  static constexpr workgroup::lanes lanes_out =
      of.along_out ? workgroup::lanes::along_transform : lanes_in;
  using team_type = workgroup::team<shape, lanes_in, Group>;
  using team_out_type = workgroup::team<shape, lanes_out, Group>;
  static constexpr unsigned workgroup_threads = shape::workgroup_threads;
  static constexpr unsigned scratch_bytes = of.scratch_bytes();

  static_assert(!(of.stage_in || of.stage_out) || !of.half_trade,
                "what is staged is exchanged whole");
  static_assert(!of.along_out || (of.lanes_across && !of.stage_out),
                "stores change lanes at an exchange or are staged");

  WINGBEAT_FN lane_registers(WINGBEAT_GLOBAL const complex_type* table,
                             WINGBEAT_LOCAL char* scratch, Group group)
      : team_(group), team_out_(group), table_(table), scratch_(scratch) {}

  WINGBEAT_FN const team_type& team() const { return team_; }
  WINGBEAT_FN unsigned rank() const { return team_.rank(); }
  WINGBEAT_FN unsigned part() const { return 0; }
  WINGBEAT_FN WINGBEAT_GLOBAL const complex_type* roots() const { return table_; }
  WINGBEAT_FN WINGBEAT_LOCAL complex_type* entries() const {
    return reinterpret_cast<WINGBEAT_LOCAL complex_type*>(scratch_);
  }

  WINGBEAT_FN unsigned lane_in() const { return team_.transform(); }
  WINGBEAT_FN unsigned number_in(unsigned r) const { return team_.thread() + r * shape::threads; }
  WINGBEAT_FN size offset_in(unsigned r) const { return size(number_in(r)) * in_stride; }
  WINGBEAT_FN unsigned lane_out() const { return team_out_.transform(); }
  WINGBEAT_FN unsigned number_out(unsigned r) const {
    return team_out_.thread() + r * shape::threads;
  }
  WINGBEAT_FN size offset_out(unsigned r) const { return size(number_out(r)) * out_stride; }

  /// The threads that store one lane, and this one's number among them.
  static constexpr unsigned threads_of_lane = shape::threads;
  WINGBEAT_FN unsigned thread_out() const { return team_out_.thread(); }

 protected:
  using scratch_type = workgroup::scratch<scratch_bytes, workgroup::reuse::after_barrier>;
  WINGBEAT_FN const team_out_type& team_out() const { return team_out_; }
  WINGBEAT_FN scratch_type scratch() const { return scratch_type{scratch_}; }

 private:
  static constexpr size in_stride = as.in.stride, out_stride = as.out.stride;

  team_type team_;
  team_out_type team_out_;
  WINGBEAT_GLOBAL const complex_type* table_;
  WINGBEAT_LOCAL char* scratch_;
};

}  // namespace wingbeat::device::bodies
