// SPDX-License-Identifier: Apache-2.0
// Runs one plan on one device and times each step: plan, transfer, execution.
#pragma once

#include <cstddef>  // byte
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
  double first_run_s = 0;           ///< The run that was not counted: it warms up.
  std::vector<double> execution_s;  ///< One per counted run.
  std::vector<double> transfer_s;   ///< One per counted run.
  std::vector<std::byte> output;    ///< Of the last run.
  std::string explanation;          ///< The plan in words.
};

/// How often to run.
struct repetition {
  int n_runs = 5;
  double budget_s = 0;  ///< Once the runs have taken this long, no other begins; 0: no limit.
};

/// Plans `what` for `where`, warms up once and then runs as often as `how` says. When that is
/// never, or the warm-up alone exceeds the budget, the warm-up is the one run that counts.
[[nodiscard]] measurement measure(const device_info& where, const plan_spec& what,
                                  std::span<const std::byte> input, const repetition& how);

}  // namespace wingbeat::cli
