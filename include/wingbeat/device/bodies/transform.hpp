// SPDX-License-Identifier: Apache-2.0
// The body of a pass whose butterflies are transforms of one workgroup.
//
// Every body that works on registers has
//   elements_per_thread, workgroup_threads
//   lane_in(), number_in(r), offset_in(r)     where element x[r] is before: in which lane, which
//                                             of the butterfly, how many places behind its first
//   lane_out(), number_out(r), offset_out(r)  and after
//   run(x)                                    transforms the registers of all threads; a body that
//                                             multiplies has run(x, filter)
//   rank(), part()                            this thread of its workgroup; this workgroup of its
//                                             cluster
//   roots()                                   the table of this pass
//   entries()                                 local memory, free before; after it behind a barrier
//   thread_out(), threads_of_lane             this thread of those that store one lane
// and, where bins of a real transform meet their opposites, what ends/mirrored.hpp says.
#pragma once

#include "wingbeat/device/bodies/lane_registers.hpp"  // lane_registers
#include "wingbeat/device/grid/numbers.hpp"           // pass_numbers
#include "wingbeat/device/index.hpp"                  // mirrored
#include "wingbeat/device/port.hpp"                   // WINGBEAT_FN, group
#include "wingbeat/device/workgroup/fft.hpp"          // fft

namespace wingbeat::device::bodies {

template <class Policy, class Group = group_in_rows>
class transform : public lane_registers<Policy, Group> {
  using base = lane_registers<Policy, Group>;
  static constexpr grid::pass_numbers as = Policy::numbers();
  static constexpr grid::tile_shape of = as.shape;

 public:
  using base::base;
  using base::e;
  using base::lanes;
  using base::length;
  using typename base::complex_type;
  using typename base::shape;
  using fft =
      workgroup::fft<shape, typename base::real, Policy::dir, of.bins, typename base::memory>;
  static constexpr bool has_exchanges = fft::exchanges > 0;

  WINGBEAT_FN void run(complex_type (&x)[e]) const {
    if constexpr (of.along_out) {
      fft::execute_between(this->team(), this->team_out(), x, this->scratch(), this->roots());
    } else {
      fft::execute(this->team(), x, this->scratch(), this->roots());
    }
  }

  // Opposite bins: half of the lanes are columns c of P, the others columns -c; see tile.hpp. They
  // lie a constant below that of r = 0.
  static constexpr bool is_plane = false, reads_bin_behind_first = false;
  WINGBEAT_FN unsigned entry_in(unsigned r) const {
    return this->number_in(r) * lanes + this->lane_in();
  }
  WINGBEAT_FN unsigned entry_out(unsigned r) const { return entry_in(r); }
  WINGBEAT_FN size opposite_in(unsigned column, unsigned r) const {
    return opposite<unsigned(as.in.step)>(column, r);
  }
  WINGBEAT_FN size opposite_out(unsigned column, unsigned r) const {
    return opposite<unsigned(as.prior)>(column, r);
  }
  WINGBEAT_FN bool has_first_in(unsigned column) const {
    return column == 0 && this->team().thread() == 0;
  }
  WINGBEAT_FN bool has_first_out(unsigned column) const { return has_first_in(column); }
  /// The bin behind the others of an axis.
  WINGBEAT_FN size behind_in(unsigned) const {
    constexpr size places = as.total * as.in.unit;
    return places;
  }
  WINGBEAT_FN size behind_out(unsigned) const {
    constexpr size places = as.total * as.out.unit;
    return places;
  }

 private:
  /// Entry of element -(c + q P) of the axis, opposite to what a thread holds as r, number q on a
  /// lane of a mirrored tile, which is column c of P.
  template <unsigned P>
  WINGBEAT_FN size opposite(unsigned column, unsigned r) const {
    const unsigned other = mirrored<P, lanes / 2>::opposite(column, this->lane_in());
    const unsigned top = length - (column == 0 ? 0 : 1) - this->team().thread();
    const unsigned first = (r == 0 ? top % length : top) * lanes + other;
    return size(first) - size(r) * shape::threads * lanes;
  }
};

}  // namespace wingbeat::device::bodies
