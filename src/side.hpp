// SPDX-License-Identifier: Apache-2.0
// The memory layout of one side of a plan, with all defaults filled in, as every engine reads it.
#pragma once

#include <cstddef>  // size_t
#include <optional>
#include <vector>

#include "wingbeat/plan.hpp"  // plan_spec, index_range

namespace wingbeat {

/// Indices 0 .. length - 1, of which those of `valid` are in memory, `stride` units apart. That of
/// `origin` lies at the start of the buffer.
struct side_axis {
  std::size_t length = 1;
  std::size_t stride = 1;
  index_range valid;
  std::size_t origin = 0;
};

/// Transforms 0 .. count - 1, `distance` units apart.
struct side_batch {
  std::size_t count = 1;
  std::size_t distance = 0;
};

/// A stride or distance, and how far the smaller ones of its side reach.
struct step_clash {
  std::size_t step = 0;
  std::size_t reach = 0;
};

/// The input or the output. A unit is what strides count: a complex number, or a real one where
/// the side is real or planar.
struct side {
  std::vector<side_axis> axes;      ///< Slowest first; the last of a half spectrum has N/2+1.
  std::vector<side_batch> batches;  ///< Slowest first.
  std::size_t imaginary_at = 0;     ///< Units from real to imaginary part; 0: not planar.
  bool is_real = false;             ///< Elements are real numbers.
  std::size_t real_bytes = 4;       ///< Of one stored real number.

  /// Returns the bytes of one unit.
  [[nodiscard]] std::size_t unit_bytes() const {
    return is_real || imaginary_at != 0 ? real_bytes : 2 * real_bytes;
  }
  /// Returns the bytes from the start of the buffer to the end of the last unit in memory.
  [[nodiscard]] std::size_t bytes() const;

  /// Returns the units that index 0 of all axes would lie before the start of the buffer.
  [[nodiscard]] std::size_t lead() const;

  /// Returns the elements of one transform that are in memory.
  [[nodiscard]] std::size_t elements() const;

  /// Returns the bytes of all elements in memory; elements that a stride of 0 repeats count once.
  [[nodiscard]] std::size_t occupied_bytes() const;

  /// Returns whether engines may read and write a real side as complex numbers: every row is whole,
  /// contiguous and of even length, and all rows start at even units.
  [[nodiscard]] bool is_of_whole_pairs() const;

  /// Returns whether all elements of all axes are in memory.
  [[nodiscard]] bool is_whole() const;

  /// Returns the first stride or distance that does not nest, if there is one: ordered by size,
  /// each must be larger than the reach of the smaller ones together. If all nest, no two elements
  /// share a unit; otherwise two may.
  [[nodiscard]] std::optional<step_clash> find_clash() const;
  [[nodiscard]] bool may_overlap() const { return find_clash().has_value(); }
};

/// Returns the bytes of one stored real number.
[[nodiscard]] std::size_t bytes_of_real(precision real) noexcept;

[[nodiscard]] bool is_real(transform kind) noexcept;

/// Returns the product of the lengths, which `scaling` divides by.
[[nodiscard]] std::size_t points_of(const plan_spec& spec) noexcept;

/// Returns the factor that outputs are multiplied by.
[[nodiscard]] long double factor_of(const plan_spec& spec) noexcept;

/// Returns the sides of a request. `spec` needs lengths; its layouts and ranges have as many
/// entries as axes and batch dimensions, or none.
[[nodiscard]] side input_side(const plan_spec& spec);
[[nodiscard]] side output_side(const plan_spec& spec);

/// Returns the bytes that one run moves through a functor, as its request states them.
[[nodiscard]] std::size_t moved_bytes(const fused_load& load) noexcept;
[[nodiscard]] std::size_t moved_bytes(const fused_store& store) noexcept;

/// Returns the bytes that one run reads of its input, and writes of its output, each once: of
/// memory, or what the functor moves, and what is cleared before.
[[nodiscard]] std::size_t moved_in(const plan_spec& spec);
[[nodiscard]] std::size_t moved_out(const plan_spec& spec);

/// Returns whether both sides have the same elements in the same places, so that one buffer can
/// serve as input and output.
[[nodiscard]] bool are_alike(const side& a, const side& b);

}  // namespace wingbeat
