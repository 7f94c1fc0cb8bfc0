// SPDX-License-Identifier: Apache-2.0
// Runs one plan on one device and times each step: plan, transfer, execution.
#pragma once

#include <cstddef>  // byte
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "wingbeat/devices.hpp"  // device_info
#include "wingbeat/plan.hpp"     // plan_spec

namespace wingbeat::cli {

/// The spread of several runs.
struct spread {
  double mean = 0, min = 0, max = 0;
};

[[nodiscard]] spread spread_of(std::span<const double> values);

/// Times of one plan on one device. Execution is what the device's own clock says between two
/// points of its queue; transfer is wall time of the copy in and the copy out, added.
struct measurement {
  double plan_s = 0;
  double first_run_s = 0;           ///< Execution of the run that is not counted.
  std::vector<double> execution_s;  ///< One per counted run.
  std::vector<double> transfer_s;   ///< One per counted run.
  std::vector<std::byte> output;    ///< Of the last run.
  std::string explanation;          ///< The plan in words.
};

/// How often to run.
struct repetition {
  int n_runs = 5;
  double budget_s = 0;  ///< Once counted runs have taken this long, no other begins; 0: no limit.
};

/// Times of one run.
struct run_times {
  double execution_s = 0, transfer_s = 0;
};

/// Calls `run` once without counting it, since drivers load code, and some compile, at the first
/// run; then calls it as often as `repeat` says and counts each call: at least one, however long
/// the first call took, unless `repeat` asks for none.
void count_runs(measurement& into, const repetition& repeat, const std::function<run_times()>& run);

/// Plans `spec` for `device` and runs it, as `count_runs` does.
[[nodiscard]] measurement measure(const device_info& device, const plan_spec& spec,
                                  std::span<const std::byte> input, const repetition& repeat);

}  // namespace wingbeat::cli
