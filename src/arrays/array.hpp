// SPDX-License-Identifier: Apache-2.0
// The arrays that passes read and write: input, output, and what lies between passes. Which
// elements are in memory, where, and stored as what.
#pragma once

#include <cstddef>  // size_t
#include <vector>

#include "side.hpp"           // side_batch
#include "wingbeat/plan.hpp"  // plan_spec, index_range, precision

namespace wingbeat::arrays {

/// The memory that an array is in.
enum class place { input, output, workspace_a, workspace_b, filter };

/// What one element is: a complex number, a real number, or two neighbouring reals of the last axis
/// taken as one complex number.
enum class element { complex, real, pair };

/// Elements 0 .. length - 1, of which those of `placed` have room in memory and those of `valid`
/// hold something. Where elements are pairs that have parts, both ranges count reals.
struct axis {
  std::size_t length = 1;
  std::size_t stride = 1;  ///< Units from one element to the next.
  index_range valid;
  bool is_limited = false;  ///< Not all elements are valid.
  index_range placed;       ///< The first of them lies at the array's start.

  /// Returns the units from the array's start to the first valid element; not of pairs with parts.
  [[nodiscard]] std::size_t first_offset() const { return (valid.first - placed.first) * stride; }
  [[nodiscard]] std::size_t valid_count() const { return valid.end - valid.first; }
};

/// Strides, distances and offsets count units: stored complex numbers, or stored reals where
/// elements are reals or have their parts apart.
struct array {
  place location = place::input;
  precision stored = precision::fp32;
  element elements_are = element::complex;
  bool has_parts = false;          ///< Both parts of an element are units of their own,
  std::size_t parts_distance = 0;  ///< so many units apart.
  bool has_half_spectrum = false;  ///< The last axis has bins 0 .. N/2 of a real transform.
  std::vector<axis> axes;          ///< Slowest first.
  std::vector<side_batch> batches;

  /// Returns the elements of one transform.
  [[nodiscard]] std::size_t elements() const;

  /// Returns the valid ones among them; the valid reals of pairs that have parts.
  [[nodiscard]] std::size_t valid_elements() const;

  /// Returns whether all elements are valid.
  [[nodiscard]] bool is_whole() const;

  /// Returns the stored reals of one unit.
  [[nodiscard]] std::size_t unit_reals() const;

  /// Returns the bytes of an array whose dimensions nest, from its start to the end of the room of
  /// its slowest dimension. The parts of its elements are neighbours.
  [[nodiscard]] std::size_t bytes() const;

  /// Returns whether all transforms of the batch alternate element by element: each dimension of
  /// the batch has a smaller distance than every axis.
  [[nodiscard]] bool has_batch_inside() const;
};

/// How a real side is described: by its reals, or as complex numbers made of neighbouring reals.
/// Such a pair is read as one number where all pairs are whole and aligned; otherwise it has parts.
enum class real_side { as_reals, as_pairs };

/// Returns the input and the output of a validated request.
[[nodiscard]] array input_array(const plan_spec& spec, real_side real);
[[nodiscard]] array output_array(const plan_spec& spec, real_side real);

/// Returns the precision that passes compute with, and keep between them.
[[nodiscard]] precision common_precision(const plan_spec& spec);

/// Which rows of packed arrays have room behind their elements. Two rules, both of which may apply.
struct row_padding {
  /// Rows of an odd length, from `shortest_odd` on, take a multiple of so many elements, so that
  /// they begin on cache lines.
  std::size_t multiple_of_odd = 1;
  std::size_t shortest_odd = 0;
  /// Rows of a multiple of so many elements (0: none) take `gap` more, because columns of rows a
  /// power of two apart would share few sets of the caches.
  std::size_t crowded_multiple = 0;
  std::size_t gap = 0;

  /// Returns the elements from the start of a row of `length` to the start of the next.
  [[nodiscard]] std::size_t padded(std::size_t length) const;
};

/// Gives an array the strides and distances of packed elements: of each axis what is `placed`, the
/// last axis densest, transform behind transform; or, with the batch inside, transforms that
/// alternate element by element. The fastest dimension is padded.
void pack(array& result, bool batch_inside, const row_padding& padding);

}  // namespace wingbeat::arrays
