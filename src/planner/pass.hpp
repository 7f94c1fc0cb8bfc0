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

/// What a row of memory holds; see wingbeat/device/grid/pass.hpp.
enum class row { complex_row, half_spectrum };

/// Where a step reads or writes.
enum class place { input, output, workspace_a, workspace_b };

/// One launch. All lengths and pitches count complex elements.
struct pass {
  enum class kind { transform, separate };
  kind does = kind::transform;
  precision real = precision::fp32;
  bool is_forward = true;
  std::size_t length = 1;  ///< R: of each butterfly.
  std::size_t prior = 1;   ///< P: transformed before this pass.
  std::size_t total = 1;   ///< N: of the whole complex transform.
  unsigned elements_per_thread = 1;
  unsigned transforms = 1;  ///< Butterflies of one workgroup.
  unsigned bank_bytes = 0;
  bool lanes_across = false;
  bool half_trade = false;
  bool stage_in = false;
  bool stage_out = false;
  row source = row::complex_row;
  row sink = row::complex_row;
  std::size_t in_pitch = 1;
  std::size_t out_pitch = 1;
  double scale = 1;
  place from = place::input;
  place to = place::output;
  std::optional<functor> load = std::nullopt;   ///< In place of the input's memory.
  std::optional<functor> store = std::nullopt;  ///< In place of the output's memory.

  /// Returns the threads of one workgroup.
  [[nodiscard]] unsigned threads() const;

  /// Returns the bytes of local memory of one workgroup.
  [[nodiscard]] std::size_t scratch_bytes() const;

  /// Returns the workgroups that `batch` rows need.
  [[nodiscard]] std::size_t workgroups(std::size_t batch) const;

  /// Returns the bytes that `batch` rows move through device memory; of a functor's side what its
  /// request states, for the whole batch.
  [[nodiscard]] std::size_t traffic_bytes(std::size_t batch) const;

  /// Returns the bytes of one complex element.
  [[nodiscard]] std::size_t element_bytes() const { return real == precision::fp32 ? 8 : 16; }

  /// Returns the bytes of one element of the buffer read, and of the one written.
  [[nodiscard]] std::size_t in_element_bytes() const;
  [[nodiscard]] std::size_t out_element_bytes() const;

  /// Returns the functors' parameter blocks, which stand before the roots in this pass's table.
  [[nodiscard]] std::vector<std::byte> parameter_blocks() const;

  /// Returns the translation unit of this pass: functors, a policy struct and the entry point.
  [[nodiscard]] std::string source_text() const;
  [[nodiscard]] std::string entry() const;

  /// Returns one line for people.
  [[nodiscard]] std::string describe() const;
};

}  // namespace wingbeat::planner
