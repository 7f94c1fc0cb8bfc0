// SPDX-License-Identifier: Apache-2.0
#include "request/resolved.hpp"

#include <algorithm>   // max
#include <cmath>       // sqrt
#include <functional>  // multiplies
#include <numeric>     // accumulate

namespace wingbeat::request {
namespace {

using arrays::array;
using arrays::element;
using arrays::place;

/// One side of a request, as its fields state it.
struct stated_side {
  place location;
  const memory_layout& layout;
  const std::vector<index_range>& valid;
  domain values;
  bool has_functor;
};

/// Returns the elements from one row to the next: in place, rows have room for either side.
std::size_t row_pitch(const plan_spec& spec, domain values) {
  const std::size_t n = spec.lengths.back();
  if (spec.where != placement::in_place) return count_of(values, n);
  const auto reals = [n](domain each) { return count_of(each, n) * reals_of(each); };
  const traits& kind = traits_of(spec.kind);
  return std::max(reals(kind.in), reals(kind.out)) / reals_of(values);
}

/// Fills in strides and distances, and the room in memory of each axis.
void place_elements(array& result, const stated_side& side, std::size_t pitch) {
  const memory_layout& layout = side.layout;
  // A functor numbers only the elements in the ranges.
  for (arrays::axis& each : result.axes) {
    each.placed = side.has_functor ? each.valid : index_range{0, each.length};
  }
  if (!side.has_functor) result.axes.back().placed.end = pitch;
  arrays::pack(result, false, {});
  std::size_t distance = 0;
  for (std::size_t a = 0; a < result.axes.size(); ++a) {
    arrays::axis& each = result.axes[a];
    if (!layout.strides.empty()) each.stride = layout.strides[a];
    if (!layout.origin.empty()) each.placed.first = layout.origin[a];
    each.placed.end = each.length;
    distance = std::max(distance, each.stride * each.length);
  }
  for (std::size_t b = result.batches.size(); b-- > 0;) {
    arrays::batch& each = result.batches[b];
    if (!layout.strides.empty()) each.distance = distance;
    if (!layout.distances.empty()) each.distance = layout.distances[b];
    distance *= each.count;
  }
}

array array_of(const plan_spec& spec, const stated_side& side) {
  array result;
  result.location = side.location;
  result.stored = side.layout.stored.value_or(spec.real);
  result.elements_are = side.values == domain::real ? element::real : element::complex;
  result.has_parts = side.layout.imaginary_at != 0;
  result.parts_distance = side.layout.imaginary_at;
  for (std::size_t a = 0; a < spec.lengths.size(); ++a) {
    const bool is_last = a + 1 == spec.lengths.size();
    const std::size_t n = is_last ? count_of(side.values, spec.lengths[a]) : spec.lengths[a];
    const index_range valid = side.valid.empty() ? index_range{0, n} : side.valid[a];
    result.axes.push_back(
        {.length = n, .valid = valid, .is_limited = valid != index_range{0, n}, .placed = {}});
  }
  for (const std::size_t count : spec.batch.counts()) result.batches.push_back({count});
  place_elements(result, side, row_pitch(spec, side.values));
  return result;
}

/// Reals and bins in place have one buffer, large enough for the padded rows and for the bins.
std::size_t memory_bytes(const resolved_spec& request, const array& side) {
  const bool is_padded =
      request.kind.has_half_spectrum() && request.spec.where == placement::in_place;
  return is_padded ? std::max(request.in.valid_bytes(), request.out.valid_bytes())
                   : side.valid_bytes();
}

}  // namespace

array input_array(const plan_spec& spec) {
  return array_of(
      spec, {place::input, spec.in, spec.valid_in, traits_of(spec.kind).in, spec.load.is_given()});
}

array output_array(const plan_spec& spec) {
  return array_of(spec, {place::output, spec.out, spec.valid_out, traits_of(spec.kind).out,
                         spec.store.is_given()});
}

std::size_t points_of(const plan_spec& spec) noexcept {
  return std::accumulate(spec.lengths.begin(), spec.lengths.end(), std::size_t{1},
                         std::multiplies<>{});
}

const traits& kind_of_axis(const plan_spec& spec, const traits& kind, std::size_t axis) noexcept {
  if (!spec.axis_kinds.empty()) return traits_of(spec.axis_kinds[axis]);
  return axis + 1 == spec.lengths.size() ? kind : traits_of(kind.other_axes);
}

long double logical_points_of(const plan_spec& spec) noexcept {
  long double n = 1;
  for (std::size_t a = 0; a < spec.lengths.size(); ++a) {
    n *= static_cast<long double>(kind_of_axis(spec, a).logical_length(spec.lengths[a]));
  }
  return n;
}

long double factor_of(const plan_spec& spec) noexcept {
  const long double n = logical_points_of(spec);
  switch (spec.scale) {
    case scaling::none: return spec.factor;
    case scaling::by_length: return spec.factor / n;
    case scaling::by_sqrt_length: return spec.factor / std::sqrt(n);
  }
  return spec.factor;
}

std::size_t moved_bytes(const fused_load& load) noexcept {
  return load.moved_bytes != 0 ? load.moved_bytes : load.in_bytes;
}

std::size_t moved_bytes(const fused_store& store) noexcept {
  if (store.moved_bytes != 0) return store.moved_bytes;
  const bool adds = store.partial_bytes > 0 || store.clears_output;
  return (adds ? 2 : 1) * store.out_bytes;
}

std::size_t resolved_spec::in_bytes() const {
  return spec.load.is_given() ? spec.load.in_bytes : memory_bytes(*this, in);
}

std::size_t resolved_spec::out_bytes() const {
  return spec.store.is_given() ? spec.store.out_bytes : memory_bytes(*this, out);
}

std::size_t resolved_spec::moved_in() const {
  return spec.load.is_given() ? moved_bytes(spec.load) : in.occupied_bytes();
}

std::size_t resolved_spec::moved_out() const {
  if (!spec.store.is_given()) return out.occupied_bytes();
  return moved_bytes(spec.store) + (spec.store.clears_output ? spec.store.out_bytes : 0);
}

std::size_t resolved_spec::copied_bytes() const {
  return (spec.load.is_given() ? spec.load.in_bytes : in.occupied_bytes()) +
         (spec.store.is_given() ? spec.store.out_bytes : out.occupied_bytes());
}

bool resolved_spec::may_be_one_place() const {
  if (spec.load.is_given() || spec.store.is_given()) return false;
  // Reals and bins differ in size, so a batch in place needs padding.
  if (kind.has_half_spectrum()) return spec.where == placement::in_place;
  return are_alike(in, out);
}

}  // namespace wingbeat::request
