// SPDX-License-Identifier: Apache-2.0
// The arrays that passes read and write: input, output, and arrays between passes. They state which
// elements are in memory, where, and in which type.
#pragma once

#include <cstddef>  // size_t
#include <optional>
#include <vector>

#include "wingbeat/plan.hpp"  // index_range, precision

namespace wingbeat {

/// Returns the bytes of one stored real number.
[[nodiscard]] std::size_t bytes_of_real(precision real) noexcept;

namespace arrays {

/// The memory of an array. Workspaces a and b lie between the passes of a transform; between_a and
/// between_b lie between composed transforms and hold the values of spectra that those begin with.
/// Some programs have two outputs.
enum class place {
  input,
  output,
  filter,
  workspace_a,
  workspace_b,
  between_a,
  between_b,
  values,
  other_output
};
inline constexpr std::size_t n_places = 9;

/// What one element is: a complex number, a real number, or two neighbouring reals of the last axis
/// taken as one complex number.
enum class element { complex, real, pair };

/// Elements 0 .. length - 1. Those of `placed` have room in memory; those of `valid` hold a value.
/// For pairs that have parts, both ranges count reals.
struct axis {
  std::size_t length = 1;
  std::size_t stride = 1;  ///< Units from one element to the next.
  index_range valid;
  bool is_limited = false;  ///< Not all elements are valid.
  index_range placed;       ///< Its first element lies at the array's start.

  /// Returns the units from the array's start to the first valid element; not for pairs with parts.
  [[nodiscard]] std::size_t first_offset() const { return (valid.first - placed.first) * stride; }
  [[nodiscard]] std::size_t valid_count() const { return valid.end - valid.first; }

  friend bool operator==(const axis&, const axis&) = default;
};

/// Transforms 0 .. count - 1, `distance` units apart. If `block` > 0, they lie in blocks of `block`
/// transforms, and each block begins `block_distance` units after the one before.
struct batch {
  std::size_t count = 1;
  std::size_t distance = 0;
  std::size_t block = 0, block_distance = 0;

  friend bool operator==(const batch&, const batch&) = default;
};

/// The memory of an array, and how it stores an element. Strides count units: a unit is a complex
/// number, or a real number where elements are reals or have separate parts.
struct storage {
  place location = place::input;
  precision stored = precision::fp32;
  element elements_are = element::complex;
  bool has_parts = false;          ///< Each part of an element is a unit of its own,
  std::size_t parts_distance = 0;  ///< this many units apart.

  [[nodiscard]] bool is_real() const { return elements_are == element::real; }
  [[nodiscard]] std::size_t real_bytes() const { return bytes_of_real(stored); }
  /// Returns the stored reals of one unit.
  [[nodiscard]] std::size_t unit_reals() const { return has_parts || is_real() ? 1 : 2; }
  [[nodiscard]] std::size_t unit_bytes() const { return unit_reals() * real_bytes(); }
};

/// A stride or distance that clashes, and the extent of the smaller ones of its array.
struct stride_clash {
  std::size_t stride = 0;
  std::size_t reach = 0;
};

/// Where elements lie. Strides and distances count units.
struct array : storage {
  std::vector<axis> axes;  ///< Slowest first.
  std::vector<batch> batches;

  /// Returns the elements of one transform.
  [[nodiscard]] std::size_t elements() const;

  /// Returns the number of valid elements; for pairs that have parts, the number of valid reals.
  [[nodiscard]] std::size_t valid_elements() const;

  /// Returns whether all elements are valid.
  [[nodiscard]] bool is_whole() const;

  /// Returns the bytes of an array whose dimensions nest, from its start to the end of the room of
  /// its slowest dimension. The parts of its elements must be neighbours.
  [[nodiscard]] std::size_t bytes() const;

  // The functions below require that elements are not pairs.

  /// Returns the bytes from the array's start to the end of its last valid unit.
  [[nodiscard]] std::size_t valid_bytes() const;

  /// Returns the bytes of all valid elements; elements repeated by a stride of 0 count once.
  [[nodiscard]] std::size_t occupied_bytes() const;

  /// Returns how many units before the array's start index 0 of all axes would lie.
  [[nodiscard]] std::size_t lead() const;

  /// Returns whether reals may be read and written as complex numbers: every row is whole,
  /// contiguous and of even length, and all rows start at even units.
  [[nodiscard]] bool has_whole_pairs() const;

  /// Returns whether all transforms of the batch alternate element by element: each batch distance
  /// is smaller than the stride of every axis.
  [[nodiscard]] bool has_batch_inside() const;

  /// Returns the first stride or distance that does not nest, if there is one: ordered by size,
  /// each must be larger than the reach of the smaller ones together. If all nest, no two elements
  /// share a unit; otherwise two may.
  [[nodiscard]] std::optional<stride_clash> find_clash() const;
  [[nodiscard]] bool may_overlap() const { return find_clash().has_value(); }
};

/// Returns whether two arrays have the same elements in the same places, so that one buffer can
/// serve as both.
[[nodiscard]] bool are_alike(const array& a, const array& b);

/// Returns the array with reals taken as pairs, if it has reals. A pair is one number if all pairs
/// are whole and aligned; otherwise it has parts.
[[nodiscard]] array as_pairs(array source);

/// Which rows of packed arrays are padded behind their elements. Both rules may apply.
struct row_padding {
  /// Rows of an odd length, from `shortest_odd` on, are padded to a multiple of this many elements,
  /// so that they begin on cache lines.
  std::size_t multiple_of_odd = 1;
  std::size_t shortest_odd = 0;
  /// Rows whose length is a multiple of this (0: none) take `gap` more elements, because columns of
  /// rows a power of two apart would share few sets of the caches.
  std::size_t crowded_multiple = 0;
  std::size_t gap = 0;

  /// Returns the elements from the start of a row of `length` to the start of the next.
  [[nodiscard]] std::size_t padded(std::size_t length) const;
};

/// Gives an array the strides and distances of packed elements. Each axis has room for `placed`,
/// the last axis densest, and transforms follow each other or, with `batch_inside`, alternate
/// element by element. The fastest dimension is padded.
void pack(array& result, bool batch_inside, const row_padding& padding);

}  // namespace arrays
}  // namespace wingbeat
