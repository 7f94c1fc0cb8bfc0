// SPDX-License-Identifier: Apache-2.0
#include "planner/placement.hpp"

#include <algorithm>  // all_of, max, stable_sort
#include <stdexcept>  // logic_error

namespace wingbeat::planner {
namespace {

class placer {
 public:
  placer(const piece& made, const placement& at) : piece_(made), at_(at) {
    is_plane_ = made.shape.makes == body::plane;
    pass_.real = common_precision(at.spec);
    pass_.is_forward =
        at.spec.kind == transform::forward || at.spec.kind == transform::forward_from_real;
    pass_.resident = made.resident;
    if (at.filter != nullptr) {
      pass_.filter = pass_side{.where = place::filter, .stored = at.filter->stored};
    }
    pass_.fraction = made.fraction;
    pass_.in_place_spacing = made.in_place_spacing;
    numbers().shape = made.shape;
    numbers().prior = made.prior;
    numbers().total = made.total;
    fill_side(pass_.in, numbers().in, at.from);
    fill_side(pass_.out, numbers().out, at.to);
    pass_.out.streams = made.streams;
    place_butterfly();
    limit();
    collect_loops();
  }

  pass finished() {
    order_loops();
    join_loops();
    flatten();
    write_loops();
    functors();
    stage();
    prefetch();
    tell_full();
    return std::move(pass_);
  }

 private:
  pass_numbers& numbers() { return pass_.numbers; }
  [[nodiscard]] const pass_numbers& numbers() const { return pass_.numbers; }
  tile_shape& shape() { return pass_.numbers.shape; }
  [[nodiscard]] const tile_shape& shape() const { return pass_.numbers.shape; }

  void fill_side(pass_side& stored, device::grid::side& placed, const array& from) const {
    stored.where = from.where;
    stored.stored = from.stored;
    stored.has_parts = from.has_parts;
    stored.apart = from.apart;
    stored.rows.elements = from.row_elements;
    stored.rows.has_parts = from.has_parts;
    placed.base = 0 - from.lead;  // modulo 2^64, as kernels add it
    placed.is_pairs = from.is_pairs && is_last_axis();
    placed.distance = from.distances.front();
    placed.unit = axis_of(from).stride;
    stored.rows.is_dense = placed.unit == 1 && !is_plane_;
  }
  [[nodiscard]] bool is_last_axis() const {
    return at_.axis + (is_plane_ ? 2 : 1) == at_.spec.lengths.size();
  }
  [[nodiscard]] const array_axis& axis_of(const array& of) const { return of.axes[at_.axis]; }

  /// Strides of one butterfly: see the formulas of grid/numbers.hpp and cluster/fft.hpp.
  void place_butterfly() {
    const std::size_t in = axis_of(at_.from).stride, out = axis_of(at_.to).stride;
    if (is_plane_) {
      numbers().in.first_stride = in;
      numbers().in.stride = at_.from.axes[at_.axis + 1].stride;
      numbers().out.first_stride = out;
      numbers().out.stride = at_.to.axes[at_.axis + 1].stride;
      return;
    }
    numbers().in.step = piece_.in_place_spacing.value_or(piece_.total / shape().length);
    numbers().out.step = piece_.in_place_spacing.value_or(piece_.prior);
    place_strides(numbers().in.step * in, numbers().out.step * out);
  }

  /// `in` and `out` from each element of a butterfly to the next.
  void place_strides(std::size_t in, std::size_t out) {
    numbers().in.stride = in;
    numbers().out.stride = out;
    if (shape().makes != body::line) return;
    numbers().in.first_stride = shape().second * in;
    numbers().out.first_stride = out;
    numbers().out.stride = shape().first * out;
  }

  void limit() {
    if (is_plane_) return;
    const auto set = [&](device::grid::side& side, pass_side& stored, const array& of,
                         bool is_end) {
      const array_axis& axis = axis_of(of);
      side.is_limited = is_end && axis.is_limited;
      side.valid_begin = side.is_limited ? axis.valid.first : 0;
      side.valid_end = side.is_limited ? axis.valid.end : axis.length;
      stored.rows.first = stored.rows.is_dense ? side.valid_begin : 0;
    };
    set(numbers().in, pass_.in, at_.from, at_.begins);
    set(numbers().out, pass_.out, at_.to, at_.ends);
  }

  void collect_loops() {
    const std::size_t in = axis_of(at_.from).stride, out = axis_of(at_.to).stride;
    const std::size_t p = piece_.prior, length = shape().length;
    const std::size_t groups = piece_.total / (length * p);
    if (piece_.is_in_place()) {
      const std::size_t apart = *piece_.in_place_spacing == 1 ? length : 1;
      add_loop(piece_.total / length, apart * in, apart * out,
               p == 1 ? loop_role::groups : loop_role::prior);
    } else {
      if (p > 1) add_loop(p, in, out, loop_role::prior);
      if (groups > 1) add_loop(groups, p * in, p * length * out, loop_role::groups);
    }
    for (std::size_t b = at_.from.axes.size(); b-- > 0;) {
      if (b == at_.axis || (is_plane_ && b == at_.axis + 1)) continue;
      const array_axis &from = at_.from.axes[b], &to = at_.to.axes[b];
      const index_range valid = from.valid;  // of both: this pass leaves the axis alone
      numbers().in.base += valid.first * from.stride;
      numbers().out.base += valid.first * to.stride;
      add_loop(valid.end - valid.first, from.stride, to.stride);
    }
    const auto& counts = at_.spec.batch.counts();
    for (std::size_t b = counts.size(); b-- > 1;) {
      add_loop(counts[b], at_.from.distances[b], at_.to.distances[b]);
      if (at_.filter != nullptr) loops_.back().filter = at_.filter->distances[b];
    }
    pass_.rows = counts.front();
    if (at_.filter != nullptr) numbers().filter_distance = at_.filter->distances.front();
    std::erase_if(loops_, [](const loop& each) { return each.count == 1; });
  }
  void add_loop(std::size_t count, std::size_t in, std::size_t out,
                loop_role role = loop_role::others) {
    loops_.push_back({.count = count, .in = in, .out = out, .role = role});
  }
  /// The batch as a loop.
  [[nodiscard]] loop rows_loop() const {
    return {.count = pass_.rows,
            .in = numbers().in.distance,
            .out = numbers().out.distance,
            .filter = numbers().filter_distance};
  }

  /// Neighbouring lanes are neighbours in memory: the densest loop comes first. Mirrored tiles run
  /// over the columns of the axis.
  void order_loops() {
    const bool is_batch_densest = pass_.rows > 1 && !shape().mirrored &&
                                  std::all_of(loops_.begin(), loops_.end(), [&](const loop& each) {
                                    return numbers().in.distance < each.in;
                                  });
    if (is_batch_densest && !loops_.empty()) {
      loops_.push_back(rows_loop());
      pass_.rows = 1;
    }
    const loop_role columns = piece_.prior > 1 ? loop_role::prior : loop_role::groups;
    std::stable_sort(loops_.begin(), loops_.end(), [&](const loop& a, const loop& b) {
      const auto rank = [&](const loop& each) {
        return shape().mirrored && each.role == columns ? 0u : 1u;
      };
      return std::pair{rank(a), a.in} < std::pair{rank(b), b.in};
    });
  }

  /// Loops one behind another on both sides are one.
  void join_loops() {
    const auto joins = [](const loop& inner, const loop& outer) {
      return outer.in == inner.in * inner.count && outer.out == inner.out * inner.count &&
             outer.filter == inner.filter * inner.count;
    };
    const bool needs_axis = numbers().in.is_limited || numbers().out.is_limited ||
                            shape().mirrored || shape().source == row::half_spectrum;
    const auto is_free = [&](const loop& each) {
      return each.role == loop_role::others || (each.role == loop_role::groups && !needs_axis);
    };
    for (std::size_t i = 0; i + 1 < loops_.size();) {
      loop &inner = loops_[i], &outer = loops_[i + 1];
      if (is_free(inner) && is_free(outer) && joins(inner, outer)) {
        inner.count *= outer.count;
        inner.role = loop_role::others;
        loops_.erase(loops_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      } else {
        ++i;
      }
    }
    if (loops_.empty()) return;
    const loop& last = loops_.back();
    if (!is_free(last) || (pass_.rows > 1 && !joins(last, rows_loop()))) return;
    pass_.rows *= last.count;
    numbers().in.distance = last.in;
    numbers().out.distance = last.out;
    numbers().filter_distance = last.filter;
    loops_.pop_back();
  }

  /// Where lanes would be left over at the end of each row of columns, as of 257 bins, they go on
  /// in the next (`placement_rules::flat_lanes`); not where rows to write begin on whole sectors. A
  /// CPU's threads count on neighbours instead.
  void flatten() {
    if (shape().lanes == 1 || shape().mirrored || shape().bank_bytes == 0) return;
    if (loops_.empty() || numbers().out.stride % at_.rules.sector_elements == 0) return;
    const std::size_t count = loops_.front().count, lanes = shape().lanes;
    const std::size_t taken = (count + lanes - 1) / lanes * lanes;
    if (at_.rules.flat_lanes * (taken - count) < count) return;
    const std::size_t beyond = loops_.size() == 1 ? pass_.rows : loops_[1].count;
    if (beyond > most_lanes / count) return;
    if (loops_.size() == 1 && pass_.rows > 1) {
      loops_.push_back(rows_loop());
      pass_.rows = 1;
    }
    numbers().is_flat = loops_.size() > 1;
  }

  static constexpr std::size_t most_lanes = std::size_t{1} << 31;  // kernels count them in 32 bits

  void write_loops() {
    if (loops_.size() > device::grid::most_loops) throw std::logic_error("too many loops");
    for (const loop& each : loops_) numbers().loops[numbers().depth++] = each;
    const std::size_t lanes = loops_.empty() ? pass_.rows : numbers().lane_count();
    while (shape().lanes / 2 >= lanes && shape().lanes > 1 && !shape().mirrored) {
      shape().lanes /= 2;
    }
  }

  /// Through local memory, so that neighbouring threads store neighbours: columns whose outputs lie
  /// along the butterfly. A GPU's threads take them at the transform's first exchange; a CPU's are
  /// numbered by row and column, and stage them. Rows only where they lie one behind another.
  void stage() {
    const pass_numbers& as = numbers();
    const std::size_t lane_in = loops_.empty() ? as.in.distance : loops_.front().in;
    const std::size_t lane_out = loops_.empty() ? as.out.distance : loops_.front().out;
    if (shape().is_in_place()) shape().stage_in = shape().stage_out = false;
    if (shape().is_cluster()) {
      shape().along_out = shape().lanes_across && as.out.first_stride < lane_out;
      return;
    }
    if (shape().lanes_across) {
      const bool is_along = as.out.stride < lane_out && shape().sink == row::complex_row;
      shape().along_out = is_along && shape().bank_bytes != 0 && !shape().is_in_place() &&
                          shape().length > shape().elements_per_thread;
      // A thread that reduces has elements of one lane alone.
      shape().stage_out =
          is_along && !shape().along_out && !shape().is_in_place() && shape().partial_bytes == 0;
      shape().half_trade &= !shape().stage_out;
      return;
    }
    const auto is_run = [&](const device::grid::side& side, row holds, std::size_t lane) {
      const std::size_t elements = shape().length + (holds == row::half_spectrum ? 1 : 0);
      return side.stride == 1 && lane <= elements + 1 && !side.is_limited;
    };
    shape().stage_in &= is_run(as.in, shape().source, lane_in) && !at_.spec.load.is_given();
    shape().stage_out &= is_run(as.out, shape().sink, lane_out) && !at_.spec.store.is_given();
  }

  void functors() {
    const bool to_bins = at_.spec.kind == transform::forward_from_real;
    const bool from_bins = at_.spec.kind == transform::inverse_to_real;
    if (at_.spec.load.is_given() && pass_.in.where == place::input) {
      pass_.in.fused = functor_of(at_.spec.load, to_bins);
    }
    if (at_.spec.store.is_given() && pass_.out.where == place::output) {
      pass_.out.fused = functor_of(at_.spec.store, from_bins);
      shape().partial_bytes = static_cast<unsigned>(at_.spec.store.partial_bytes);
    }
    numbers().roots_at = pass_.parameter_blocks().size() / shape().element_bytes;
  }

  /// Of tiles known to be full, a GPU's compiler loads all elements early, which pays where
  /// registers suffice.
  void tell_full() {
    const std::size_t lanes = loops_.empty() ? pass_.rows : numbers().lane_count();
    const bool has_registers =
        shape().bank_bytes == 0 || (shape().lanes == 1 && !shape().has_half_spectrum());
    numbers().is_full = has_registers && lanes % shape().lanes == 0;
  }

  /// Elements of a butterfly's input if they lie one behind another, or 0.
  [[nodiscard]] std::size_t run_of_input() const {
    const device::grid::side& in = numbers().in;
    const std::size_t end = shape().source == row::half_spectrum ? 1 : 0;
    if (in.stride != 1 || in.is_limited || shape().mirrored) return 0;
    if (!shape().is_cluster()) return shape().length + end;
    if (is_plane_) {
      return in.first_stride == shape().second + end ? shape().first * in.first_stride : 0;
    }
    return in.first_stride == shape().second ? shape().length + end : 0;
  }

  /// Has a functor's buffer an element for each value: then it is taken to read them in order.
  [[nodiscard]] bool reads_in_order(const functor& load) const {
    const std::size_t rows = at_.spec.batch;
    return load.buffer_bytes == rows * pass_.in.rows.elements * load.bytes_of_complex();
  }

  void prefetch() {
    if (piece_.prefetch_bytes == 0) return;
    const auto& load = pass_.in.fused;
    if (load && !reads_in_order(*load)) return;
    const std::size_t elements = run_of_input();
    if (elements == 0) return;
    const std::size_t each = load ? load->bytes_of_complex() : 2 * pass_.in.real_bytes();
    const std::size_t tile_bytes = elements * shape().lanes * each;
    numbers().prefetch_elements = elements;
    numbers().prefetch_tiles =
        static_cast<unsigned>(std::max<std::size_t>(piece_.prefetch_bytes / tile_bytes, 1));
  }

  const piece& piece_;
  const placement& at_;
  pass pass_;
  bool is_plane_ = false;
  std::vector<loop> loops_;
};

}  // namespace

pass placed(const piece& made, const placement& at) {
  return placer{made, at}.finished();
}

}  // namespace wingbeat::planner
