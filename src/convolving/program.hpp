// SPDX-License-Identifier: Apache-2.0
// A convolution as a program. The inner axes are transformed first, the last axis first, over the
// elements that exist. Then columns along the slowest axis are convolved with the prepared spectra,
// in one crossing where the engine can. Then the inner axes are transformed back, the last axis
// last. Between the transforms, elements of the slowest axis are neighbours, [item][column][y],
// because rows that stay neighbours take longer (bench/lessons/convolution.md#orders-of-memory).
#pragma once

#include <cstddef>  // size_t
#include <memory>   // shared_ptr
#include <vector>

#include "backend/backend.hpp"       // queue, engine
#include "convolving/geometry.hpp"   // axis_geometry
#include "programs/program.hpp"      // program
#include "wingbeat/convolution.hpp"  // convolution_spec

namespace wingbeat::convolving {

/// The description of a program.
struct program_request {
  const convolution_spec& spec;
  const std::vector<axis_geometry>& axes;
  std::size_t count;     ///< Signals in one run.
  std::size_t prepared;  ///< Spectra that each signal is multiplied by.
  /// The engine that makes the steps, to plan for a device that is not present; nullptr: the
  /// queue's.
  const backend::engine* planned_by = nullptr;

  [[nodiscard]] const backend::engine& engine_for(const backend::queue& on) const {
    return planned_by == nullptr ? backend::engine_of(on.device().runs_on) : *planned_by;
  }
};

/// Returns the program that makes the spectra of `count` signals of the prepared role. It reads the
/// signals from its input and writes the array `filter`.
[[nodiscard]] programs::program preparing_program(const std::shared_ptr<backend::queue>& on,
                                                  const program_request& request);

/// Returns the program that convolves `count` signals of the other role with the array `filter`.
[[nodiscard]] programs::program running_program(const std::shared_ptr<backend::queue>& on,
                                                const program_request& request);

/// Returns the bytes of one value, of one prepared spectrum, of all signals of a role, and of one
/// result.
[[nodiscard]] std::size_t value_bytes(const convolution_spec& spec);
[[nodiscard]] std::size_t spectrum_bytes(const program_request& request);
[[nodiscard]] std::size_t signal_bytes(const convolution_spec& spec, operand_role role);
[[nodiscard]] std::size_t result_bytes(const program_request& request);

/// Returns the plan that turns `count` spectra of the run's role into values.
[[nodiscard]] plan_spec values_of_spectra(const std::vector<std::size_t>& lengths, values holds,
                                          precision real, std::size_t count);

/// Returns the functor that reads the signals of a role.
[[nodiscard]] const fused_load& load_of(const convolution_spec& spec, operand_role role);

/// Returns the role that comes with each run.
[[nodiscard]] operand_role run_role(const convolution_spec& spec);

}  // namespace wingbeat::convolving
