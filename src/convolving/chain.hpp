// SPDX-License-Identifier: Apache-2.0
// A convolution as plans of one axis each. Inner axes, the last first, are transformed over the
// elements that exist; then columns along the slowest axis are convolved with the prepared spectra,
// in one crossing where the engine can; then the inner axes are transformed back, the last one
// last.
// Between the plans elements of the slowest axis are neighbours: [item][column][y]. Rows may be
// kept instead, to measure what that takes: bench/access_patterns.
#pragma once

#include <array>
#include <cstddef>  // size_t
#include <memory>   // shared_ptr
#include <vector>

#include "backend/backend.hpp"       // plan, queue, engine
#include "convolving/geometry.hpp"   // axis_geometry
#include "wingbeat/convolution.hpp"  // convolution_spec

namespace wingbeat::convolving {

/// Which memory a stage reads or writes.
/// `values` is workspace for signals that are given as spectra.
enum class memory { signals, spectra, output, workspace_a, workspace_b, values };

/// One plan of a chain.
struct stage {
  std::shared_ptr<const backend::plan> plan;
  memory from = memory::signals, to = memory::output;
  bool multiplies = false;                   ///< Reads the prepared spectra as its filter,
  bool loads_product = false;                ///< or as the operand of its load functor.
  std::size_t from_bytes = 0, to_bytes = 0;  ///< Where it begins in `from` and `to`.
};

/// The plans that `count` signals go through, and the memory between them.
struct chain {
  std::size_t count = 0;
  std::vector<stage> stages;
  std::array<std::size_t, 3> array_bytes = {};  ///< Of workspace_a, workspace_b and values.
  std::size_t plan_bytes = 0;                   ///< Of the plans' own workspace.
};

/// What a chain is made for.
struct chain_request {
  const convolution_spec& spec;
  const std::vector<axis_geometry>& axes;
  std::size_t count;     ///< Signals of one run of the chain.
  std::size_t prepared;  ///< Spectra that each of them meets.
  /// The engine that makes the plans, to plan for a device that is not here; nullptr: the queue's.
  const backend::engine* planned_by = nullptr;
  /// Of two axes: [item][y][column] between the plans, so that columns are read and written across
  /// rows in place of rows across columns.
  bool keeps_rows = false;

  [[nodiscard]] const backend::engine& engine_for(const backend::queue& on) const {
    return planned_by == nullptr ? backend::engine_of(on.device().runs_on) : *planned_by;
  }
};

/// Returns the chain that makes the spectra of `count` signals of the prepared role.
[[nodiscard]] chain preparing_chain(const std::shared_ptr<backend::queue>& on,
                                    const chain_request& request);

/// Returns the chain that convolves `count` signals of the other role.
[[nodiscard]] chain running_chain(const std::shared_ptr<backend::queue>& on,
                                  const chain_request& request);

/// Returns the bytes of one prepared spectrum, of all signals of a role, and of one result.
[[nodiscard]] std::size_t spectrum_bytes(const chain_request& request);
[[nodiscard]] std::size_t signal_bytes(const convolution_spec& spec, operand_role role);
[[nodiscard]] std::size_t result_bytes(const chain_request& request);

/// Returns the plan that turns `count` spectra of the role that comes with each run into values.
[[nodiscard]] plan_spec values_of_spectra(const std::vector<std::size_t>& lengths, values holds,
                                          precision real, std::size_t count);

/// Returns the functor that reads the signals of a role.
[[nodiscard]] const fused_load& load_of(const convolution_spec& spec, operand_role role);

/// Returns the role that comes with each run.
[[nodiscard]] operand_role run_role(const convolution_spec& spec);

}  // namespace wingbeat::convolving
