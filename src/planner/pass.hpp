// SPDX-License-Identifier: Apache-2.0
// One crossing of memory, as numbers: the run-time twin of the policies in wingbeat/device/grid.
#pragma once

#include <cstddef>  // size_t, byte
#include <optional>
#include <string>
#include <vector>

#include "planner/functor.hpp"  // functor
#include "wingbeat/plan.hpp"    // precision

namespace wingbeat::planner {

/// What a side holds; see wingbeat/device/grid/access.hpp.
enum class row { complex_row, half_spectrum };

/// Where a step reads or writes.
enum class place { input, output, workspace_a, workspace_b };

/// Butterflies `in` and `out` places apart; see wingbeat/device/grid/tile.hpp.
struct loop {
  std::size_t count = 1, in = 0, out = 0;
};
inline constexpr unsigned no_loop = 99;

/// One side of a pass: what is stored there, and where. Places count units: stored complex numbers
/// or, where they have parts, stored reals.
struct pass_side {
  place where = place::input;
  precision stored = precision::fp32;
  row holds = row::complex_row;
  bool has_parts = false;    ///< Real and imaginary parts are stored apart, or are two reals.
  std::size_t apart = 0;     ///< Units from a real part to its imaginary part, if so.
  bool is_pairs = false;     ///< Elements are neighbouring pairs of a real row.
  bool is_once = false;      ///< Read, or written, once: no need to cache it.
  std::size_t base = 0;      ///< Place of the first butterfly.
  std::size_t distance = 0;  ///< From row to row of the batch.
  std::size_t stride = 1;    ///< From element to element of a butterfly; of a cluster n2 or k1..
  std::size_t stride_of_first = 0;  ///< .. and n1; or k2: see `cluster` below.
  std::size_t unit = 1;             ///< From one index of the axis to the next.
  std::size_t step = 1;             ///< Indices of the axis from element to element of a butterfly.
  unsigned along = no_loop;         ///< Loop that runs along the axis.
  std::size_t valid_first = 0, valid_end = 0;  ///< Indices in memory, if `is_limited`.
  bool is_limited = false;
  std::optional<functor> fused = std::nullopt;  ///< In place of memory.
  std::size_t row_elements = 0;  ///< Complex elements of one transform, for a functor.
  bool is_dense = false;         ///< The axis's elements lie one behind another; of no plane.

  [[nodiscard]] std::size_t real_bytes() const;
  [[nodiscard]] std::size_t unit_bytes() const { return (has_parts ? 1 : 2) * real_bytes(); }
  /// Returns the bytes of one element of the buffer: a unit, or what the functor's request states.
  [[nodiscard]] std::size_t buffer_element_bytes() const {
    return fused ? fused->element_bytes : unit_bytes();
  }
};

/// One launch, or half of one. All lengths count complex elements.
struct pass {
  enum class kind {
    workgroup,  ///< wingbeat/device/grid/pass.hpp
    line,       ///< wingbeat/device/grid/cluster_pass.hpp: length = first x second
    plane       ///< the same, of two axes at once
  };
  kind does = kind::workgroup;
  precision real = precision::fp32;  ///< What is computed with.
  bool is_forward = true;
  std::size_t length = 1;  ///< R: of each butterfly.
  std::size_t first = 1, second = 1;
  std::size_t prior = 1;  ///< P: transformed before this pass.
  std::size_t total = 1;  ///< N: of the axis.
  unsigned elements_per_thread = 1;
  unsigned lanes = 1;  ///< Butterflies of one workgroup or cluster.
  unsigned workgroups_of_cluster = 1;
  unsigned resident = 0;  ///< Workgroups at once that a multiprocessor is to hold; 0: any.
  unsigned bank_bytes = 0;
  std::size_t bytes_ahead = 0;  ///< Of input that is to be requested early; see ahead.hpp.
  unsigned ahead = 0;           ///< Tiles that it is, as placed, of runs of so many elements.
  std::size_t run = 0;
  double fraction = 0;  ///< Of a copy's speed, as measured for its shape; 0: not measured.
  bool lanes_across = false;
  bool along_out = false;  ///< Across on the way in only.
  bool half_trade = false;
  bool stage_in = false;
  bool stage_out = false;
  bool is_mirrored = false;
  bool loads_early = true;  ///< Of full tiles; takes registers, so not where they would spill.
  bool is_flat = false;     ///< Lanes run over the first two loops as if they were one.
  bool stays = false;       ///< Outputs lie where inputs lay: what scrambles an axis of two passes.
  std::size_t spacing = 1;  ///< If so: elements of the axis from one of a butterfly to the next.
  unsigned turn_along = no_loop;
  std::vector<loop> loops;  ///< Innermost first.
  std::size_t rows = 1;     ///< Of the batch counted at run time.
  double scale = 1;
  pass_side in, out;

  [[nodiscard]] bool is_cluster() const { return does != kind::workgroup; }
  /// Returns whether one of its sides is a half spectrum.
  [[nodiscard]] bool is_of_bins() const {
    return in.holds == row::half_spectrum || out.holds == row::half_spectrum;
  }
  /// Rows that fill a multiprocessor, inputs of which are turned, as of scrambled bins, lose by
  /// requests ahead, and by output that leaves the caches first: 0.37 for 0.395 of a copy at 2^24.
  [[nodiscard]] bool is_long() const { return length * element_bytes() > std::size_t{1} << 16; }
  [[nodiscard]] bool is_long_and_turned() const { return prior > 1 && is_long(); }
  /// Returns the threads of one workgroup.
  [[nodiscard]] unsigned threads() const;
  /// Returns the bytes of local memory of one workgroup.
  [[nodiscard]] std::size_t scratch_bytes() const;
  /// Returns the butterflies that lanes run over, if there are loops.
  [[nodiscard]] std::size_t lane_count() const {
    return loops[0].count * (is_flat ? loops[1].count : 1);
  }
  /// Returns the tiles of one row, and the workgroups that all rows need.
  [[nodiscard]] std::size_t tiles_of_row() const;
  [[nodiscard]] std::size_t workgroups(std::size_t of_rows) const;
  [[nodiscard]] std::size_t workgroups() const { return workgroups(rows); }
  /// Returns whether every tile has all its lanes.
  [[nodiscard]] bool is_full() const { return (loops.empty() ? rows : lane_count()) % lanes == 0; }
  /// Returns the bytes that all rows move through device memory; of a functor's side what its
  /// request states.
  [[nodiscard]] std::size_t traffic_bytes() const;
  /// Returns the bytes of one complex number in registers.
  [[nodiscard]] std::size_t element_bytes() const { return real == precision::fp64 ? 16 : 8; }
  /// Returns the bytes of what an exchange moves at a time: a number, or a part of it.
  [[nodiscard]] std::size_t entry_bytes() const { return element_bytes() / (half_trade ? 2 : 1); }
  /// Returns whether the whole axis is transformed at once.
  [[nodiscard]] bool is_whole() const { return length == total; }

  /// Returns the functors' parameter blocks, which stand before the roots in this pass's table.
  [[nodiscard]] std::vector<std::byte> parameter_blocks() const;

  /// Returns one line for people.
  [[nodiscard]] std::string describe() const;
};

}  // namespace wingbeat::planner
