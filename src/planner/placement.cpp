// SPDX-License-Identifier: Apache-2.0
#include "planner/placement.hpp"

#include "arrays/dimension.hpp"       // nested_levels
#include "planner/loops.hpp"          // add_loops
#include "planner/staging.hpp"        // stage, prefetch
#include "wingbeat/device/index.hpp"  // is_power_of_two

namespace wingbeat::planner {
namespace {

/// Returns how a functor takes the elements of an array, if they are reals.
device::ends::reals taken_from(const array& source) {
  using device::ends::reals;
  if (source.is_real()) return reals::unpaired;
  return source.has_parts ? reals::one_by_one : reals::in_pairs;
}

/// Returns the number of transforms that alternate element by element; a functor takes them as one
/// row.
std::size_t transforms_inside(const array& source) {
  const bool is_split = source.elements_are == arrays::element::pair && source.has_parts;
  const std::size_t stride = is_split ? source.parts_distance : source.axes.back().stride;
  std::size_t count = 1;
  for (const arrays::batch& each : source.batches) {
    if (each.count > 1 && each.distance < stride) count *= each.count;
  }
  return count;
}

/// Fills in how one side is stored, and those strides that other axes do not change.
void fill_side(pass_side& stored, device::grid::side& placed, const array& source,
               const arrays::axis_span& axes) {
  static_cast<arrays::storage&>(stored) = source;
  stored.rows.length = source.valid_elements() * transforms_inside(source);
  stored.rows.taken = taken_from(source);
  placed.is_pairs =
      source.elements_are == arrays::element::pair && axes.last() + 1 == source.axes.size();
  placed.unit = source.axes[axes.first].stride;
  stored.rows.is_dense = placed.unit == 1 && axes.count == 1;
}

/// Fills in strides from element to element of a butterfly; see the formulas of grid/numbers.hpp
/// and cluster/fft.hpp.
void place_butterfly(pass_numbers& numbers, const piece& cut, const placement& position) {
  const arrays::axis &from = position.from.axes[position.axis],
                     &to = position.to.axes[position.axis];
  const tile_shape& shape = numbers.shape;
  if (shape.makes == body::plane) {
    numbers.in.first_stride = from.stride;
    numbers.in.stride = position.from.axes[position.axis + 1].stride;
    numbers.out.first_stride = to.stride;
    numbers.out.stride = position.to.axes[position.axis + 1].stride;
    return;
  }
  numbers.in.step = cut.in_place_spacing.value_or(cut.total / shape.elements());
  numbers.out.step = cut.in_place_spacing.value_or(cut.prior);
  numbers.in.stride = numbers.in.step * from.stride;
  numbers.out.stride = numbers.out.step * to.stride;
  if (!shape.is_cluster()) return;
  const auto read = arrays::nested_levels({shape.second, shape.first});     // n2, n1
  const auto written = arrays::nested_levels({shape.first, shape.second});  // k1, k2
  numbers.in.first_stride = read[1].stride * numbers.in.stride;
  numbers.out.first_stride = numbers.out.stride;
  numbers.out.stride *= written[1].stride;
}

/// Limits one side to the valid range of its axis, in the pass that reads or writes that array, and
/// to the bins of a real signal's spectrum if the axis has more.
void limit(device::grid::side& side, pass_side& stored, const arrays::axis& axis, bool is_end,
           bool is_cut_off) {
  side.is_limited = is_end && (axis.is_limited || is_cut_off);
  side.valid_begin = side.is_limited ? axis.valid.first : 0;
  side.valid_end = side.is_limited ? axis.valid.end : axis.length;
  stored.rows.first = stored.rows.is_dense ? side.valid_begin : 0;
}

/// Fills in the convolution that makes a piece of an axis of any length.
void add_convolution(pass& result, const piece& cut) {
  pass_numbers& numbers = result.numbers;
  result.convolved_by.by_rader = cut.by_rader;
  if (cut.chirped) {
    const piece::part_of_chirp& part = *cut.chirped;
    result.convolved_by.by_chirp = part.numbers;
    if (part.begins) numbers.factors_in = part.numbers->points;
    numbers.has_bins_alone = part.begins && part.numbers->inputs < part.numbers->points;
    if (part.multiplies) numbers.factors_in = part.numbers->total;
    if (part.ends) numbers.factors_out = part.numbers->points;
    const tile_shape& shape = numbers.shape;
    const bool is_long = shape.points == 0 && cut.prior > 1;  // otherwise a row is one butterfly
    numbers.prefetches_filter = is_long && shape.makes == body::convolve;
  }
  numbers.has_own_filter =
      cut.by_rader != nullptr || (cut.chirped && numbers.shape.makes == body::convolve);
}

void add_functors(pass& result, const request::resolved_spec& request) {
  const plan_spec& spec = request.spec;
  tile_shape& shape = result.numbers.shape;
  if (spec.load.is_given() && result.in.location == place::input) {
    result.in.fused = functor_of(spec.load, request.kind.in == request::domain::real);
  }
  if (spec.store.is_given() && result.out.location == place::output) {
    result.out.fused = functor_of(spec.store, request.kind.out == request::domain::real);
    shape.partial_bytes = static_cast<unsigned>(spec.store.partial_bytes);
  }
  result.in.rows.lines = result.out.rows.lines = request.lines;
  result.numbers.roots_at = result.parameter_blocks().size() / shape.element_bytes;
}

/// Lets a short launch begin early. Its data stays in the caches, so it does not stream: the
/// compiler could move streaming loads before the wait for earlier launches.
void start_early(pass& result, const placement& position) {
  if (!position.device.has_early_launch) return;
  // Loads that a functor declares constant (`__ldg`) could move before the wait too.
  if (result.in.fused || result.out.fused) return;
  if (result.traffic_bytes() > position.rules.max_early_bytes) return;
  result.numbers.starts_early = true;
  result.in.streams = result.out.streams = false;
}

/// Limits the workgroups of a pass whose store functor's request sets `max_workgroups`.
void limit_workgroups(pass& result, const placement& position) {
  const std::size_t most = position.request.spec.store.max_workgroups;
  const tile_shape& shape = result.shape();
  const bool has_groups = !shape.is_cluster() && shape.bank_bytes != 0 && !shape.keeps();
  if (most == 0 || !result.out.fused || !has_groups) return;
  pass_numbers& numbers = result.numbers;
  if (most >= numbers.tiles(result.rows)) return;
  numbers.max_workgroups = most;
  if (numbers.prefetch_tiles > 0) numbers.prefetch_tiles = static_cast<unsigned>(most);
}

/// Returns how a piece multiplies by roots: fused where instructions bound its speed.
device::workgroup::twiddling twiddles_of(const piece& cut, const placement& position) {
  const tile_shape& shape = cut.shape;
  // Kept rows move few bytes per instruction; so do padded reals.
  const bool may_be_kept =
      shape.makes == body::real_row && position.request.spec.store.kept_bytes > 0;
  const bool are_padded = shape.makes == body::real_rader && shape.points > 0;
  const bool is_bound = shape.is_convolution() || may_be_kept || are_padded;
  return is_bound && device::is_power_of_two(shape.length) ? position.rules.convolved_twiddles
                                                           : shape.twiddles;
}

}  // namespace

arrays::axis_span axes_of(const piece& cut, std::size_t axis) {
  return {axis, cut.shape.makes == body::plane ? std::size_t{2} : std::size_t{1}};
}

pass placed(const piece& cut, const placement& position) {
  pass result;
  result.real = arrays::common_precision(position.request.spec);
  const arrays::axis_span axes = axes_of(cut, position.axis);
  const request::traits& kind = position.request.kind_of_axis(axes.last());
  result.is_forward = cut.is_forward.value_or(kind.computes_forward());
  result.resident = cut.resident;
  result.fraction = cut.fraction;
  if (!cut.is_forward) result.in_place_spacing = cut.in_place_spacing;
  if (position.filter != nullptr) {
    result.filter = pass_side{{.location = place::filter, .stored = position.filter->stored}};
  }
  pass_numbers& numbers = result.numbers;
  numbers.shape = cut.shape;
  numbers.shape.twiddles = twiddles_of(cut, position);
  numbers.shape.times = position.filter != nullptr ? position.filter->times : product::plain;
  numbers.prior = cut.prior;
  numbers.total = cut.total;
  add_convolution(result, cut);
  numbers.n_turns = cut.n_turns;
  fill_side(result.in, numbers.in, position.from, axes);
  fill_side(result.out, numbers.out, position.to, axes);
  result.out.streams = cut.streams;
  place_butterfly(numbers, cut, position);
  if (kind.is_conjugated()) {
    numbers.in.is_conjugated = position.begins && kind.in == request::domain::hermitian;
    numbers.out.is_conjugated = position.ends && kind.out == request::domain::hermitian;
  }
  if (axes.count == 1) {
    const arrays::axis &from = position.from.axes[position.axis],
                       &to = position.to.axes[position.axis];
    const std::size_t points = cut.is_padded() ? cut.chirped->numbers->points : cut.total;
    numbers.in.is_hermitian = position.begins && from.length < points;
    limit(numbers.in, result.in, from, position.begins, points < cut.total);
    limit(numbers.out, result.out, to, position.ends, to.length < cut.total);
  }
  if (position.filter != nullptr && position.filter->blocks.length > 0) {
    numbers.out.block = position.filter->blocks.length;
    numbers.out.block_stride = position.filter->blocks.stride;
    numbers.out.block_first = position.to.axes[position.axis].placed.first;
  }
  const gathered_sides gathered = add_loops(result, cut, position);
  add_functors(result, position.request);
  stage(result, position, gathered);
  keep(result, position, gathered);
  start_early(result, position);
  const bool has_whole_rows = cut.n_turns == 0;  // in memory before the pass
  if (!result.numbers.starts_early && !result.shape().keeps() && has_whole_rows)
    prefetch(result, cut.prefetch_bytes, position);
  limit_workgroups(result, position);
  return result;
}

}  // namespace wingbeat::planner
