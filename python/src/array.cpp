// SPDX-License-Identifier: Apache-2.0
#include "array.hpp"

#include <algorithm>  // sort
#include <cstdlib>    // abs
#include <utility>    // pair

namespace wingbeat::python {
namespace {

constexpr element_type whole(whole_number kind, std::uint32_t bytes) {
  return {precision::fp32, false, kind, bytes};
}

constexpr named_type types[] = {
    {"float32", {precision::fp32, false}},      {"float64", {precision::fp64, false}},
    {"float16", {precision::fp16, false}},      {"bfloat16", {precision::bf16, false}},
    {"complex64", {precision::fp32, true}},     {"complex128", {precision::fp64, true}},
    {"complex32", {precision::fp16, true}},     {"bcomplex32", {precision::bf16, true}},
    {"int8", whole(whole_number::integer, 1)},  {"uint8", whole(whole_number::natural, 1)},
    {"int16", whole(whole_number::integer, 2)}, {"uint16", whole(whole_number::natural, 2)},
    {"int32", whole(whole_number::integer, 4)}, {"uint32", whole(whole_number::natural, 4)},
    {"int64", whole(whole_number::integer, 8)}, {"uint64", whole(whole_number::natural, 8)},
    {"bool", whole(whole_number::truth, 1)},
};

}  // namespace

std::span<const named_type> named_types() noexcept {
  return types;
}

std::optional<element_type> element_type_named(std::string_view name) noexcept {
  for (const named_type& each : types) {
    if (name == each.name) return each.element;
  }
  return std::nullopt;
}

std::string name_of(element_type element) {
  for (const named_type& each : types) {
    if (each.element == element) return each.name;
  }
  return "unknown";
}

std::size_t array::elements() const noexcept {
  std::size_t product = 1;
  for (int d = 0; d < rank; ++d) product *= static_cast<std::size_t>(shape[d]);
  return product;
}

std::size_t array::extent_bytes() const noexcept {
  std::size_t last = 0;
  for (int d = 0; d < rank; ++d) {
    if (shape[d] == 0) return 0;
    last += static_cast<std::size_t>((shape[d] - 1) * strides[d]);
  }
  return last + element.bytes();
}

bool array::is_readable() const noexcept {
  const bool is_on_host = runs_on == engine::host;
  // A GPU reads a complex number in one instruction;
  const std::size_t alignment = is_on_host ? element.real_bytes() : element.bytes();
  if (address() % alignment != 0) return false;
  const auto bytes = static_cast<std::ptrdiff_t>(element.bytes());
  bool has_pairs = !is_on_host && !element.is_complex;  // and two reals, if all strides are even
  for (int d = 0; d < rank; ++d) {
    if (shape[d] <= 1) continue;
    if (strides[d] < 0 || strides[d] % bytes != 0) return false;
    has_pairs = has_pairs && (strides[d] == bytes || strides[d] / bytes % 2 == 0);
  }
  return !has_pairs || address() % (2 * element.bytes()) == 0;
}

bool array::lies_apart() const noexcept {
  std::array<std::pair<std::ptrdiff_t, std::ptrdiff_t>, max_rank> dimensions;  // stride, count
  int n = 0;
  for (int d = 0; d < rank; ++d) {
    if (shape[d] > 1) dimensions[n++] = {std::abs(strides[d]), shape[d]};
  }
  std::sort(dimensions.begin(), dimensions.begin() + n);
  std::ptrdiff_t reach = 0;
  for (int d = 0; d < n; ++d) {
    const auto& [stride, count] = dimensions[d];
    if (stride <= reach) return false;
    reach += (count - 1) * stride;
  }
  return true;
}

bool may_overlap(const array& a, const array& b) noexcept {
  if (a.runs_on == engine::opencl && a.data != b.data) return false;
  return a.address() < b.address() + b.extent_bytes() &&
         b.address() < a.address() + a.extent_bytes();
}

bool lie_alike(const array& a, const array& b) noexcept {
  if (a.rank != b.rank || !(a.element == b.element)) return false;
  for (int d = 0; d < a.rank; ++d) {
    if (a.shape[d] != b.shape[d]) return false;
    if (a.shape[d] > 1 && a.strides[d] != b.strides[d]) return false;
  }
  return true;
}

bool are_one_place(const array& a, const array& b) noexcept {
  return a.data == b.data && a.offset_bytes == b.offset_bytes && lie_alike(a, b);
}

void pack(array& packed) noexcept {
  auto stride = static_cast<std::ptrdiff_t>(packed.element.bytes());
  for (int d = packed.rank; d-- > 0;) {
    packed.strides[d] = stride;
    stride *= packed.shape[d];
  }
}

}  // namespace wingbeat::python
