// SPDX-License-Identifier: Apache-2.0
#include "cli/engine_runs.hpp"

#include <utility>  // exchange, move

#include "cli/choose.hpp"      // choose_devices, short_name
#include "cli/messages.hpp"    // print_message
#include "cli/progress.hpp"    // progress
#include "cli/samples.hpp"     // unpack
#include "formatted.hpp"       // formatted
#include "wingbeat/error.hpp"  // device_error

namespace wingbeat::cli {
namespace {

/// Returns the place of the device among those whose values are shown; 0 is the first choice.
int rank(const device_info& device) {
  switch (device.runs_on) {
    case engine::cuda: return 0;
    case engine::opencl: return device.is_gpu ? 1 : 3;
    case engine::host: return 2;
    case engine::reference: return 4;
  }
  return 5;
}

}  // namespace

engine_outcome run_engines(const plan_spec& spec, std::span<const std::byte> input,
                           const std::vector<device_info>& chosen, output_check& check,
                           const compared_numbers& compared) {
  progress bar{"transform", chosen.size()};
  engine_outcome outcome;
  outcome.results.reserve(chosen.size());  // `best` points into it
  for (const device_info& device : chosen) {
    bar.step(formatted("{}, {}", short_name(device), device.name));
    engine_result r{device, {}};
    try {
      r.times = measure::measure_plan(device, spec, input, {.n_runs = 5, .budget_s = 1});
    } catch (const device_error& failed) {
      if (chosen.size() == 1) throw;
      print_message("{} failed and is left out: {}", short_name(device), failed.what());
      outcome.has_failed_device = true;
      continue;
    }
    auto values = unpack(std::exchange(r.times.output, {}), spec.real);
    if (check.extent() != check_extent::none) {
      r.against_definition = check.judge(compared ? compared(values) : values);
    }
    outcome.results.push_back(std::move(r));
    const engine_result& result = outcome.results.back();
    if (!result.is_wrong() &&
        (outcome.best == nullptr || rank(device) < rank(outcome.best->device))) {
      outcome.best = &result;
      outcome.best_values = std::move(values);
    }
  }
  return outcome;
}

std::vector<device_info> devices_for(const std::vector<std::string>& names, precision real,
                                     std::size_t n_points, check_extent extent) {
  auto chosen = choose_devices(names, real);
  const bool takes_long = n_points > max_values_unsampled && extent != check_extent::full;
  if (!takes_long || names != std::vector<std::string>{"all"} || chosen.size() < 2) return chosen;
  const auto n_erased = std::erase_if(
      chosen, [](const device_info& device) { return device.runs_on == engine::reference; });
  if (n_erased > 0) {
    print_message(
        "the engine reference, in long double, is left out, because it takes long; --check full "
        "or --engine reference runs it");
  }
  return chosen;
}

}  // namespace wingbeat::cli
