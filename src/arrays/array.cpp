// SPDX-License-Identifier: Apache-2.0
#include "arrays/array.hpp"

#include <algorithm>  // all_of, max, none_of, sort
#include <utility>    // pair

namespace wingbeat {

std::size_t bytes_of_real(precision real) noexcept {
  switch (real) {
    case precision::fp32: return 4;
    case precision::fp64: return 8;
    case precision::fp16:
    case precision::bf16: return 2;
  }
  return 4;
}

}  // namespace wingbeat

namespace wingbeat::arrays {

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

std::size_t array::bytes() const {
  std::size_t units = 1;
  for (const axis& each : axes) {
    units = std::max(units, each.stride * (each.placed.end - each.placed.first));
  }
  for (const batch& each : batches) units = std::max(units, each.distance * each.count);
  return units * unit_bytes();
}

std::size_t array::valid_bytes() const {
  std::size_t last = parts_distance;
  for (const axis& each : axes) {
    if (each.valid.end <= each.valid.first) return 0;
    last += (each.valid.end - 1 - each.placed.first) * each.stride;
  }
  for (const batch& each : batches) last += (each.count - 1) * each.distance;
  return (last + 1) * unit_bytes();
}

std::size_t array::occupied_bytes() const {
  std::size_t count = is_real() ? 1 : 2;
  for (const axis& each : axes) {
    if (each.stride != 0) count *= each.valid_count();
  }
  for (const batch& each : batches) {
    if (each.distance != 0) count *= each.count;
  }
  return count * real_bytes();
}

std::size_t array::lead() const {
  std::size_t units = 0;
  for (const axis& each : axes) units += each.placed.first * each.stride;
  return units;
}

bool array::has_whole_pairs() const {
  const axis& last = axes.back();
  bool is_even = is_real() && last.length % 2 == 0 && last.stride == 1 && !last.is_limited;
  for (std::size_t a = 0; a + 1 < axes.size(); ++a) is_even &= axes[a].stride % 2 == 0;
  for (const batch& each : batches) is_even &= each.distance % 2 == 0 || each.count == 1;
  return is_even;
}

bool array::has_batch_inside() const {
  bool is_inside = false;
  for (const batch& each : batches) {
    if (each.count == 1) continue;
    is_inside = std::all_of(axes.begin(), axes.end(), [&](const axis& beside) {
      return beside.length == 1 || each.distance < beside.stride;
    });
    if (!is_inside) return false;
  }
  return is_inside;
}

std::optional<stride_clash> array::find_clash() const {
  std::vector<std::pair<std::size_t, std::size_t>> strides;  // units, count
  for (const axis& each : axes) strides.emplace_back(each.stride, each.valid_count());
  for (const batch& each : batches) strides.emplace_back(each.distance, each.count);
  if (has_parts) strides.emplace_back(parts_distance, 2);
  std::sort(strides.begin(), strides.end());
  std::size_t reach = 0;
  for (const auto& [stride, count] : strides) {
    if (count <= 1) continue;
    if (stride <= reach) return stride_clash{stride, reach};
    reach += (count - 1) * stride;
  }
  return std::nullopt;
}

bool are_alike(const array& a, const array& b) {
  return a.elements_are == b.elements_are && a.parts_distance == b.parts_distance &&
         a.real_bytes() == b.real_bytes() && a.axes == b.axes && a.batches == b.batches;
}

array as_pairs(array source) {
  if (!source.is_real()) return source;
  const bool are_whole = source.has_whole_pairs();
  source.elements_are = element::pair;
  axis& last = source.axes.back();
  last.length /= 2;
  if (are_whole) {
    last.valid = last.placed = {0, last.length};
    for (std::size_t a = 0; a + 1 < source.axes.size(); ++a) source.axes[a].stride /= 2;
    for (batch& each : source.batches) each.distance /= 2;
  } else {
    source.has_parts = true;
    source.parts_distance = last.stride;  // 0 if an axis is a single number
    last.stride *= 2;
  }
  return source;
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
