// SPDX-License-Identifier: Apache-2.0
// One launch: a piece of an axis, placed in memory.
#pragma once

#include <cstddef>  // size_t, byte
#include <memory>   // shared_ptr
#include <optional>
#include <string>
#include <vector>

#include "arrays/array.hpp"                  // place, storage
#include "planner/functor.hpp"               // functor
#include "planner/pieces.hpp"                // piece, body, row
#include "wingbeat/device/grid/numbers.hpp"  // pass_numbers, loop, loop_role
#include "wingbeat/plan.hpp"                 // precision, pass_info

namespace wingbeat::planner {

using arrays::place;
using device::grid::loop;
using device::grid::loop_role;
using device::grid::pass_numbers;

/// One side of a pass: the storage of its array. `pass_numbers` has the addresses within it.
struct pass_side : arrays::storage {
  bool streams = false;                         ///< Its accesses stream: they leave the caches
                                                ///< first.
  std::optional<functor> fused = std::nullopt;  ///< Replaces memory.
  fused_numbers rows = {};                      ///< Numbering of the functor's elements.

  /// Returns the bytes of one element of the buffer: a unit, or as the functor's request states.
  [[nodiscard]] std::size_t buffer_element_bytes() const {
    return fused ? fused->element_bytes : unit_bytes();
  }
};

/// The numbers of a convolution that makes an axis or its butterflies. They follow the roots in the
/// table of a pass, see `pass_numbers::factors_at`. Empty where radices make the axis.
struct convolution_numbers {
  std::shared_ptr<const chirp> by_chirp = nullptr;
  std::shared_ptr<const rader> by_rader = nullptr;
};

/// One launch. All lengths count complex elements.
struct pass {
  pass_numbers numbers;              ///< Compiled into the kernel.
  precision real = precision::fp32;  ///< Precision of arithmetic.
  bool is_forward = true;
  std::size_t rows = 1;  ///< Rows of the batch, counted at run time.
  pass_side in, out;
  std::optional<pass_side> filter = std::nullopt;  ///< Spectra that the body multiplies by.
  convolution_numbers convolved_by = {};           ///< For an axis of any length.
  unsigned resident = 0;                           ///< See `piece`.
  double fraction = 0;                             ///< See `piece`.
  std::optional<std::size_t> in_place_spacing = std::nullopt;  ///< See `piece`.

  [[nodiscard]] const tile_shape& shape() const { return numbers.shape; }
  [[nodiscard]] std::size_t workgroups() const { return numbers.workgroups(rows); }
  /// Returns the butterflies that lanes run over: those of the fastest loops, or the batch.
  [[nodiscard]] std::size_t lane_count() const {
    return numbers.depth == 0 ? rows : numbers.lane_count();
  }
  /// Returns the bytes that all rows move through device memory; a functor's side counts as its
  /// request states.
  [[nodiscard]] std::size_t traffic_bytes() const;
  /// Returns whether the whole axis is transformed at once.
  [[nodiscard]] bool is_whole() const { return shape().elements() == numbers.total; }

  /// Returns the functors' parameter blocks, which precede the roots in the table of a pass.
  [[nodiscard]] std::vector<std::byte> parameter_blocks() const;

  /// Returns one line of text for `explain`.
  [[nodiscard]] std::string describe() const;
};

/// Returns the public description of a pass.
[[nodiscard]] pass_info info_of(const pass& planned);

}  // namespace wingbeat::planner
