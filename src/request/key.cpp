// SPDX-License-Identifier: Apache-2.0
#include "request/key.hpp"

#include <array>
#include <bit>          // bit_cast
#include <concepts>     // integral
#include <cstdint>      // uint64_t
#include <cstring>      // memcpy
#include <type_traits>  // is_enum_v
#include <utility>      // move
#include <vector>

namespace wingbeat::request {
namespace {

/// Appends values one after another. Fields of variable size are preceded by their size, so that
/// different requests never have the same bytes.
class key_writer {
 public:
  template <class... Values>
  requires(sizeof...(Values) > 1) void add(const Values&... values) { (add(values), ...); }
  template <class Value>
  requires std::integral<Value> || std::is_enum_v<Value>
  void add(Value number) {
    const auto wide = static_cast<std::uint64_t>(number);
    std::array<char, sizeof wide> bytes;
    std::memcpy(bytes.data(), &wide, sizeof wide);
    key_.append(bytes.data(), bytes.size());
  }
  void add(double number) { add(std::bit_cast<std::uint64_t>(number)); }
  void add(std::byte byte) { key_ += static_cast<char>(byte); }
  void add(const std::string& text) {
    add(text.size());
    key_ += text;
  }
  template <class Value>
  void add(const std::vector<Value>& values) {
    add(values.size());
    for (const Value& each : values) add(each);
  }
  template <class Value>
  void add(const std::optional<Value>& value) {
    add(value.has_value());
    if (value) add(*value);
  }
  void add(const index_range& range) {
    const auto& [first, end] = range;
    add(first, end);
  }
  void add(const memory_layout& layout) {
    const auto& [strides, distances, imaginary_at, origin, stored] = layout;
    add(strides, distances, imaginary_at, origin, stored);
  }
  void add(const kernel_parameter& parameter) {
    add(parameter.bytes(), parameter.is_memory(), parameter.is_written(), parameter.kind());
  }
  void add(const fused_source& functor) {
    const auto& [text, type, parameters] = functor;
    add(text, type, parameters);
  }
  void add(const fused_load& functor) {
    const auto& [in_bytes, element_bytes, source, callable, operands, moved_bytes] = functor;
    add(in_bytes, moved_bytes, element_bytes, source, operands);
  }
  void add(const fused_store& functor) {
    const auto& [out_bytes, element_bytes, source, callable, partial_bytes, row_outputs, kept_bytes,
                 kept_moved_bytes, clears_output, operands, moved_bytes, max_workgroups] = functor;
    add(out_bytes, moved_bytes, partial_bytes, row_outputs, kept_bytes, kept_moved_bytes,
        clears_output, element_bytes, max_workgroups, source, operands);
  }

  key_writer() { key_.reserve(usual_bytes); }
  std::string take() { return std::move(key_); }

 private:
  static constexpr std::size_t usual_bytes = 768;  // for requests without text

  std::string key_;
};

}  // namespace

std::optional<std::string> key_of(const device_info& device, const plan_spec& spec) {
  if (spec.load.callable.index() != 0 || spec.store.callable.index() != 0 ||
      spec.multiplier.callable.index() != 0) {
    return std::nullopt;
  }
  // Bound by name, here and above: another field does not compile until it is added here.
  const auto& [lengths, batch, kind, axis_kinds, real, scale, orthogonalize, factor, bins, placed,
               load, store, multiplier, in, out, valid_in, valid_out] = spec;
  key_writer key;
  key.add(device.runs_on, device.index, lengths, batch.counts(), kind, axis_kinds, real, scale,
          orthogonalize, factor, bins, placed, load, store, multiplier, in, out, valid_in,
          valid_out);
  return key.take();
}

}  // namespace wingbeat::request
