// SPDX-License-Identifier: Apache-2.0
// The body of a pass whose rows are convolved by a cluster of workgroups: forward, times a
// spectrum, inverse, in registers. The inverse of a line of A B points takes the bins
//     k = k1 + A k2,  k1 < A, k2 < B
// where threads have them, because it is a line of B A points, n' = k2 A + k1: the columns of its
// first step are the rows of the last step before. So each half exchanges elements between
// workgroups once, and none are exchanged between the halves.
#pragma once

#include "wingbeat/device/bodies/convolve.hpp"  // multiplied
#include "wingbeat/device/cluster/fft.hpp"      // fft, mirror
#include "wingbeat/device/complex.hpp"          // complex
#include "wingbeat/device/direction.hpp"        // direction
#include "wingbeat/device/grid/numbers.hpp"     // pass_numbers
#include "wingbeat/device/port.hpp"             // WINGBEAT_FN, group

namespace wingbeat::device::bodies {

/// The policies of the two halves.
template <class Policy>
struct line_forward : Policy {
  static constexpr direction dir = direction::forward;
};
template <class Policy>
struct line_back {
  using real = typename Policy::real;
  static constexpr direction dir = direction::inverse;
  WINGBEAT_FN static constexpr grid::pass_numbers numbers() {
    grid::pass_numbers back = Policy::numbers();
    back.shape.first = Policy::numbers().shape.second;
    back.shape.second = Policy::numbers().shape.first;
    return back;
  }
};

template <class Policy, class Group = group>
class cluster_convolve {
  static constexpr grid::pass_numbers numbers = Policy::numbers();
  static constexpr grid::tile_shape row_shape = numbers.shape;

 public:
  using group_type = Group;
  using real = typename Policy::real;
  using complex_type = complex<real>;
  static constexpr unsigned elements_per_thread = row_shape.elements_per_thread;
  static constexpr unsigned e = elements_per_thread;
  static constexpr unsigned arrivals_at = row_shape.arrivals_at();
  using forward = cluster::fft<line_forward<Policy>, cluster::mirror::none, Group, arrivals_at>;
  using back = cluster::fft<line_back<Policy>, cluster::mirror::none, Group, arrivals_at + 16>;
  static constexpr unsigned workgroup_threads = forward::workgroup_threads;
  static constexpr unsigned scratch_bytes = row_shape.scratch_bytes();
  static constexpr bool has_exchanges = true, stores_whole_rows = false;

  static_assert(!row_shape.lanes_across, "rows lie one behind another");
  static_assert(arrivals_at >= forward::shared_bytes && arrivals_at >= back::shared_bytes,
                "what is counted lies behind what arrives");

  WINGBEAT_FN cluster_convolve(WINGBEAT_GLOBAL const complex_type* table,
                               WINGBEAT_LOCAL char* scratch, Group group)
      : forward_(table, scratch, group),
        back_(table + forward::table_entries, scratch, group),
        table_(table) {}

  WINGBEAT_FN const auto& team() const { return back_.team(); }
  WINGBEAT_FN unsigned rank() const { return forward_.team().rank(); }
  WINGBEAT_FN unsigned part() const { return forward_.rank(); }
  WINGBEAT_FN WINGBEAT_GLOBAL const complex_type* roots() const { return table_; }

  WINGBEAT_FN unsigned lane_in() const { return forward_.lane_in(); }
  WINGBEAT_FN unsigned number_in(unsigned r) const {
    constexpr unsigned b = row_shape.second;
    return forward_.n1(r) * b + forward_.n2();
  }
  WINGBEAT_FN size offset_in(unsigned r) const {
    constexpr size n1_stride = numbers.in.first_stride, n2_stride = numbers.in.stride;
    constexpr size b = row_shape.second;
    if constexpr (n1_stride == b * n2_stride) return size(number_in(r)) * n2_stride;
    return forward_.n1(r) * n1_stride + forward_.n2() * n2_stride;
  }
  /// Which bin x[r] is between the halves, of which lane.
  WINGBEAT_FN unsigned lane_of_bins() const { return forward_.lane(); }
  WINGBEAT_FN unsigned bin(unsigned r) const {
    constexpr unsigned a = row_shape.first;
    return forward_.k1() + forward_.k2(r) * a;
  }
  WINGBEAT_FN unsigned lane_out() const { return back_.lane(); }
  WINGBEAT_FN unsigned number_out(unsigned r) const {
    constexpr unsigned b = row_shape.second;
    return back_.k1() + back_.k2(r) * b;
  }
  WINGBEAT_FN size offset_out(unsigned r) const {
    constexpr size n2_stride = numbers.out.first_stride, n1_stride = numbers.out.stride;
    constexpr size b = row_shape.second;
    if constexpr (n1_stride == b * n2_stride) return size(number_out(r)) * n2_stride;
    return back_.k1() * n2_stride + back_.k2(r) * n1_stride;
  }

  static constexpr unsigned threads_of_lane = workgroup_threads / row_shape.lanes;
  WINGBEAT_FN unsigned thread_out() const { return back_.thread_of_lane(); }

  /// Transforms the registers of all threads, multiplies x[r] by filter(r), and transforms back.
  template <class Filter>
  WINGBEAT_FN void run(complex_type (&x)[e], const Filter& filter) const {
    forward_.transform(x);
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < e; ++r) x[r] = multiplied<row_shape.times>(x[r], filter(r));
    // The second half writes where others of this workgroup have read.
    forward_.team().workgroup_barrier();
    back_.transform(x);
  }

  template <class Elements, class Pass>
  WINGBEAT_FN void run_tile(const Elements& tile, const Pass& pass, unsigned number,
                            size rows) const {
    complex_type x[e];
    pass.load(tile, x, number, rows);
    const unsigned lane = lane_of_bins();
    const bool inside = tile.has(lane);
    const size first = tile.filter(lane);
    run(x, [&](unsigned r) {
      complex_type factor{real(0), real(0)};
      if (inside) factor = pass.filter().get(first + bin(r), 0);
      return factor;
    });
    pass.store(tile, x);
  }

 private:
  forward forward_;
  back back_;
  WINGBEAT_GLOBAL const complex_type* table_;
};

}  // namespace wingbeat::device::bodies
