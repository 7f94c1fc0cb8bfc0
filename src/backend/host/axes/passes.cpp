// SPDX-License-Identifier: Apache-2.0
#include "backend/host/axes/passes.hpp"

#include <algorithm>  // max, reverse, stable_sort
#include <utility>    // move

#include "arrays/order.hpp"             // arrays_of_passes, order_of_axes
#include "backend/host/thresholds.hpp"  // limits
#include "request/functors.hpp"         // title_of_functor

namespace wingbeat::backend::host {
namespace {

using arrays::array;
using arrays::beside;

/// One end of a pass before it is limited to an axis: an array whose strides and distances count
/// stored reals, or elements of a functor.
struct array_end {
  array source;
  bool is_functor = false;
};

array_end end_in_reals(const array& source, bool is_functor) {
  array_end result{source, is_functor};
  const std::size_t unit = is_functor ? 1 : source.unit_reals();
  for (arrays::axis& axis : result.source.axes) axis.stride *= unit;
  for (arrays::batch& batch : result.source.batches) batch.distance *= unit;
  return result;
}

pass_end end_along(const array_end& end, const arrays::axis_span& span) {
  const array& source = end.source;
  const arrays::axis& axis = source.axes[span.first];
  pass_end result;
  result.location = source.location;
  result.type = end.is_functor ? stored::own : stored_as(source.stored);
  result.is_functor = end.is_functor;
  if (source.elements_are == arrays::element::complex) {
    result.imaginary_at = source.has_parts ? source.parts_distance : 1;
  }
  result.length = axis.length;
  result.valid = axis.valid;
  result.stride = axis.stride;
  result.first = arrays::offset_beside(source, span) + axis.first_offset();
  result.points = source.valid_elements();
  return result;
}

/// Orders dimensions so that the fastest one has the nearest columns, for ends whose columns are
/// not rows.
void sort(std::vector<beside>& dimensions, const pass_end& in, const pass_end& out) {
  const auto spread = [&](const beside& each) {
    return (in.stride == in.unit() ? 0 : each.in) + (out.stride == out.unit() ? 0 : each.out);
  };
  std::stable_sort(dimensions.begin(), dimensions.end(), [&](const beside& a, const beside& b) {
    if (spread(a) != spread(b)) return spread(a) > spread(b);
    return a.in + a.out > b.in + b.out;
  });
}

/// Fills in the dimensions that a pass repeats over.
void add_repeats(pass& result, const array& from, const array& to) {
  std::vector<beside> dimensions = arrays::dimensions_beside(from, to, {result.axis, 1});
  std::erase_if(dimensions, [](const beside& each) { return each.count == 1; });
  sort(dimensions, result.in, result.out);
  if (!dimensions.empty() && dimensions.front().axis == 0) {
    result.n_slabs = dimensions.front().count;
  }
  std::reverse(dimensions.begin(), dimensions.end());
  arrays::merge(dimensions);
  result.repeats.assign(dimensions.rbegin(), dimensions.rend());
  if (result.repeats.empty()) result.repeats.emplace_back();
}

/// Returns an array of some of a batch's transforms.
array of_counts(array source, const std::vector<std::size_t>& counts) {
  for (std::size_t b = 0; b < counts.size(); ++b) source.batches[b].count = counts[b];
  return source;
}

}  // namespace

stored stored_as(precision real) {
  switch (real) {
    case precision::fp16: return stored::fp16;
    case precision::bf16: return stored::bf16;
    case precision::fp32:
    case precision::fp64: break;
  }
  return stored::own;
}

std::vector<std::size_t> distances_of(const array& source, bool is_functor) {
  const array_end end = end_in_reals(source, is_functor);
  std::vector<std::size_t> distances;
  for (const arrays::batch& batch : end.source.batches) distances.push_back(batch.distance);
  return distances;
}

std::size_t pass::n_columns() const {
  std::size_t n = 1;
  for (const arrays::dimension& each : repeats) n *= each.count;
  return n;
}

bool pass::has_whole_reals() const {
  return kind.is_real() && length % 2 != 0;
}

std::size_t pass::complex_length() const {
  return kind.is_real() && !has_whole_reals() ? length / 2 : length;
}

pass_list passes_of(const request::resolved_spec& request, const std::vector<std::size_t>& counts) {
  const plan_spec& spec = request.spec;
  const auto order = arrays::order_of_axes(request.in, request.out);
  std::vector<arrays::pass_outline> outlines;
  for (const arrays::axis_span& span : order) outlines.push_back({.axes = span});
  const auto between = arrays::arrays_of_passes(
      spec, of_counts(request.in, counts), of_counts(request.out, counts), outlines,
      {.padding = {.crowded_multiple = limits.crowded_rows, .gap = limits.row_gap},
       .is_cropped = true});
  pass_list result;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool is_last = i + 1 == order.size();
    const array_end source = end_in_reals(between[i], i == 0 && spec.load.is_given());
    const array_end target = end_in_reals(between[i + 1], is_last && spec.store.is_given());
    if (target.source.location == arrays::place::workspace_a) {
      result.work_bytes = std::max(result.work_bytes, between[i + 1].bytes());
    }
    const std::size_t axis = order[i].first;
    pass each;
    each.kind = request.kind_of_axis(axis);
    each.axis = axis;
    each.length = spec.lengths[axis];
    each.orthogonalizes = spec.orthogonalize;
    each.in = end_along(source, order[i]);
    each.out = end_along(target, order[i]);
    if (source.is_functor) {
      each.in.functor_title = request::title_of_functor(spec.load.source.text, "your load");
    }
    if (target.is_functor) {
      each.out.takes_rows = spec.store.row_outputs > 0;
      each.out.functor_title = request::title_of_functor(spec.store.source.text, "your store");
    }
    add_repeats(each, source.source, target.source);
    result.passes.push_back(std::move(each));
  }
  return result;
}

}  // namespace wingbeat::backend::host
