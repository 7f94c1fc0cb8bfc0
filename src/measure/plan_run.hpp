// SPDX-License-Identifier: Apache-2.0
// Times one operation on one device: planning, transfer, execution.
#pragma once

#include <cstddef>  // byte, size_t
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "wingbeat/buffer.hpp"   // buffer_view
#include "wingbeat/devices.hpp"  // device_info
#include "wingbeat/plan.hpp"     // plan_spec
#include "wingbeat/queue.hpp"    // queue

namespace wingbeat::measure {

/// Times of one operation on one device. Execution is measured by the device's own clock between
/// two points of its queue; transfer is the sum of the wall times of the copies in and out.
struct plan_measurement {
  double plan_s = 0;
  double first_run_s = 0;           ///< Execution of the first run, which does not count.
  std::vector<double> execution_s;  ///< One per counted run.
  std::vector<double> transfer_s;   ///< One per counted run.
  std::vector<std::byte> output;    ///< From the last run.
  std::string explanation;          ///< `explain()` of the operation.
};

/// How often to run.
struct repetition {
  int n_runs = 5;
  double budget_s = 0;  ///< No run begins after counted runs have taken this long; 0: no limit.
};

/// Times of one run.
struct run_times {
  double execution_s = 0, transfer_s = 0;
};

/// Calls `run` once uncounted, because drivers load and some compile code at the first run; then
/// calls it as often as `repeat` allows and counts each call. At least one call is counted, even if
/// it exceeds the budget, unless `repeat.n_runs` is 0.
void count_runs(plan_measurement& into, const repetition& repeat,
                const std::function<run_times()>& run);

/// An operation that is prepared for a queue. Its functions keep it.
struct prepared_run {
  std::size_t output_bytes = 0;
  std::function<void(queue& on, buffer_view in, buffer_view out)> enqueue;
  std::string explanation;
};

/// Prepares an operation for `device`, runs it as `count_runs` does and returns its times and
/// output.
[[nodiscard]] plan_measurement measure_run(const device_info& device,
                                           const std::function<prepared_run(queue& on)>& prepare,
                                           std::span<const std::byte> input,
                                           const repetition& repeat);

/// Plans `spec` for `device`, runs it as `count_runs` does and returns its times and output.
[[nodiscard]] plan_measurement measure_plan(const device_info& device, const plan_spec& spec,
                                            std::span<const std::byte> input,
                                            const repetition& repeat);

}  // namespace wingbeat::measure
