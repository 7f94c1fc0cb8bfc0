// SPDX-License-Identifier: Apache-2.0
#include "arrays/array.hpp"

#include <algorithm>  // all_of, max, none_of

namespace wingbeat::arrays {
namespace {

/// Describes a real side by pairs of neighbours on its last axis.
void take_pairs(array& result, bool are_whole) {
  result.elements_are = element::pair;
  axis& last = result.axes.back();
  last.length /= 2;
  if (are_whole) {
    last.valid = last.placed = {0, last.length};
    for (std::size_t a = 0; a + 1 < result.axes.size(); ++a) result.axes[a].stride /= 2;
    for (side_batch& batch : result.batches) batch.distance /= 2;
  } else {
    result.has_parts = true;
    result.parts_distance = last.stride;  // 0 where all of an axis is one number
    last.stride *= 2;
  }
}

array array_of(const side& source, place location, const plan_spec& spec, real_side real) {
  array result;
  result.location = location;
  result.stored = (location == place::input ? spec.in : spec.out).stored.value_or(spec.real);
  result.elements_are = source.is_real ? element::real : element::complex;
  result.has_parts = source.imaginary_at != 0;
  result.parts_distance = source.imaginary_at;
  result.has_half_spectrum = is_real(spec.kind) && !source.is_real;
  for (const side_axis& each : source.axes) {
    const bool is_limited = each.valid.first != 0 || each.valid.end != each.length;
    result.axes.push_back(
        {each.length, each.stride, each.valid, is_limited, {each.origin, each.length}});
  }
  result.batches = source.batches;
  if (source.is_real && real == real_side::as_pairs) take_pairs(result, source.is_of_whole_pairs());
  return result;
}

}  // namespace

std::size_t array::elements() const {
  std::size_t product = 1;
  for (const axis& each : axes) product *= each.length;
  return product;
}

std::size_t array::valid_elements() const {
  std::size_t product = 1;
  for (const axis& each : axes) product *= each.valid_count();
  return product;
}

bool array::is_whole() const {
  return std::none_of(axes.begin(), axes.end(), [](const axis& each) { return each.is_limited; });
}

std::size_t array::unit_reals() const {
  return has_parts || elements_are == element::real ? 1 : 2;
}

std::size_t array::bytes() const {
  std::size_t units = 1;
  for (const axis& each : axes) {
    units = std::max(units, each.stride * (each.placed.end - each.placed.first));
  }
  for (const side_batch& batch : batches) units = std::max(units, batch.distance * batch.count);
  return units * unit_reals() * bytes_of_real(stored);
}

bool array::has_batch_inside() const {
  bool is_inside = false;
  for (const side_batch& batch : batches) {
    if (batch.count == 1) continue;
    is_inside = std::all_of(axes.begin(), axes.end(), [&](const axis& each) {
      return each.length == 1 || batch.distance < each.stride;
    });
    if (!is_inside) return false;
  }
  return is_inside;
}

array input_array(const plan_spec& spec, real_side real) {
  return array_of(input_side(spec), place::input, spec, real);
}

array output_array(const plan_spec& spec, real_side real) {
  return array_of(output_side(spec), place::output, spec, real);
}

precision common_precision(const plan_spec& spec) {
  return spec.real == precision::fp64 ? precision::fp64 : precision::fp32;
}

std::size_t row_padding::padded(std::size_t length) const {
  std::size_t result = length;
  if (length % 2 != 0 && length >= shortest_odd) {
    result = (length + multiple_of_odd - 1) / multiple_of_odd * multiple_of_odd;
  }
  if (crowded_multiple != 0 && length % crowded_multiple == 0) result += gap;
  return result;
}

void pack(array& result, bool batch_inside, const row_padding& padding) {
  std::size_t stride = 1;
  const auto place_batches = [&] {
    for (auto batch = result.batches.rbegin(); batch != result.batches.rend(); ++batch) {
      batch->distance = stride;
      stride *= batch->count;
    }
  };
  if (batch_inside) {
    place_batches();
    stride = padding.padded(stride);
  }
  for (auto each = result.axes.rbegin(); each != result.axes.rend(); ++each) {
    const std::size_t room = each->placed.end - each->placed.first;
    const bool is_fastest = !batch_inside && each == result.axes.rbegin();
    each->stride = stride;
    stride *= is_fastest ? padding.padded(room) : room;
  }
  if (!batch_inside) place_batches();
}

}  // namespace wingbeat::arrays
