// SPDX-License-Identifier: Apache-2.0
#include "side.hpp"

#include <algorithm>  // all_of, equal, max, sort
#include <cmath>      // sqrt
#include <numeric>    // accumulate
#include <utility>    // pair

namespace wingbeat {
namespace {

/// Fills in the strides of contiguous rows of `row` units each.
void pack(std::vector<side_axis>& axes, std::size_t row) {
  std::size_t stride = 1;
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    axis->stride = stride;
    stride = axis == axes.rbegin() ? row : stride * axis->length;
  }
}

/// Packs what a functor numbers: the elements in the ranges alone.
void pack_valid(side& array) {
  std::size_t stride = 1;
  for (auto axis = array.axes.rbegin(); axis != array.axes.rend(); ++axis) {
    axis->stride = stride;
    axis->origin = axis->valid.first;
    stride *= axis->valid.end - axis->valid.first;
  }
  for (auto batch = array.batches.rbegin(); batch != array.batches.rend(); ++batch) {
    batch->distance = stride;
    stride *= batch->count;
  }
}

side side_of(const plan_spec& spec, const memory_layout& layout,
             const std::vector<index_range>& valid, bool is_real_side, std::size_t last_length,
             bool has_functor) {
  side result;
  result.is_real = is_real_side;
  result.imaginary_at = layout.imaginary_at;
  result.real_bytes = bytes_of_real(layout.stored.value_or(spec.real));
  for (const std::size_t n : spec.lengths) result.axes.push_back({n, 1, {0, n}});
  const std::size_t n = spec.lengths.back();
  result.axes.back() = {last_length, 1, {0, last_length}};
  const bool is_padded = is_real_side && spec.where == placement::in_place;
  const std::size_t padded_row = 2 * (n / 2 + 1);  // room for the bins
  pack(result.axes, is_padded ? padded_row : last_length);
  std::size_t distance = 0;
  for (std::size_t a = 0; a < result.axes.size(); ++a) {
    if (!layout.strides.empty()) result.axes[a].stride = layout.strides[a];
    if (!valid.empty()) result.axes[a].valid = valid[a];
    if (!layout.origin.empty()) result.axes[a].origin = layout.origin[a];
    distance = std::max(distance, result.axes[a].stride * result.axes[a].length);
  }
  if (layout.strides.empty() && is_padded && result.axes.size() == 1) distance = padded_row;
  for (const std::size_t count : spec.batch.counts()) result.batches.push_back({count, 0});
  for (std::size_t b = result.batches.size(); b-- > 0;) {
    result.batches[b].distance = layout.distances.empty() ? distance : layout.distances[b];
    distance *= result.batches[b].count;
  }
  if (has_functor && !valid.empty()) pack_valid(result);
  return result;
}

}  // namespace

std::size_t side::bytes() const {
  std::size_t last = imaginary_at;
  for (const side_axis& axis : axes) {
    if (axis.valid.end <= axis.valid.first) return 0;
    last += (axis.valid.end - 1 - axis.origin) * axis.stride;
  }
  for (const side_batch& batch : batches) last += (batch.count - 1) * batch.distance;
  return (last + 1) * unit_bytes();
}

std::size_t side::lead() const {
  std::size_t units = 0;
  for (const side_axis& axis : axes) units += axis.origin * axis.stride;
  return units;
}

std::size_t side::elements() const {
  std::size_t count = 1;
  for (const side_axis& axis : axes) count *= axis.valid.end - axis.valid.first;
  return count;
}

std::size_t side::occupied_bytes() const {
  std::size_t count = 1;
  for (const side_axis& axis : axes) {
    if (axis.stride != 0) count *= axis.valid.end - axis.valid.first;
  }
  for (const side_batch& batch : batches) {
    if (batch.distance != 0) count *= batch.count;
  }
  return count * (is_real ? 1 : 2) * real_bytes;
}

bool side::is_of_whole_pairs() const {
  const side_axis& last = axes.back();
  bool is_even = is_real && last.length % 2 == 0 && last.stride == 1 && last.valid.first == 0 &&
                 last.valid.end == last.length;
  for (std::size_t a = 0; a + 1 < axes.size(); ++a) is_even &= axes[a].stride % 2 == 0;
  for (const side_batch& batch : batches) is_even &= batch.distance % 2 == 0 || batch.count == 1;
  return is_even;
}

bool side::is_whole() const {
  return std::all_of(axes.begin(), axes.end(), [](const side_axis& axis) {
    return axis.valid.first == 0 && axis.valid.end == axis.length;
  });
}

std::optional<step_clash> side::find_clash() const {
  std::vector<std::pair<std::size_t, std::size_t>> steps;  // units, count
  for (const side_axis& axis : axes) {
    steps.emplace_back(axis.stride, axis.valid.end - axis.valid.first);
  }
  for (const side_batch& batch : batches) steps.emplace_back(batch.distance, batch.count);
  if (imaginary_at != 0) steps.emplace_back(imaginary_at, 2);
  std::sort(steps.begin(), steps.end());
  std::size_t reach = 0;
  for (const auto& [step, count] : steps) {
    if (count <= 1) continue;
    if (step <= reach) return step_clash{step, reach};
    reach += (count - 1) * step;
  }
  return std::nullopt;
}

std::size_t bytes_of_real(precision real) noexcept {
  switch (real) {
    case precision::fp32: return 4;
    case precision::fp64: return 8;
    case precision::fp16:
    case precision::bf16: return 2;
  }
  return 4;
}

bool is_real(transform kind) noexcept {
  return kind == transform::forward_from_real || kind == transform::inverse_to_real;
}

std::size_t points_of(const plan_spec& spec) noexcept {
  return std::accumulate(spec.lengths.begin(), spec.lengths.end(), std::size_t{1},
                         [](std::size_t a, std::size_t b) { return a * b; });
}

long double factor_of(const plan_spec& spec) noexcept {
  const auto n = static_cast<long double>(points_of(spec));
  switch (spec.scale) {
    case scaling::none: return spec.factor;
    case scaling::by_length: return spec.factor / n;
    case scaling::by_sqrt_length: return spec.factor / std::sqrt(n);
  }
  return spec.factor;
}

side input_side(const plan_spec& spec) {
  const std::size_t n = spec.lengths.back();
  const bool is_real_side = spec.kind == transform::forward_from_real;
  const bool is_bins = spec.kind == transform::inverse_to_real;
  return side_of(spec, spec.in, spec.valid_in, is_real_side, is_bins ? n / 2 + 1 : n,
                 spec.load.is_given());
}

side output_side(const plan_spec& spec) {
  const std::size_t n = spec.lengths.back();
  const bool is_real_side = spec.kind == transform::inverse_to_real;
  const bool is_bins = spec.kind == transform::forward_from_real;
  return side_of(spec, spec.out, spec.valid_out, is_real_side, is_bins ? n / 2 + 1 : n,
                 spec.store.is_given());
}

std::size_t moved_bytes(const fused_load& load) noexcept {
  return load.moved_bytes != 0 ? load.moved_bytes : load.in_bytes;
}

std::size_t moved_bytes(const fused_store& store) noexcept {
  if (store.moved_bytes != 0) return store.moved_bytes;
  const bool adds = store.partial_bytes > 0 || store.clears_output;
  return (adds ? 2 : 1) * store.out_bytes;
}

std::size_t moved_in(const plan_spec& spec) {
  return spec.load.is_given() ? moved_bytes(spec.load) : input_side(spec).occupied_bytes();
}

std::size_t moved_out(const plan_spec& spec) {
  if (!spec.store.is_given()) return output_side(spec).occupied_bytes();
  return moved_bytes(spec.store) + (spec.store.clears_output ? spec.store.out_bytes : 0);
}

bool are_alike(const side& a, const side& b) {
  const auto same_axis = [](const side_axis& x, const side_axis& y) {
    return x.length == y.length && x.stride == y.stride && x.valid.first == y.valid.first &&
           x.valid.end == y.valid.end && x.origin == y.origin;
  };
  const auto same_batch = [](const side_batch& x, const side_batch& y) {
    return x.count == y.count && x.distance == y.distance;
  };
  return a.imaginary_at == b.imaginary_at && a.is_real == b.is_real &&
         a.real_bytes == b.real_bytes &&
         std::equal(a.axes.begin(), a.axes.end(), b.axes.begin(), b.axes.end(), same_axis) &&
         std::equal(a.batches.begin(), a.batches.end(), b.batches.begin(), b.batches.end(),
                    same_batch);
}

}  // namespace wingbeat
