// SPDX-License-Identifier: Apache-2.0
// The transform of a cluster of workgroups, which write to each other's local memory: N = A B.
//     n = n1 B + n2,  k = k1 + A k2:
//     Y[k1][n2] = sum over n1 of x[n1][n2] w_A^(n1 k1)             A points, within a workgroup
//     X[k1][k2] = sum over n2 of Y[k1][n2] w_N^(n2 k1) w_B^(n2 k2)  B points, within a workgroup
// Each of C workgroups computes B/C of the first and A/C of the second sums; all of Y moves once
// between. Without the twiddles w_N^(n2 k1) it is the transform of a plane of A rows and B columns.
#pragma once

#include "wingbeat/device/cluster/numbers.hpp"   // kind, numbers
#include "wingbeat/device/complex.hpp"           // complex
#include "wingbeat/device/index.hpp"             // mirrored
#include "wingbeat/device/port.hpp"              // WINGBEAT_FN, WINGBEAT_GLOBAL, WINGBEAT_LOCAL
#include "wingbeat/device/twiddle.hpp"           // roots, apply
#include "wingbeat/device/workgroup/fft.hpp"     // fft
#include "wingbeat/device/workgroup/memory.hpp"  // memory, scratch
#include "wingbeat/device/workgroup/team.hpp"    // team, lanes

namespace wingbeat::device::cluster {

/// All columns of a workgroup, or all its rows: a `workgroup::shape` for any number of transforms.
template <unsigned Length, unsigned ElementsPerThread, unsigned Transforms>
struct step_shape : workgroup::shape<Length, ElementsPerThread> {
  static constexpr unsigned transforms = Transforms;
  static constexpr unsigned workgroup_threads = Length / ElementsPerThread * Transforms;
};

/// The items that each workgroup handles with their mirror images, because opposite bins of a real
/// transform meet.
enum class mirror {
  none,
  columns,  ///< Columns n2 and -n2 of the input.
  rows      ///< Rows k1 and -k1 of the output.
};

/// The N/C of N items that each of C workgroups takes: a block; or half a block and its mirror
/// images, where item N/2 replaces the image of item 0, which is item 0 itself.
template <unsigned N, unsigned C, bool IsMirrored>
struct blocks {
  static constexpr unsigned each = N / C, paired = IsMirrored ? each / 2 : 1;
  static_assert(!IsMirrored || each % 2 == 0, "items and their mirror images come in pairs");

  /// Returns item u of workgroup `rank`.
  WINGBEAT_FN static unsigned item(unsigned rank, unsigned u) {
    return IsMirrored ? mirrored<N, paired>::item(rank * paired, u) : rank * each + u;
  }
  /// The inverse, if mirrored: the workgroup that takes item k, and the item's number u there.
  WINGBEAT_FN static unsigned rank_of(unsigned k) {
    return (2 * k < N ? k : 2 * k == N ? 0 : N - k) / paired;
  }
  WINGBEAT_FN static unsigned place_of(unsigned k) {
    if (2 * k < N) return k % paired;
    return paired + (2 * k == N ? 0 : (N - k) % paired);
  }
  /// Returns the number of the mirror image of item k, whose number is u.
  WINGBEAT_FN static unsigned opposite(unsigned k, unsigned u) {
    return mirrored<N, paired>::opposite(k, u);
  }
};

/// Policy: the policy of a pass (grid/pass.hpp), whose shape gives `numbers`. Columns of the lanes
/// lie side by side if `is_across`, otherwise one behind another; bins likewise if `is_across_out`.
template <class Policy, mirror Mirror = mirror::none, class Group = group>
class fft {
  static constexpr numbers sizes = Policy::numbers().shape.as_cluster();

 public:
  using real = typename Policy::real;
  using complex_type = complex<real>;
  static constexpr unsigned a = sizes.first, b = sizes.second, c = sizes.workgroups;
  static constexpr unsigned e = sizes.elements_per_thread, lanes = sizes.lanes;
  static constexpr unsigned columns = sizes.columns(), rows = sizes.rows();
  static constexpr unsigned workgroup_threads = a * columns * lanes / e;
  static constexpr bool is_line = sizes.makes == kind::line;
  static constexpr bool is_across = sizes.is_across, is_across_out = sizes.is_across_out;
  static_assert(a % e == 0 && b % e == 0, "a thread's elements lie in one column, then in one row");
  static_assert(a % c == 0 && b % c == 0,
                "each workgroup of a cluster takes as many columns, and as many rows");
  static_assert(sizes.element_bytes == sizeof(complex_type), "elements are complex numbers");

  using memory =
      workgroup::memory<sizes.half_trade ? workgroup::trade::halves : workgroup::trade::whole,
                        sizes.bank_bytes>;
  using first_shape = step_shape<a, e, columns * lanes>;
  using second_shape = step_shape<b, e, rows * lanes>;
  template <class Shape>
  using step_fft = workgroup::fft<Shape, real, Policy::dir, order::natural, memory, sizes.twiddles>;
  using first_fft = step_fft<first_shape>;
  using second_fft = step_fft<second_shape>;
  using first_team = workgroup::team<first_shape, workgroup::lanes::across_transforms, Group>;
  /// Neighbouring threads store neighbouring bins; in a line these belong to neighbouring rows.
  using second_team = workgroup::team<
      second_shape,
      is_line ? workgroup::lanes::across_transforms : workgroup::lanes::along_transform, Group>;

  static constexpr unsigned second_at = sizes.second_roots_at(), twiddles_at = sizes.twiddles_at();
  static constexpr unsigned twiddle_rows = sizes.twiddle_rows();
  static constexpr unsigned table_entries = sizes.table_entries();
  static constexpr bool is_by_position = sizes.is_by_position();
  static constexpr unsigned rows_at_once = rows * lanes;
  static constexpr unsigned row_apart = sizes.row_apart(), pitch = sizes.pitch();
  static constexpr unsigned steps_bytes = sizes.steps_bytes(), shared_bytes = sizes.shared_bytes();
  static constexpr unsigned arrivals_at = sizes.arrivals_at(),
                            scratch_bytes = sizes.scratch_bytes();

  WINGBEAT_FN fft(WINGBEAT_GLOBAL const complex_type* table, WINGBEAT_LOCAL char* scratch,
                  Group group)
      : group_(group), first_(group), second_(group), table_(table), scratch_(scratch) {
    rank_ = c == 1 ? 0u : static_cast<unsigned>(group.index() % c);
  }

  /// Returns the number of this workgroup in its cluster.
  WINGBEAT_FN unsigned rank() const { return rank_; }

  // Indices of this thread's elements: n1(r), n2() before, as loaded, and bins k1(), k2(r) of
  // lane() after.
  WINGBEAT_FN unsigned n2() const {
    return all_columns::item(rank_, column_of(first_.transform()));
  }
  WINGBEAT_FN unsigned n1(unsigned r) const { return first_.thread() + r * first_shape::threads; }
  WINGBEAT_FN unsigned lane_in() const {
    const unsigned column = first_.transform();
    return is_across ? column % lanes : column / columns;
  }
  WINGBEAT_FN unsigned lane() const {
    const unsigned row = second_.transform();
    return is_across_out ? row % lanes : row / rows;
  }
  /// Returns this thread's number among the threads of its workgroup that hold bins of lane().
  WINGBEAT_FN unsigned thread_of_lane() const {
    const unsigned row = second_.transform();
    const unsigned row_of_lane = is_across_out ? row / lanes : row % rows;
    return row_of_lane * second_shape::threads + second_.thread();
  }
  WINGBEAT_FN unsigned k2(unsigned r) const { return second_.thread() + r * second_shape::threads; }
  WINGBEAT_FN unsigned k1() const { return all_rows::item(rank_, row_of(second_.transform())); }

  /// Transforms x from elements n1(r), n2() into bins k1(), k2(r).
  /// Callers: every thread of every workgroup of the cluster, once.  Memory: scratch is free on
  /// entry, not on return.  Scale: none.
  WINGBEAT_FN void transform(complex_type (&x)[e]) const {
    if constexpr (c > 1) {
      if (group_.thread() == 0) {
        group_.expect(scratch_ + arrivals_at, b * rows_at_once * unsigned(sizeof(complex_type)));
      }
    }
    // Other workgroups may send once this one has started and has read its exchanges.
    if constexpr (first_fft::exchanges == 0) arrive();
    first_fft::execute(first_, x, steps_scratch{scratch_}, table_);
    if constexpr (first_fft::exchanges > 0) arrive();
    if constexpr (is_line) apply_twiddles(x);
    wait();
    send(x);
    receive();
    const auto address = arrived();
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < e; ++r)
      x[r] = address[entry(row_of(second_.transform()), lane(), k2(r))];
    if constexpr (second_fft::exchanges > 0) second_.workgroup_barrier();
    second_fft::execute(second_, x, steps_scratch{scratch_}, table_ + second_at);
  }

  // For workgroups that hold columns (rows) with their mirror images: the entries of a thread's
  // elements before (after) the transform, and of their opposites. Opposites lie a constant below
  // the opposite for r = 0, which folds into the access.
  WINGBEAT_FN unsigned entry_in(unsigned r) const { return first_.slot(n1(r)); }
  WINGBEAT_FN size opposite_in(unsigned r) const {
    static_assert(Mirror == mirror::columns, "opposite columns are apart");
    const unsigned v = first_.transform(), other = all_columns::opposite(n2(), column_of(v));
    // -(n1 B + n2) is -n1 B + 0, or (-1 - n1) B + (B - n2); axes of planes are apart.
    const unsigned borrow = is_line && n2() != 0 ? 1 : 0;
    const unsigned top = a - borrow - first_.thread();
    const unsigned first =
        first_team::slot_of(is_across ? other * lanes + lane_in() : lane_in() * columns + other,
                            r == 0 ? top % a : top);
    return size(first) - size(r) * first_shape::threads * first_team::slot_stride;
  }
  WINGBEAT_FN unsigned entry_out(unsigned r) const {
    return entry_of_row(second_.transform(), k2(r));
  }
  WINGBEAT_FN size opposite_out(unsigned r) const {
    static_assert(Mirror == mirror::rows, "opposite rows are apart");
    static_assert(is_line || !is_by_position, "real planes lie one behind another");
    const unsigned v = second_.transform(), other = all_rows::opposite(k1(), row_of(v));
    const unsigned borrow = is_line && k1() != 0 ? 1 : 0;
    const unsigned top = b - borrow - second_.thread();
    const unsigned first = entry_of_row(
        is_across_out ? other * lanes + lane() : lane() * rows + other, r == 0 ? top % b : top);
    return size(first) - size(r) * second_shape::threads * second_team::slot_stride;
  }
  /// Returns the entry, in one workgroup, for bin k1, k2 of a lane.
  WINGBEAT_FN static unsigned entry_of_bin(unsigned lane, unsigned k1, unsigned k2) {
    static_assert(c == 1 && Mirror == mirror::rows, "one workgroup has rows k1 and -k1");
    return entry_of_row(lane * rows + all_rows::place_of(k1), k2);
  }
  WINGBEAT_FN const second_team& team() const { return second_; }

 private:
  using steps_scratch = workgroup::scratch<steps_bytes, workgroup::reuse::after_barrier>;
  using all_columns = blocks<b, c, Mirror == mirror::columns>;
  using all_rows = blocks<a, c, Mirror == mirror::rows>;

  // The column, or the row, of a workgroup's transform.
  WINGBEAT_FN static unsigned column_of(unsigned transform) {
    return is_across ? transform / lanes : transform % columns;
  }
  WINGBEAT_FN static unsigned row_of(unsigned transform) {
    return is_across_out ? transform / lanes : transform % rows;
  }

  WINGBEAT_FN static unsigned entry_of_row(unsigned transform, unsigned k) {
    return !is_line ? transform * pitch + k : second_team::slot_of(transform, k);
  }

  /// Returns the entry at which element `position` of row u of a lane arrives.
  WINGBEAT_FN static unsigned entry(unsigned u, unsigned lane, unsigned position) {
    return is_by_position ? position * pitch + u * row_apart + lane
                          : (lane * rows + u) * pitch + position;
  }
  WINGBEAT_FN WINGBEAT_LOCAL complex_type* arrived() const {
    return reinterpret_cast<WINGBEAT_LOCAL complex_type*>(scratch_);
  }

  /// Multiplies row k1 of column n2 by w_N^(n2 k1).
  WINGBEAT_FN void apply_twiddles(complex_type (&x)[e]) const {
    const twiddle::roots<real, size(a) * b> root{table_ + twiddles_at + twiddle_rows};
    const auto row_roots = table_ + twiddles_at + n2();
    twiddle::apply_powers_from<Policy::dir>(
        x, root(n2() * n1(0)), [&](unsigned row) { return copied_from(row_roots + row * b); });
  }

  /// Sends x[r] = Y[n1(r)][n2()] to the workgroups that transform these rows.
  WINGBEAT_FN void send(const complex_type (&x)[e]) const {
    constexpr unsigned threads = first_shape::threads;
    // If rows are in sequence, `together` consecutive elements go to one workgroup, a constant
    // apart.
    constexpr bool go_together = Mirror != mirror::rows && rows % threads == 0;
    constexpr unsigned together = go_together ? rows / threads : 1;
    WINGBEAT_UNROLL
    for (unsigned g = 0; g < e / together; ++g) {
      unsigned rank = g, u = first_.thread();
      if constexpr (Mirror == mirror::rows) {
        rank = all_rows::rank_of(n1(g));
        u = all_rows::place_of(n1(g));
      } else if constexpr (!go_together && threads % rows == 0) {
        rank = u / rows + g * (threads / rows);
        u %= rows;
      } else if constexpr (!go_together) {
        rank = n1(g) / rows;
        u = n1(g) % rows;
      }
      const auto address = arrived() + entry(u, lane_in(), n2());
      if constexpr (c == 1) {
        WINGBEAT_UNROLL
        for (unsigned i = 0; i < together; ++i)
          address[entry(i * threads, 0, 0)] = x[g * together + i];
      } else {
        const auto remote = group_.of_peer(address, rank);
        const auto arrivals = group_.of_peer(scratch_ + arrivals_at, rank);
        WINGBEAT_UNROLL
        for (unsigned i = 0; i < together; ++i) {
          group_.send(remote, entry(i * threads, 0, 0), x[g * together + i], arrivals);
        }
      }
    }
  }

  WINGBEAT_FN void arrive() const {
    if constexpr (c == 1) {
      group_.barrier();
    } else {
      group_.cluster_arrive();
    }
  }
  WINGBEAT_FN void wait() const {
    if constexpr (c > 1) group_.cluster_wait();
  }
  WINGBEAT_FN void receive() const {
    if constexpr (c == 1) {
      group_.barrier();
    } else {
      group_.receive(scratch_ + arrivals_at);
    }
  }

  Group group_;
  first_team first_;
  second_team second_;
  WINGBEAT_GLOBAL const complex_type* table_;
  WINGBEAT_LOCAL char* scratch_;
  unsigned rank_;
};

}  // namespace wingbeat::device::cluster
