// SPDX-License-Identifier: Apache-2.0
// The body of a pass whose butterflies are rows of reals: one workgroup transforms them to bins,
// which the load end changes, and back to reals. Bins go through local memory, because one thread
// computes, and one takes, both bins of a mirror pair.
#pragma once

#include "wingbeat/device/bodies/real_row.hpp"  // real_row
#include "wingbeat/device/complex.hpp"          // copy_to, copied_from
#include "wingbeat/device/direction.hpp"        // direction
#include "wingbeat/device/grid/numbers.hpp"     // pass_numbers
#include "wingbeat/device/port.hpp"             // WINGBEAT_FN, WINGBEAT_LOCAL, group
#include "wingbeat/device/workgroup/real.hpp"   // real_fft

namespace wingbeat::device::bodies {

/// The load end has changed(offset, k, bin): see ends/functor_contract.hpp.
template <class Policy, class Group = group_in_rows>
class diagonal_row : public real_row<Policy, Group> {
  using base = real_row<Policy, Group>;
  WINGBEAT_FN static constexpr grid::pass_numbers numbers() { return Policy::numbers(); }
  static constexpr unsigned bins_of_row = unsigned(numbers().shape.length) + 1;

 public:
  using base::base;
  using typename base::complex_type;
  using typename base::fft;
  using typename base::real;
  using inverse_fft = workgroup::real_fft<typename base::shape, real, direction::inverse,
                                          workgroup::spectrum::unpacked, typename base::memory>;
  static_assert(!numbers().shape.stage_in && !numbers().shape.stage_out,
                "elements are loaded and stored by functors, one by one");

  template <class Elements, class Pass>
  WINGBEAT_FN void run_tile(const Elements& tile, const Pass& pass, unsigned number,
                            size rows) const {
    pass.prefetch(number, rows);
    const unsigned lane = this->lane_in();
    const bool inside = tile.has(lane);
    const size in = tile.in(lane), out = tile.out(lane);
    WINGBEAT_LOCAL complex_type* const bins = this->arrived() + lane * bins_of_row;
    const auto load = [&](unsigned i) {
      complex_type z{real(0), real(0)};
      if (inside) z = tile.read(in + size(i) * base::in_stride, tile.index_in(lane, i));
      return z;
    };
    const auto change = [&](unsigned k, complex_type bin) {
      if (inside) copy_to(bins + k, tile.source().changed(in, k, bin));
    };
    fft::template execute_padded<base::live>(this->team_, load, change, this->scratch(),
                                             this->table_);
    this->team_.workgroup_barrier();
    const auto changed = [&](unsigned k) {
      complex_type bin{real(0), real(0)};
      if (inside) bin = copied_from(bins + k);
      return bin;
    };
    const auto store = [&](unsigned i, complex_type z) {
      if (inside) {
        tile.write(out + size(i) * base::out_stride, tile.index_out(lane, i), Pass::scaled(z));
      }
    };
    inverse_fft::execute(this->team_, changed, store, this->scratch(), this->table_);
  }
};

}  // namespace wingbeat::device::bodies
