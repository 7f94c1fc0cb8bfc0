// SPDX-License-Identifier: Apache-2.0
// The body of a pass whose butterflies are lines or planes that a cluster of workgroups transforms
// (one workgroup, if they fit): see cluster/fft.hpp. transform.hpp lists the members of a body.
#pragma once

#include "wingbeat/device/cluster/fft.hpp"   // fft, mirror
#include "wingbeat/device/complex.hpp"       // complex
#include "wingbeat/device/grid/numbers.hpp"  // pass_numbers
#include "wingbeat/device/port.hpp"          // WINGBEAT_FN, group

namespace wingbeat::device::bodies {

template <class Policy, class Group = group>
class cluster_transform {
  WINGBEAT_FN static constexpr grid::pass_numbers numbers() { return Policy::numbers(); }
  static constexpr bool combines = numbers().shape.source == grid::row::half_spectrum;
  static constexpr bool separates = numbers().shape.sink == grid::row::half_spectrum;

 public:
  using group_type = Group;
  using real = typename Policy::real;
  using complex_type = complex<real>;
  static constexpr unsigned elements_per_thread = numbers().shape.elements_per_thread;
  static constexpr unsigned e = elements_per_thread;
  static constexpr bool is_plane = numbers().shape.makes == grid::body::plane;
  static constexpr auto mirror = combines    ? cluster::mirror::columns
                                 : separates ? cluster::mirror::rows
                                             : cluster::mirror::none;
  using fft = cluster::fft<Policy, mirror, Group>;
  static constexpr unsigned workgroup_threads = fft::workgroup_threads;
  static constexpr unsigned scratch_bytes = numbers().shape.scratch_bytes();
  static constexpr bool has_exchanges = true;

  static_assert(scratch_bytes >= fft::scratch_bytes, "as tile_shape computes it");
  static_assert(!(combines || separates) || is_plane || numbers().shape.length == numbers().total,
                "bins of a long real transform meet in a workgroup's mirrored tiles");
  static_assert(!(combines || separates) ||
                    workgroup_threads * e * sizeof(complex_type) <= fft::shared_bytes,
                "opposite bins meet where elements arrive");

  WINGBEAT_FN cluster_transform(WINGBEAT_GLOBAL const complex_type* table,
                                WINGBEAT_LOCAL char* scratch, Group group)
      : fft_(table, scratch, group), table_(table), scratch_(scratch) {}

  WINGBEAT_FN const auto& team() const { return fft_.team(); }
  WINGBEAT_FN unsigned rank() const { return fft_.team().rank(); }
  WINGBEAT_FN unsigned part() const { return fft_.rank(); }
  WINGBEAT_FN WINGBEAT_GLOBAL const complex_type* roots() const { return table_; }
  WINGBEAT_FN WINGBEAT_LOCAL complex_type* entries() const {
    return reinterpret_cast<WINGBEAT_LOCAL complex_type*>(scratch_);
  }

  /// Numbers of elements: for a line input n1 B + n2 and output k1 + A k2; for a plane n2 and k2 of
  /// its rows.
  WINGBEAT_FN unsigned lane_in() const { return fft_.lane_in(); }
  WINGBEAT_FN unsigned number_in(unsigned r) const {
    return is_plane ? fft_.n2() : fft_.n1(r) * of_second + fft_.n2();
  }
  WINGBEAT_FN size offset_in(unsigned r) const {
    return fft_.n1(r) * in_first_stride + fft_.n2() * in_second_stride;
  }
  WINGBEAT_FN unsigned lane_out() const { return fft_.lane(); }
  WINGBEAT_FN unsigned number_out(unsigned r) const {
    return is_plane ? fft_.k2(r) : fft_.k1() + fft_.k2(r) * of_first;
  }
  WINGBEAT_FN size offset_out(unsigned r) const {
    return fft_.k1() * out_first_stride + fft_.k2(r) * out_second_stride;
  }

  /// The threads of this workgroup that store one lane, and this thread's number among them.
  static constexpr unsigned threads_of_lane = workgroup_threads / numbers().shape.lanes;
  WINGBEAT_FN unsigned thread_out() const { return fft_.thread_of_lane(); }

  WINGBEAT_FN void run(complex_type (&x)[e]) const { fft_.transform(x); }
  template <class Elements, class Pass>
  WINGBEAT_FN void run_tile(const Elements& tile, const Pass& pass, unsigned number,
                            size rows) const {
    complex_type x[e];
    pass.load(tile, x, number, rows);
    run(x);
    pass.store(tile, x);
  }

  // Opposite bins: a workgroup has columns n2 and -n2, or rows k1 and -k1.
  static constexpr bool reads_bin_behind_first = true;
  /// Pieces of long rows fill most sectors anyway. Planes of 32 x 32 reals went from 0.681 to 0.702
  /// of a copy's speed when their rows of 17 bins were stored whole, those of 64 x 64 from 0.679 to
  /// 0.660 (H200; bench/lessons/reals.md#planes-of-reals).
  static constexpr unsigned longest_stored_row = 16;
  static constexpr bool stores_whole_rows = is_plane && numbers().shape.workgroups == 1 &&
                                            numbers().shape.second <= longest_stored_row &&
                                            workgroup_threads > numbers().shape.second;
  WINGBEAT_FN unsigned entry_in(unsigned r) const { return fft_.entry_in(r); }
  WINGBEAT_FN unsigned entry_out(unsigned r) const { return fft_.entry_out(r); }
  WINGBEAT_FN size opposite_in(unsigned, unsigned r) const { return fft_.opposite_in(r); }
  WINGBEAT_FN size opposite_out(unsigned, unsigned r) const { return fft_.opposite_out(r); }
  /// Returns the entry of column k2 of row k1; for a plane in one workgroup.
  WINGBEAT_FN static unsigned entry_of_bin(unsigned lane, unsigned k1, unsigned k2) {
    return fft::entry_of_bin(lane, k1, k2);
  }
  WINGBEAT_FN bool has_first_in(unsigned) const {
    return fft_.n2() == 0 && (is_plane || fft_.n1(0) == 0);
  }
  WINGBEAT_FN bool has_first_out(unsigned) const {
    return fft_.k2(0) == 0 && (is_plane || fft_.k1() == 0);
  }
  /// Returns the place of the bin behind the others: one for an axis, one per row for a plane.
  WINGBEAT_FN size behind_in(unsigned r) const {
    constexpr size places = numbers().bins() * (is_plane ? numbers().in.stride : numbers().in.unit);
    return offset_in(r) + places;
  }
  WINGBEAT_FN size behind_out(unsigned r) const {
    constexpr size places =
        numbers().bins() * (is_plane ? numbers().out.stride : numbers().out.unit);
    return offset_out(r) + places;
  }

 private:
  static constexpr unsigned of_first = numbers().shape.first, of_second = numbers().shape.second;
  static constexpr size in_first_stride = numbers().in.first_stride,
                        in_second_stride = numbers().in.stride;
  static constexpr size out_first_stride = numbers().out.first_stride,
                        out_second_stride = numbers().out.stride;

  fft fft_;
  WINGBEAT_GLOBAL const complex_type* table_;
  WINGBEAT_LOCAL char* scratch_;
};

}  // namespace wingbeat::device::bodies
