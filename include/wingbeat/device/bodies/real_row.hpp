// SPDX-License-Identifier: Apache-2.0
// The body of a pass whose butterflies are whole rows of reals that become bins, or the other way:
// both bins of a mirror pair at once, by one workgroup (workgroup/real.hpp).
#pragma once

#include "wingbeat/device/complex.hpp"           // complex
#include "wingbeat/device/grid/numbers.hpp"      // pass_numbers
#include "wingbeat/device/port.hpp"              // WINGBEAT_FN, group
#include "wingbeat/device/workgroup/memory.hpp"  // memory, scratch, reuse
#include "wingbeat/device/workgroup/real.hpp"    // real_fft
#include "wingbeat/device/workgroup/team.hpp"    // team, lanes

namespace wingbeat::device::bodies {

/// Elements come from load(i) and go to store(i, z), one at a time; what is staged lies behind what
/// the transform exchanges.
template <class Policy, class Group = group_in_rows>
class real_row {
  static constexpr grid::pass_numbers as = Policy::numbers();
  static constexpr grid::tile_shape of = as.shape;

 public:
  using group_type = Group;
  using real = typename Policy::real;
  using complex_type = complex<real>;
  static constexpr unsigned length = unsigned(of.length), lanes = of.lanes;
  using shape = workgroup::shape<length, of.elements_per_thread, lanes>;
  using memory =
      workgroup::memory<of.half_trade ? workgroup::trade::halves : workgroup::trade::whole,
                        of.bank_bytes>;
  using fft = workgroup::real_fft<shape, real, Policy::dir, workgroup::spectrum::unpacked, memory>;
  using team_type = workgroup::team<shape,
                                    of.lanes_across ? workgroup::lanes::across_transforms
                                                    : workgroup::lanes::along_transform,
                                    Group>;
  static constexpr unsigned workgroup_threads = shape::workgroup_threads;
  static constexpr unsigned scratch_bytes = of.scratch_bytes();

  WINGBEAT_FN real_row(WINGBEAT_GLOBAL const complex_type* table, WINGBEAT_LOCAL char* scratch,
                       Group group)
      : team_(group), table_(table), scratch_(scratch) {}

  WINGBEAT_FN const team_type& team() const { return team_; }
  WINGBEAT_FN unsigned rank() const { return team_.rank(); }
  WINGBEAT_FN unsigned part() const { return 0; }
  WINGBEAT_FN unsigned lane() const { return team_.transform(); }

  /// The threads that store one lane, and this one's number among them.
  static constexpr unsigned threads_of_lane = shape::threads;
  WINGBEAT_FN unsigned lane_out() const { return lane(); }
  WINGBEAT_FN unsigned thread_out() const { return team_.thread(); }
  WINGBEAT_FN WINGBEAT_LOCAL complex_type* entries() const {
    return reinterpret_cast<WINGBEAT_LOCAL complex_type*>(scratch_);
  }

  /// Where staged elements lie, `pitch_in()` (`pitch_out()`) entries from row to row.
  WINGBEAT_FN WINGBEAT_LOCAL complex_type* arrived() const {
    return reinterpret_cast<WINGBEAT_LOCAL complex_type*>(scratch_) + staged_at;
  }
  WINGBEAT_FN WINGBEAT_LOCAL complex_type* leaving() const { return arrived() + arriving; }

  template <class Load, class Store>
  WINGBEAT_FN void run(const Load& load, const Store& store) const {
    constexpr unsigned live = as.live_elements();
    fft::template execute_padded<live>(team_, load, store, scratch_type{scratch_}, table_);
  }

 private:
  using scratch_type = workgroup::scratch<scratch_bytes, workgroup::reuse::after_barrier>;
  static constexpr unsigned staged_at = of.exchange_bytes() / of.element_bytes;
  static constexpr unsigned arriving = of.stage_in ? of.pitch_in() * lanes : 0u;

  team_type team_;
  WINGBEAT_GLOBAL const complex_type* table_;
  WINGBEAT_LOCAL char* scratch_;
};

}  // namespace wingbeat::device::bodies
