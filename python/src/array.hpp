// SPDX-License-Identifier: Apache-2.0
// The description of any array: memory of a device, type of the elements, shape and strides.
#pragma once

#include <array>
#include <cstddef>  // size_t, ptrdiff_t
#include <cstdint>  // uint8_t, uint32_t, uintptr_t
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "wingbeat/buffer.hpp"   // buffer_view
#include "wingbeat/devices.hpp"  // engine
#include "wingbeat/plan.hpp"     // precision

namespace wingbeat::python {

/// Most dimensions of a view: numpy's 64, and one for the two parts of complex numbers.
inline constexpr int max_rank = 65;

/// Kinds of elements that are not floating point, which no transform takes unconverted. `opaque`
/// elements have no name here.
enum class whole_number : std::uint8_t { none, truth, natural, integer, opaque };

/// The type of an element: a real or complex floating-point number, or another type.
struct element_type {
  precision real = precision::fp32;
  bool is_complex = false;
  whole_number whole = whole_number::none;
  std::uint32_t whole_bytes = 0;

  [[nodiscard]] bool is_floating() const noexcept { return whole == whole_number::none; }
  [[nodiscard]] std::size_t real_bytes() const noexcept {
    if (!is_floating()) return whole_bytes;
    return real == precision::fp64 ? 8 : real == precision::fp32 ? 4 : 2;
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return real_bytes() << int{is_complex}; }

  friend bool operator==(const element_type&, const element_type&) = default;
};

[[nodiscard]] constexpr element_type opaque_element(std::uint32_t bytes) noexcept {
  return {.whole = whole_number::opaque, .whole_bytes = bytes};
}

/// A type and its name in numpy or torch: "complex64", "bfloat16", "int16".
struct named_type {
  const char* name;
  element_type element;
};

/// Returns all types with a name, floating-point types first.
[[nodiscard]] std::span<const named_type> named_types() noexcept;

/// Returns the type with a name; nothing for unknown names.
[[nodiscard]] std::optional<element_type> element_type_named(std::string_view name) noexcept;

/// Returns the name of a type.
[[nodiscard]] std::string name_of(element_type element);

/// A non-owning view of an array.
struct array {
  void* data = nullptr;  ///< Handle, as in `buffer_view`.
  std::size_t offset_bytes = 0;
  engine runs_on = engine::host;
  int device_index = 0;
  element_type element;
  int rank = 0;
  std::array<std::ptrdiff_t, max_rank> shape;    ///< The first `rank` entries, slowest first.
  std::array<std::ptrdiff_t, max_rank> strides;  ///< In bytes.

  [[nodiscard]] std::size_t elements() const noexcept;

  /// Returns the address of the first element; for OpenCL its offset in the buffer.
  [[nodiscard]] std::uintptr_t address() const noexcept {
    return offset_bytes + (runs_on == engine::opencl ? 0 : reinterpret_cast<std::uintptr_t>(data));
  }

  /// Returns the bytes from the first element to the end of the last; strides are not negative.
  [[nodiscard]] std::size_t extent_bytes() const noexcept;

  /// Returns whether a plan can read the array without a copy: it is aligned, and strides are whole
  /// elements and not negative.
  [[nodiscard]] bool is_readable() const noexcept;

  /// Returns whether no two elements overlap: each stride exceeds the extent of all smaller ones.
  [[nodiscard]] bool lies_apart() const noexcept;

  /// Returns whether a plan can write the array without a copy.
  [[nodiscard]] bool is_writable() const noexcept { return is_readable() && lies_apart(); }

  /// Returns the stride of a dimension in elements, for a readable array.
  [[nodiscard]] std::size_t stride_of(int dimension) const noexcept {
    return static_cast<std::size_t>(strides[dimension]) / element.bytes();
  }

  [[nodiscard]] buffer_view view() const noexcept { return {data, offset_bytes, extent_bytes()}; }
};

/// Returns the view of memory of this process; strides count `unit_bytes`.
template <class Count>
array array_of(void* data, element_type element, int rank, const Count* shape, const Count* strides,
               std::size_t unit_bytes) {
  array result;
  result.data = data;
  result.element = element;
  result.rank = rank;
  for (int d = 0; d < rank; ++d) {
    result.shape[d] = shape[d];
    result.strides[d] = strides[d] * static_cast<std::ptrdiff_t>(unit_bytes);
  }
  return result;
}

/// Returns whether two readable arrays may share bytes.
[[nodiscard]] bool may_overlap(const array& a, const array& b) noexcept;

/// Returns whether two arrays have the same shape, type and strides.
[[nodiscard]] bool lie_alike(const array& a, const array& b) noexcept;

/// Returns whether two arrays have the same elements at the same addresses.
[[nodiscard]] bool are_one_place(const array& a, const array& b) noexcept;

/// Sets strides to those of a packed array, the last dimension densest.
void pack(array& packed) noexcept;

}  // namespace wingbeat::python
