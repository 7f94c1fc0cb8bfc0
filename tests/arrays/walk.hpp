// SPDX-License-Identifier: Apache-2.0
// Every element of small arrays, one by one: by the description of `memory_layout` in
// wingbeat/plan.hpp, and by the fields of an array. Places count stored reals.
#pragma once

#include <algorithm>  // max, sort
#include <vector>

#include "arrays/address_space.hpp"  // product_of
#include "arrays/array.hpp"          // array
#include "wingbeat/plan.hpp"         // plan_spec

namespace wingbeat::test {

using places = std::vector<std::size_t>;

/// Calls `visit(index)` for all indices below `counts`, the last fastest.
template <class Visit>
void for_each_index(const std::vector<std::size_t>& counts, Visit visit) {
  const std::size_t n = product_of(counts);
  for (std::size_t number = 0; number < n; ++number) {
    std::vector<std::size_t> index(counts.size());
    std::size_t rest = number;
    for (std::size_t d = counts.size(); d-- > 0; rest /= counts[d]) index[d] = rest % counts[d];
    visit(index);
  }
}

/// Returns whether one side of a request has real numbers.
inline bool has_reals(const plan_spec& spec, bool is_input) {
  return spec.kind == (is_input ? transform::forward_from_real : transform::inverse_to_real);
}

/// Returns the elements of each axis: of the last of a half spectrum N/2+1.
inline std::vector<std::size_t> lengths_of(const plan_spec& spec, bool is_input) {
  auto lengths = spec.lengths;
  const bool is_real_kind =
      spec.kind == transform::forward_from_real || spec.kind == transform::inverse_to_real;
  if (is_real_kind && !has_reals(spec, is_input)) lengths.back() = lengths.back() / 2 + 1;
  return lengths;
}

/// Returns the reals of one side of a request, in no order.
inline places places_of(const plan_spec& spec, bool is_input) {
  const memory_layout& layout = is_input ? spec.in : spec.out;
  const auto& valid = is_input ? spec.valid_in : spec.valid_out;
  const auto lengths = lengths_of(spec, is_input);
  const std::size_t n_axes = lengths.size();
  const bool is_real_side = has_reals(spec, is_input);
  auto strides = layout.strides, distances = layout.distances;
  std::size_t end = 1;
  if (strides.empty()) {
    strides.resize(n_axes);
    const bool is_padded = is_real_side && spec.where == wingbeat::placement::in_place;
    for (std::size_t a = n_axes; a-- > 0;) {
      strides[a] = end;
      end *= lengths[a] + (is_padded && a + 1 == n_axes ? 2 : 0);
    }
  } else {
    for (std::size_t a = 0; a < n_axes; ++a) end = std::max(end, strides[a] * lengths[a]);
  }
  auto origin = layout.origin;
  if (origin.empty()) origin.assign(n_axes, 0);
  const auto& counts = spec.batch.counts();
  if (distances.empty()) {
    distances.resize(counts.size());
    for (std::size_t b = counts.size(); b-- > 0; end *= counts[b]) distances[b] = end;
  }
  auto extents = lengths;
  extents.insert(extents.end(), counts.begin(), counts.end());
  places result;
  for_each_index(extents, [&](const std::vector<std::size_t>& index) {
    std::size_t unit = 0;
    for (std::size_t a = 0; a < n_axes; ++a) {
      if (!valid.empty() && (index[a] < valid[a].first || index[a] >= valid[a].end)) return;
      unit += (index[a] - origin[a]) * strides[a];
    }
    for (std::size_t b = 0; b < counts.size(); ++b) unit += index[n_axes + b] * distances[b];
    if (is_real_side) return result.push_back(unit);
    const bool is_planar = layout.imaginary_at != 0;
    result.push_back(is_planar ? unit : 2 * unit);
    result.push_back(is_planar ? unit + layout.imaginary_at : 2 * unit + 1);
  });
  return result;
}

/// Calls `visit(unit, index)` for all valid elements of an array; the indices of axes, then those
/// of the batch. Pairs that have parts are visited where one of their reals is valid.
template <class Visit>
void for_each_valid(const arrays::array& source, Visit visit) {
  std::vector<std::size_t> counts;
  const std::size_t n_axes = source.axes.size();
  for (const auto& axis : source.axes) counts.push_back(axis.length);
  for (const auto& batch : source.batches) counts.push_back(batch.count);
  for_each_index(counts, [&](const std::vector<std::size_t>& index) {
    std::size_t unit = 0;
    for (std::size_t a = 0; a < n_axes; ++a) {
      const arrays::axis& axis = source.axes[a];
      const bool in_reals =
          source.elements_are == arrays::element::pair && source.has_parts && a + 1 == n_axes;
      const std::size_t first = in_reals ? 2 * index[a] : index[a];
      const std::size_t end = in_reals ? first + 2 : first + 1;
      if (end <= axis.valid.first || first >= axis.valid.end) return;
      unit += in_reals ? (first - axis.placed.first) * source.parts_distance  // modulo 2^64
                       : (index[a] - axis.placed.first) * axis.stride;
    }
    for (std::size_t b = 0; b < source.batches.size(); ++b) {
      unit += index[n_axes + b] * source.batches[b].distance;
    }
    visit(unit, index);
  });
}

/// Returns the reals of an array, in no order.
inline places places_of(const arrays::array& source) {
  using arrays::element;
  places result;
  const auto& range = source.axes.back().valid;
  for_each_valid(source, [&](std::size_t unit, const std::vector<std::size_t>& index) {
    if (source.elements_are == element::real) return result.push_back(unit);
    const std::size_t first = source.has_parts ? unit : 2 * unit;
    const std::size_t second = source.has_parts ? unit + source.parts_distance : first + 1;
    const std::size_t i = 2 * index[source.axes.size() - 1];
    const bool is_split = source.elements_are == element::pair && source.has_parts;
    if (!is_split || (i >= range.first && i < range.end)) result.push_back(first);
    if (!is_split || (i + 1 >= range.first && i + 1 < range.end)) result.push_back(second);
  });
  return result;
}

inline places sorted(places list) {
  std::sort(list.begin(), list.end());
  return list;
}

}  // namespace wingbeat::test
