// SPDX-License-Identifier: Apache-2.0
#include "planner/array.hpp"

#include <algorithm>  // all_of

namespace wingbeat::planner {
namespace {

array array_of(const side& of, precision stored, bool holds_bins) {
  array result;
  result.stored = stored;
  result.holds_bins = holds_bins;
  result.apart = of.imaginary_at;
  result.has_parts = of.imaginary_at != 0;
  for (const side_axis& axis : of.axes) {
    const bool is_limited = axis.valid.first != 0 || axis.valid.end != axis.length;
    result.axes.push_back({axis.length, axis.stride, axis.valid, is_limited});
  }
  for (const side_batch& batch : of.batches) result.distances.push_back(batch.distance);
  result.lead = of.lead();
  result.row_elements = of.elements();
  if (!of.is_real) return result;
  array_axis& last = result.axes.back();
  last.length /= 2;
  result.is_pairs = true;
  if (of.is_of_whole_pairs()) {
    last.valid = {0, last.length};
    for (std::size_t a = 0; a + 1 < result.axes.size(); ++a) result.axes[a].stride /= 2;
    for (std::size_t& distance : result.distances) distance /= 2;
    result.lead /= 2;
    result.row_elements /= 2;
  } else {
    result.has_parts = true;
    result.apart = last.stride;  // 0 where all of an axis is one number
    last.stride *= 2;
  }
  return result;
}

}  // namespace

precision common_precision(const plan_spec& spec) {
  return spec.real == precision::fp64 ? precision::fp64 : precision::fp32;
}

std::size_t array::elements() const {
  std::size_t product = 1;
  for (const array_axis& axis : axes) product *= axis.length;
  return product;
}

array input_array(const plan_spec& spec) {
  return array_of(input_side(spec), spec.real, spec.kind == transform::inverse_to_real);
}

array output_array(const plan_spec& spec) {
  array result = array_of(output_side(spec), spec.real, spec.kind == transform::forward_from_real);
  result.where = place::output;
  return result;
}

bool has_batch_inside(const array& of, const plan_spec& spec) {
  const auto& counts = spec.batch.counts();
  bool is_inside = false;
  for (std::size_t b = 0; b < counts.size(); ++b) {
    if (counts[b] == 1) continue;
    is_inside = std::all_of(of.axes.begin(), of.axes.end(), [&](const array_axis& axis) {
      return axis.length == 1 || of.distances[b] < axis.stride;
    });
    if (!is_inside) return false;
  }
  return is_inside;
}

array packed_array(const plan_spec& spec, const array& like, place where, bool batch_inside,
                   const tuning::placement_rules& rules) {
  array result;
  result.where = where;
  result.stored = common_precision(spec);
  const std::size_t line = rules.line_bytes / (2 * bytes_of_real(result.stored));
  result.holds_bins = like.holds_bins;
  result.axes = like.axes;
  const auto& counts = spec.batch.counts();
  result.distances.assign(counts.size(), 0);
  std::size_t stride = 1;
  const auto place_batches = [&] {
    for (std::size_t b = counts.size(); b-- > 0;) {
      result.distances[b] = stride;
      stride *= counts[b];
    }
  };
  const auto pad = [&](std::size_t length) {
    const bool is_padded = length % 2 != 0 && length >= rules.shortest_padded;
    return is_padded ? (length + line - 1) / line * line : length;
  };
  if (batch_inside) {
    place_batches();
    stride = pad(stride);
  }
  for (auto axis = result.axes.rbegin(); axis != result.axes.rend(); ++axis) {
    axis->stride = stride;
    const bool is_innermost = !batch_inside && axis == result.axes.rbegin();
    stride *= is_innermost ? pad(axis->length) : axis->length;
  }
  if (!batch_inside) place_batches();
  return result;
}

}  // namespace wingbeat::planner
