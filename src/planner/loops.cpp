// SPDX-License-Identifier: Apache-2.0
#include "planner/loops.hpp"

#include <algorithm>  // all_of, min, stable_sort
#include <stdexcept>  // logic_error
#include <utility>    // pair

#include "arrays/dimension.hpp"  // dimension, dimensions_beside, merge

namespace wingbeat::planner {
namespace {

using arrays::dimension;
using arrays::nested_levels;

constexpr std::size_t max_lanes = std::size_t{1} << 31;  // kernels count them in 32 bits

/// A dimension and its role.
struct role_loop : dimension {
  loop_role role = loop_role::others;
};

/// The loops of one pass, fastest first, and its rows: the batch's slowest dimension, whose count
/// is not compiled in.
class loop_nest {
 public:
  loop_nest(const pass_numbers& numbers, const piece& cut, const placement& position)
      : numbers_(numbers), shape_(numbers.shape), cut_(cut), at_(position) {
    add_rest_of_axis();
    add_dimensions_beside();
    std::erase_if(loops_, [](const role_loop& each) { return each.count == 1; });
    order();
    merge();
  }

  /// Continues lanes in the next row of columns if many would be idle at the end of each row, as
  /// with 257 bins (`placement_rules::flat_lanes`). Not if output rows begin on whole sectors, nor
  /// on a CPU, whose vectors need neighbours.
  void flatten() {
    if (shape_.lanes == 1 || shape_.mirrored || shape_.bank_bytes == 0) return;
    if (may_keep() || (!loops_.empty() && loops_.front().block != 0)) return;
    if (loops_.empty() || numbers_.out.stride % at_.rules.sector_elements == 0) return;
    const std::size_t count = loops_.front().count, lanes = shape_.lanes;
    const std::size_t taken = (count + lanes - 1) / lanes * lanes;
    if (at_.rules.flat_lanes * (taken - count) < count) return;
    const std::size_t beyond = loops_.size() == 1 ? rows_.count : loops_[1].count;
    if (beyond > max_lanes / count) return;
    if (loops_.size() == 1 && rows_.count > 1) rows_become_a_loop();
    is_flat_ = loops_.size() > 1;
  }

  /// Pairs neighbouring rows of one transform, adjacent along the axis before. Two rows of
  /// different transforms of the batch are never paired: a large number or a NaN in one would reach
  /// the other. Returns whether rows were paired.
  bool pair_rows() {
    if (at_.axis == 0) return false;
    const arrays::axis &from = at_.from.axes[at_.axis - 1], &to = at_.to.axes[at_.axis - 1];
    if (rows_.in != from.stride || rows_.out != to.stride) return false;
    if (std::min(from.length, to.length) % 2 != 0 || rows_.count % 2 != 0) return false;
    rows_ = {rows_.count / 2, 2 * rows_.in, 2 * rows_.out, 2 * rows_.filter};
    return true;
  }

  /// The dimension that lanes run over.
  [[nodiscard]] const dimension& lanes() const { return loops_.empty() ? rows_ : loops_.front(); }

  [[nodiscard]] const std::vector<role_loop>& loops() const { return loops_; }
  [[nodiscard]] const dimension& rows() const { return rows_; }
  [[nodiscard]] bool is_flat() const { return is_flat_; }

 private:
  /// Adds the other butterflies of the axis; see the formulas of grid/numbers.hpp.
  void add_rest_of_axis() {
    const std::size_t in = at_.from.axes[at_.axis].stride, out = at_.to.axes[at_.axis].stride;
    const std::size_t length = shape_.elements(), prior = cut_.prior;
    const auto add = [&](const arrays::level& read, const arrays::level& written, loop_role role) {
      loops_.push_back({{read.count, read.stride * in, written.stride * out}, role});
    };
    if (cut_.is_in_place()) {
      const std::size_t others = cut_.total / length;
      const arrays::level rest = *cut_.in_place_spacing == 1 ? nested_levels({length, others})[1]
                                                             : nested_levels({others, length})[0];
      add(rest, rest, prior == 1 ? loop_role::groups : loop_role::prior);
      // Spectra of a cut axis lie as its rows do.
      if (at_.filter != nullptr) loops_.back().filter = rest.stride;
      return;
    }
    const std::size_t groups = cut_.total / (length * prior);
    const auto read = nested_levels({prior, groups, length});
    const auto written = nested_levels({prior, length, groups});
    add(read[0], written[0], loop_role::prior);
    add(read[1], written[2], loop_role::groups);
  }

  /// Adds the other axes and the batch, whose slowest dimension becomes the rows.
  void add_dimensions_beside() {
    auto beside = arrays::dimensions_beside(at_.from, at_.to, axes_of(cut_, at_.axis));
    for (std::size_t b = 0; at_.filter != nullptr && b < at_.filter->distances.size(); ++b) {
      beside[b].filter = at_.filter->distances[b];  // dimensions of the batch come first
    }
    for (std::size_t i = beside.size(); i-- > 1;) loops_.push_back({beside[i]});
    rows_ = beside.front();
  }

  void rows_become_a_loop() {
    loops_.push_back({rows_});
    rows_.count = 1;
  }

  /// Puts the densest loop first, so that neighbouring lanes are neighbours in memory. Mirrored
  /// tiles instead run over the columns of the axis; rows of a cut axis over those that share a
  /// spectrum.
  void order() {
    const auto is_denser = [&](const role_loop& each) { return rows_.in < each.in; };
    if (rows_.count > 1 && !shape_.mirrored && !loops_.empty() && !may_keep() &&
        std::all_of(loops_.begin(), loops_.end(), is_denser)) {
      rows_become_a_loop();
    }
    const loop_role columns = cut_.prior > 1 ? loop_role::prior : loop_role::groups;
    std::stable_sort(loops_.begin(), loops_.end(), [&](const role_loop& a, const role_loop& b) {
      const bool share_spectra = at_.filter != nullptr && cut_.is_in_place();
      const auto rank = [&](const role_loop& each) {
        const bool is_first = share_spectra ? each.filter == 0 && each.count % shape_.lanes == 0
                                            : shape_.mirrored && each.role == columns;
        return is_first ? 0u : 1u;
      };
      return std::pair{rank(a), a.in} < std::pair{rank(b), b.in};
    });
  }

  /// Merges loops whose separate indices the kernel does not use.
  void merge() {
    const bool needs_axis = numbers_.in.is_limited || numbers_.in.is_hermitian ||
                            numbers_.out.is_limited || numbers_.factors_in > 0 ||
                            numbers_.factors_out > 0 || shape_.mirrored ||
                            shape_.source == row::half_spectrum || at_.request.lines > 0;
    const auto is_free = [&](const role_loop& each) {
      return each.role == loop_role::others || (each.role == loop_role::groups && !needs_axis);
    };
    arrays::merge(
        loops_,
        [&](const role_loop& inner, const role_loop& outer) {
          return is_free(inner) && is_free(outer);
        },
        [](role_loop& merged) { merged.role = loop_role::others; });
    if (loops_.empty() || may_keep()) return;
    const role_loop& last = loops_.back();
    if (!is_free(last) || last.block != 0 || (rows_.count > 1 && !arrays::continues(last, rows_)))
      return;
    rows_ = {rows_.count * last.count, last.in, last.out, last.filter};
    loops_.pop_back();
  }

  /// Returns whether one workgroup may take all rows; the rows then stay a loop of their own.
  [[nodiscard]] bool may_keep() const {
    return at_.request.spec.store.kept_bytes > 0 && shape_.bank_bytes != 0;
  }

  const pass_numbers& numbers_;
  const tile_shape& shape_;
  const piece& cut_;
  const placement& at_;
  std::vector<role_loop> loops_;
  dimension rows_;
  bool is_flat_ = false;
};

/// Makes a pass take two rows of reals at once if the piece may, and local memory has room.
void pair_rows(pass& result, loop_nest& nest, const piece& cut, const device_info& device) {
  tile_shape wider = result.shape();
  const bool are_columns = wider.lanes_across && !wider.as_prime().has_order();
  if (!cut.may_pair_rows || are_columns || wider.is_cluster()) return;
  wider.stage_out = true;
  wider.half_trade = false;
  if (wider.scratch_bytes() > device.local_memory_bytes) return;
  const std::size_t in = nest.rows().in, out = nest.rows().out;
  if (!nest.pair_rows()) return;
  result.numbers.in.second = in;
  result.numbers.out.second = out;
}

}  // namespace

gathered_sides add_loops(pass& result, const piece& cut, const placement& position) {
  loop_nest nest(result.numbers, cut, position);
  const gathered_sides gathered = gather_rows(result, nest.lanes(), position);
  pair_rows(result, nest, cut, position.device);
  nest.flatten();
  if (nest.loops().size() > device::grid::most_loops) throw std::logic_error("too many loops");
  pass_numbers& numbers = result.numbers;
  const arrays::axis_span axes = axes_of(cut, position.axis);
  // The kernel adds it modulo 2^64: index 0 may lie before the memory.
  numbers.in.base =
      arrays::offset_beside(position.from, axes) - arrays::lead_along(position.from, axes);
  numbers.out.base =
      arrays::offset_beside(position.to, axes) - arrays::lead_along(position.to, axes);
  for (const role_loop& each : nest.loops()) {
    if (each.block != 0 && numbers.depth > 0) throw std::logic_error("blocks of no neighbours");
    numbers.loops[numbers.depth++] = {each.count,  each.in,    each.out,     each.role,
                                      each.filter, each.block, each.block_in};
  }
  numbers.is_flat = nest.is_flat();
  numbers.in.distance = nest.rows().in;
  numbers.out.distance = nest.rows().out;
  numbers.filter_distance = nest.rows().filter;
  result.rows = nest.rows().count;
  tile_shape& shape = numbers.shape;
  while (shape.lanes / 2 >= result.lane_count() && shape.lanes > 1 && !shape.mirrored) {
    shape.lanes /= 2;
  }
  return gathered;
}

}  // namespace wingbeat::planner
