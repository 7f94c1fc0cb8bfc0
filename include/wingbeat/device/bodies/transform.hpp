// SPDX-License-Identifier: Apache-2.0
// The body of a pass whose butterflies are transforms of one workgroup.
//
// Every body that works on registers has
//   elements_per_thread, workgroup_threads
//   lane_in(), number_in(r), offset_in(r)     the place of x[r] before: its lane, its number in the
//                                             butterfly, its distance from the first element
//   lane_out(), number_out(r), offset_out(r)  the same after
//   run(x)                                    transforms the registers of all threads; a body that
//                                             multiplies has run(x, filter)
//   run_tile(tile, pass, number, rows)        computes tile `number` by the steps of
//                                             the pass: load(tile, x, ..), run(x), store(tile, x)
//   rank(), part()                            this thread of its workgroup; this workgroup of its
//                                             cluster
//   roots()                                   the table of this pass
//   entries()                                 local memory, free before run and, after a barrier,
//                                             after it
//   thread_out(), threads_of_lane             this thread among those that store one lane
// and, if bins of a real transform meet their opposites, the members in ends/mirrored.hpp.
#pragma once

#include "wingbeat/device/complex.hpp"           // complex
#include "wingbeat/device/factors.hpp"           // least_factor
#include "wingbeat/device/grid/numbers.hpp"      // pass_numbers
#include "wingbeat/device/index.hpp"             // mirrored
#include "wingbeat/device/order.hpp"             // order
#include "wingbeat/device/port.hpp"              // WINGBEAT_FN, group
#include "wingbeat/device/thread/dft.hpp"        // dft_of_reals, dft_to_reals
#include "wingbeat/device/workgroup/fft.hpp"     // fft
#include "wingbeat/device/workgroup/memory.hpp"  // memory, scratch, reuse
#include "wingbeat/device/workgroup/team.hpp"    // team, lanes

namespace wingbeat::device::bodies {

template <class Policy, class Group = group_in_rows>
class transform {
  WINGBEAT_FN static constexpr grid::pass_numbers as() { return Policy::numbers(); }
  WINGBEAT_FN static constexpr grid::tile_shape of() { return as().shape; }

 public:
  using group_type = Group;
  using real = typename Policy::real;
  using complex_type = complex<real>;
  static constexpr unsigned elements_per_thread = of().elements_per_thread;
  static constexpr unsigned e = elements_per_thread;
  static constexpr unsigned length = unsigned(of().length), lanes = of().lanes;
  using shape = workgroup::shape<length, e, lanes>;
  using memory =
      workgroup::memory<of().half_trade ? workgroup::trade::halves : workgroup::trade::whole,
                        of().bank_bytes, of().pad()>;
  static constexpr workgroup::twiddling twiddles = of().twiddles;
  using fft = workgroup::fft<shape, real, Policy::dir, of().bins, memory, twiddles>;
  static constexpr workgroup::lanes lanes_in =
      of().lanes_across ? workgroup::lanes::across_transforms : workgroup::lanes::along_transform;
  static constexpr workgroup::lanes lanes_out =
      of().along_out ? workgroup::lanes::along_transform : lanes_in;
  using team_type = workgroup::team<shape, lanes_in, Group>;
  using team_out_type = workgroup::team<shape, lanes_out, Group>;
  static constexpr unsigned workgroup_threads = shape::workgroup_threads;
  static constexpr unsigned scratch_bytes = of().scratch_bytes();
  static constexpr bool has_exchanges = fft::exchanges > 0;
  static constexpr unsigned live = as().live_elements();  ///< Per thread; the others are zeros.
  /// Whether one thread transforms a whole axis of a prime number of elements.
  static constexpr bool is_prime_alone = as().total == e && live == e && e > 2 &&
                                         least_factor(e) == e&& as().factors_in == 0 &&
                                         as().factors_out == 0;

  static_assert(!(of().stage_in || of().stage_out) || !of().half_trade ||
                    of().makes == grid::body::real_row || of().as_prime().has_order(),
                "what is staged where elements are exchanged is exchanged whole");
  static_assert(!of().along_out || (of().lanes_across && !of().stage_out),
                "stores change lanes at an exchange or are staged");

  WINGBEAT_FN transform(WINGBEAT_GLOBAL const complex_type* table, WINGBEAT_LOCAL char* scratch,
                        Group group)
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
  WINGBEAT_FN size offset_out(unsigned r) const {
    constexpr size block = as().out.block, first = as().out.block_first;
    if constexpr (block == 0) {
      return size(number_out(r)) * out_stride;
    } else if constexpr (shape::threads % block == 0 && first % block == 0) {
      // All elements of a thread have the same place within their blocks.
      constexpr size blocks = shape::threads / block * as().out.block_stride;
      return as().out.blocked(team_out_.thread() + unsigned(first)) + r * blocks -
             first / block * as().out.block_stride;
    } else {
      return as().out.blocked(number_out(r));
    }
  }

  /// The threads that store one lane, and this thread's number among them.
  static constexpr unsigned threads_of_lane = shape::threads;
  WINGBEAT_FN unsigned thread_out() const { return team_out_.thread(); }

  WINGBEAT_FN void run(complex_type (&x)[e]) const {
    if constexpr (of().along_out) {
      fft::execute_between(team_, team_out_, x, scratch_type{scratch_}, table_);
    } else {
      fft::template execute_padded<live>(team_, x, scratch_type{scratch_}, table_);
    }
  }

  template <class Elements, class Pass>
  WINGBEAT_FN void run_tile(const Elements& tile, const Pass& pass, unsigned number,
                            size rows) const {
    complex_type x[e];
    if constexpr (as().n_turns > 0) {
      for (size turn = 0; turn < as().n_turns; ++turn) {
        pass.load_turn(tile, x, turn, tile.in(lane_in()));
        run(x);
        pass.store_turn(tile, x, turn);
        if constexpr (has_exchanges) team_.barrier();
      }
      return;
    }
    pass.load(tile, x, number, rows);
    if constexpr (is_prime_alone && Elements::reads_reals && Elements::last_written <= e / 2 + 1) {
      thread::dft_of_reals<Policy::dir>(x);
    } else if constexpr (is_prime_alone && Elements::writes_reals && as().in.is_hermitian) {
      thread::dft_to_reals<Policy::dir>(x);
    } else {
      run(x);
    }
    pass.store(tile, x);
  }

  // Opposite bins: half of the lanes are columns c of P, the others columns -c; see tile.hpp.
  // Opposites lie a constant below the opposite for r = 0.
  static constexpr bool is_plane = false, reads_bin_behind_first = false;
  static constexpr bool stores_whole_rows = false;
  WINGBEAT_FN unsigned entry_in(unsigned r) const { return number_in(r) * lanes + lane_in(); }
  WINGBEAT_FN unsigned entry_out(unsigned r) const { return entry_in(r); }
  WINGBEAT_FN size opposite_in(unsigned column, unsigned r) const {
    return opposite<unsigned(as().in.step)>(column, r);
  }
  WINGBEAT_FN size opposite_out(unsigned column, unsigned r) const {
    return opposite<unsigned(as().prior)>(column, r);
  }
  WINGBEAT_FN bool has_first_in(unsigned column) const {
    return column == 0 && team_.thread() == 0;
  }
  WINGBEAT_FN bool has_first_out(unsigned column) const { return has_first_in(column); }
  /// Returns the place of the bin behind the others of an axis.
  WINGBEAT_FN size behind_in(unsigned) const {
    constexpr size places = as().total * as().in.unit;
    return places;
  }
  WINGBEAT_FN size behind_out(unsigned) const {
    constexpr size places = as().total * as().out.unit;
    return places;
  }

 private:
  /// Returns the entry of element -(c + q P) of the axis. It is opposite to element r of a thread,
  /// which is number q in column c of P, on a lane of a mirrored tile.
  template <unsigned P>
  WINGBEAT_FN size opposite(unsigned column, unsigned r) const {
    const unsigned other = mirrored<P, lanes / 2>::opposite(column, lane_in());
    const unsigned top = length - (column == 0 ? 0 : 1) - team_.thread();
    const unsigned first = (r == 0 ? top % length : top) * lanes + other;
    return size(first) - size(r) * shape::threads * lanes;
  }

 protected:
  static constexpr size in_stride = as().in.stride, out_stride = as().out.stride;

  using scratch_type = workgroup::scratch<scratch_bytes, workgroup::reuse::after_barrier>;
  WINGBEAT_FN scratch_type scratch() const { return scratch_type{scratch_}; }

  team_type team_;
  team_out_type team_out_;
  WINGBEAT_GLOBAL const complex_type* table_;
  WINGBEAT_LOCAL char* scratch_;
};

}  // namespace wingbeat::device::bodies
