// SPDX-License-Identifier: Apache-2.0
#include "planner/placing.hpp"

#include <algorithm>  // all_of, max, stable_sort

namespace wingbeat::planner {
namespace {

/// A loop that still knows what it is for.
struct named_loop {
  loop does;
  bool is_high = false;   ///< Over groups of P R elements of the axis.
  bool is_prior = false;  ///< Over the k of w^(q k), k < P.
};

class placer {
 public:
  placer(const pass& shape, const placing& at) : one_(shape), at_(at) {
    is_plane_ = shape.does == pass::kind::plane;
    fill_side(one_.in, at.from);
    fill_side(one_.out, at.to);
    place_butterfly();
    limit();
    collect_loops();
  }

  pass finished() {
    order_loops();
    join_loops();
    flatten();
    write_loops();
    stage();
    functors();
    request_ahead();
    return std::move(one_);
  }

 private:
  void fill_side(pass_side& to, const lattice& from) const {
    to.where = from.where;
    to.stored = from.stored;
    to.has_parts = from.has_parts;
    to.apart = from.apart;
    to.is_pairs = from.is_pairs && is_last_axis();
    to.distance = from.distances.front();
    to.row_elements = from.elements();
    to.unit = axis_of(from).stride;
    to.is_dense = to.unit == 1 && !is_plane_;
  }
  [[nodiscard]] bool is_last_axis() const {
    return at_.axis + (is_plane_ ? 2 : 1) == at_.what.lengths.size();
  }
  [[nodiscard]] const lattice_axis& axis_of(const lattice& of) const { return of.axes[at_.axis]; }

  /// Strides of one butterfly: see the formulas of grid/pass.hpp and cluster/fft.hpp.
  void place_butterfly() {
    const std::size_t in = axis_of(at_.from).stride, out = axis_of(at_.to).stride;
    const std::size_t count = one_.total / one_.length;
    if (is_plane_) {
      one_.in.stride_of_first = in;
      one_.in.stride = at_.from.axes[at_.axis + 1].stride;
      one_.out.stride_of_first = out;
      one_.out.stride = at_.to.axes[at_.axis + 1].stride;
      return;
    }
    if (one_.stays) {
      one_.in.step = one_.out.step = one_.spacing;
      place_strides(one_.spacing * in, one_.spacing * out);
      return;
    }
    one_.in.step = count;
    one_.out.step = one_.prior;
    place_strides(count * in, one_.prior * out);
  }

  /// `in` and `out` from each element of a butterfly to the next.
  void place_strides(std::size_t in, std::size_t out) {
    one_.in.stride = in;
    one_.out.stride = out;
    if (one_.does != pass::kind::line) return;
    one_.in.stride_of_first = one_.second * in;
    one_.out.stride_of_first = out;
    one_.out.stride = one_.first * out;
  }

  void limit() {
    if (is_plane_) return;
    const auto set = [&](pass_side& side, const lattice& of, bool is_end) {
      const lattice_axis& axis = axis_of(of);
      side.is_limited = is_end && axis.is_limited;
      side.valid_first = side.is_limited ? axis.valid.first : 0;
      side.valid_end = side.is_limited ? axis.valid.end : axis.length;
    };
    set(one_.in, at_.from, at_.begins);
    set(one_.out, at_.to, at_.ends);
  }

  void collect_loops() {
    const std::size_t in = axis_of(at_.from).stride, out = axis_of(at_.to).stride;
    const std::size_t p = one_.prior, groups = one_.total / (one_.length * p);
    if (one_.stays) {
      const std::size_t apart = one_.spacing == 1 ? one_.length : 1;
      loops_.push_back({{one_.total / one_.length, apart * in, apart * out}, p == 1, p > 1});
    } else {
      if (p > 1) loops_.push_back({{p, in, out}, false, true});
      if (groups > 1) loops_.push_back({{groups, p * in, p * one_.length * out}, true, false});
    }
    for (std::size_t b = at_.from.axes.size(); b-- > 0;) {
      if (b == at_.axis || (is_plane_ && b == at_.axis + 1)) continue;
      const lattice_axis &from = at_.from.axes[b], &to = at_.to.axes[b];
      const index_range valid = from.valid;  // of both: this pass leaves the axis alone
      one_.in.base += valid.first * from.stride;
      one_.out.base += valid.first * to.stride;
      loops_.push_back({{valid.end - valid.first, from.stride, to.stride}});
    }
    const auto& counts = at_.what.batch.counts();
    for (std::size_t b = counts.size(); b-- > 1;) {
      loops_.push_back({{counts[b], at_.from.distances[b], at_.to.distances[b]}});
    }
    one_.rows = counts.front();
    one_.in.distance = at_.from.distances.front();
    one_.out.distance = at_.to.distances.front();
    std::erase_if(loops_, [](const named_loop& each) { return each.does.count == 1; });
  }

  /// Neighbouring lanes are neighbours in memory: the densest loop comes first. Mirrored tiles run
  /// over the columns of the axis.
  void order_loops() {
    const bool is_batch_densest =
        !at_.keeps_rows && one_.rows > 1 && !one_.is_mirrored &&
        std::all_of(loops_.begin(), loops_.end(),
                    [&](const named_loop& each) { return one_.in.distance < each.does.in; });
    if (is_batch_densest && !loops_.empty()) {
      loops_.push_back({{one_.rows, one_.in.distance, one_.out.distance}});
      one_.rows = 1;
    }
    std::stable_sort(loops_.begin(), loops_.end(), [&](const named_loop& a, const named_loop& b) {
      const auto rank = [&](const named_loop& each) {
        const bool is_column = one_.prior > 1 ? each.is_prior : each.is_high;
        return one_.is_mirrored && is_column ? 0u : 1u;
      };
      return std::pair{rank(a), a.does.in} < std::pair{rank(b), b.does.in};
    });
  }

  /// Loops one behind another on both sides are one.
  void join_loops() {
    const auto joins = [](const loop& inner, const loop& outer) {
      return outer.in == inner.in * inner.count && outer.out == inner.out * inner.count;
    };
    const bool needs_axis = one_.in.is_limited || one_.out.is_limited || one_.is_mirrored ||
                            one_.in.holds == row::half_spectrum;
    const auto is_free = [&](const named_loop& each) {
      return !each.is_prior && !(each.is_high && needs_axis);
    };
    for (std::size_t i = 0; i + 1 < loops_.size();) {
      named_loop &inner = loops_[i], &outer = loops_[i + 1];
      if (is_free(inner) && is_free(outer) && joins(inner.does, outer.does)) {
        inner.does.count *= outer.does.count;
        inner.is_high = false;
        loops_.erase(loops_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      } else {
        ++i;
      }
    }
    if (at_.keeps_rows || loops_.empty()) return;
    const named_loop& last = loops_.back();
    const bool is_packed =
        one_.rows == 1 || joins(last.does, {0, one_.in.distance, one_.out.distance});
    if (!is_free(last) || !is_packed) return;
    one_.rows *= last.does.count;
    one_.in.distance = last.does.in;
    one_.out.distance = last.does.out;
    loops_.pop_back();
  }

  /// Where one lane in twenty would be left over at the end of each row of columns, as of 257 bins,
  /// lanes go on in the next; not where that would take them from whole sectors on the way out. A
  /// CPU's threads count on neighbours instead.
  void flatten() {
    if (one_.lanes == 1 || one_.is_mirrored || at_.keeps_rows || one_.bank_bytes == 0) return;
    if (loops_.empty() || is_aligned(one_.out.stride)) return;
    const std::size_t count = loops_.front().does.count;
    const std::size_t taken = (count + one_.lanes - 1) / one_.lanes * one_.lanes;
    if (20 * (taken - count) < count) return;
    const std::size_t beyond = loops_.size() == 1 ? one_.rows : loops_[1].does.count;
    if (beyond > most_lanes / count) return;
    if (loops_.size() == 1 && one_.rows > 1) {
      loops_.push_back({{one_.rows, one_.in.distance, one_.out.distance}});
      one_.rows = 1;
    }
    one_.is_flat = loops_.size() > 1;
  }

  static bool is_aligned(std::size_t stride) { return stride % 4 == 0; }  // 32 bytes of fp32
  static constexpr std::size_t most_lanes = std::size_t{1} << 31;  // kernels count them in 32 bits

  void write_loops() {
    for (unsigned i = 0; i < loops_.size(); ++i) {
      one_.loops.push_back(loops_[i].does);
      if (loops_[i].is_prior) one_.turn_along = one_.out.along = i;
      if (loops_[i].is_high) one_.in.along = i;
    }
    if (one_.prior == 1) one_.out.along = no_loop;
    const std::size_t lanes = one_.loops.empty() ? one_.rows : one_.lane_count();
    while (one_.lanes / 2 >= lanes && one_.lanes > 1 && !one_.is_mirrored) one_.lanes /= 2;
  }

  /// Through local memory, so that neighbouring threads store neighbours: columns whose outputs lie
  /// along the butterfly. A GPU's threads take them at the transform's first exchange; a CPU's are
  /// numbered by row and column, and stage them. Rows only where they lie one behind another.
  void stage() {
    const std::size_t lane_in = one_.loops.empty() ? one_.in.distance : one_.loops.front().in;
    const std::size_t lane_out = one_.loops.empty() ? one_.out.distance : one_.loops.front().out;
    if (one_.is_cluster()) {
      one_.along_out = one_.lanes_across && one_.out.stride_of_first < lane_out;
      return;
    }
    if (one_.lanes_across) {
      const bool is_along = one_.out.stride < lane_out && one_.out.holds == row::complex_row;
      one_.along_out = is_along && one_.bank_bytes != 0 && one_.length > one_.elements_per_thread;
      one_.stage_out = is_along && !one_.along_out;
      one_.half_trade &= !one_.stage_out;
      return;
    }
    const auto is_run = [&](const pass_side& side, std::size_t lane) {
      const std::size_t elements = one_.length + (side.holds == row::half_spectrum ? 1 : 0);
      return side.stride == 1 && lane <= elements + 1 && !side.is_limited;
    };
    one_.stage_in &= is_run(one_.in, lane_in) && !at_.what.load.is_given();
    one_.stage_out &= is_run(one_.out, lane_out) && !at_.what.store.is_given();
  }

  void functors() {
    const bool to_bins = at_.what.kind == transform::forward_from_real;
    const bool from_bins = at_.what.kind == transform::inverse_to_real;
    if (at_.what.load.is_given() && one_.in.where == place::input) {
      one_.in.fused = functor_of(at_.what.load, to_bins);
    }
    if (at_.what.store.is_given() && one_.out.where == place::output) {
      one_.out.fused = functor_of(at_.what.store, from_bins);
    }
  }

  /// Elements of a butterfly's input if they lie one behind another, or 0.
  [[nodiscard]] std::size_t run_of_input() const {
    const std::size_t end = one_.in.holds == row::half_spectrum ? 1 : 0;
    if (one_.in.stride != 1 || one_.in.is_limited || one_.is_mirrored) return 0;
    if (!one_.is_cluster()) return one_.length + end;
    if (is_plane_) {
      const bool is_packed = one_.in.stride_of_first == one_.second + end;
      return is_packed ? one_.first * one_.in.stride_of_first : 0;
    }
    return one_.in.stride_of_first == one_.second ? one_.length + end : 0;
  }

  /// Has a functor's buffer an element for each value: then it is taken to read them in order.
  [[nodiscard]] bool reads_in_order(const functor& load) const {
    const std::size_t rows = at_.what.batch;
    return load.buffer_bytes == rows * one_.in.row_elements * load.bytes_of_complex();
  }

  void request_ahead() {
    if (one_.bytes_ahead == 0 || at_.keeps_rows || one_.is_long_and_turned()) return;
    if (one_.in.fused && !reads_in_order(*one_.in.fused)) return;
    one_.run = run_of_input();
    if (one_.run == 0) return;
    const std::size_t each =
        one_.in.fused ? one_.in.fused->bytes_of_complex() : 2 * one_.in.real_bytes();
    const std::size_t bytes = one_.run * one_.lanes * each;
    one_.ahead = static_cast<unsigned>(std::max<std::size_t>(one_.bytes_ahead / bytes, 1));
  }

  pass one_;
  const placing& at_;
  bool is_plane_ = false;
  std::vector<named_loop> loops_;
};

}  // namespace

pass placed(const pass& shape, const placing& where) {
  return placer{shape, where}.finished();
}

}  // namespace wingbeat::planner
