// SPDX-License-Identifier: Apache-2.0
// One request on several engines, or over several devices; each result is timed and judged.
#pragma once

#include <cstddef>  // byte
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/messages.hpp"         // exit_code
#include "measure/plan_run.hpp"     // plan_measurement
#include "verify/agreement.hpp"     // agreement
#include "verify/judge.hpp"         // judge, check_extent
#include "wingbeat/devices.hpp"     // device_info
#include "wingbeat/short_time.hpp"  // short_time_spec

namespace wingbeat::cli {

/// The result of one engine.
struct engine_result {
  device_info device;               ///< The first of several ranks.
  measure::plan_measurement times;  ///< Its output is moved away after the comparison.
  std::optional<verify::agreement> against_definition = {};  ///< Unset: not checked.
  std::size_t n_ranks = 1;                                   ///< Ranks that took part.

  [[nodiscard]] bool is_wrong() const {
    return against_definition && !against_definition->is_within;
  }
};

/// The results in the order of the devices, and the values of the best engine that is right: the
/// first of cuda, an OpenCL GPU, host, another OpenCL device, reference.
struct engine_outcome {
  std::vector<engine_result> results = {};
  const engine_result* best = nullptr;
  std::vector<double> best_values = {};  ///< As the plan writes them.
  exit_code failure = exit_ok;           ///< Of a device; already reported.
};

/// Takes each output, and returns the numbers of it that are compared.
using compared_numbers = std::function<std::vector<double>(const device_info& device,
                                                           const std::vector<double>& output)>;

using measured_run = std::function<measure::plan_measurement(const device_info& device,
                                                             const measure::repetition& repeat)>;

/// What each device runs, and how its output, in `real`, is judged. Unset: it is not checked.
struct engine_work {
  measured_run measured = {};
  std::function<std::optional<verify::agreement>(const device_info& device,
                                                 const std::vector<double>& output)>
      judged = {};
  precision real = precision::fp32;
  /// One of many parts of a problem: one run is counted, and there is no bar of its own.
  bool is_part = false;
};

/// Returns the work whose outputs `check` judges; `measured` is to be set. The arguments must
/// outlive it.
[[nodiscard]] engine_work judging(verify::judge& check, precision real,
                                  const compared_numbers& compared = {});

/// Returns what measures a short-time transform, or the inverse that it has. The arguments must
/// outlive it.
[[nodiscard]] measured_run measuring(const short_time_spec& spec, std::span<const std::byte> input);

/// Runs the work on each device. A device that fails is reported and left out, unless it is the
/// only one.
[[nodiscard]] engine_outcome run_engines(const std::vector<device_info>& chosen,
                                         const engine_work& work);

/// Runs the request on each device, as above, and judges the outputs with `check`.
[[nodiscard]] engine_outcome run_engines(const plan_spec& spec, std::span<const std::byte> input,
                                         const std::vector<device_info>& chosen,
                                         verify::judge& check);

/// Adds the results of another part of a problem: times add up, the worst agreement counts, and a
/// device that failed in it is left out. There are no best values.
void add_part(engine_outcome& parts, const engine_outcome& part);

/// Runs the request once over all of these devices, each a rank; the one result names the first.
/// `may_use_one_device`: one device may run it alone, if that is expected to be faster. Throws as
/// `distributed_plan` does.
[[nodiscard]] engine_outcome run_ranks(const plan_spec& spec, std::span<const std::byte> input,
                                       const std::vector<device_info>& ranks,
                                       bool may_use_one_device, verify::judge& check);

/// Returns the devices of `--engine` for a problem of `n_points`. `all` leaves out the engine
/// reference, with a message, if it would take long and not all values are checked.
[[nodiscard]] std::vector<device_info> devices_for(const std::vector<std::string>& names,
                                                   precision real, std::size_t n_points,
                                                   verify::check_extent extent);

}  // namespace wingbeat::cli
