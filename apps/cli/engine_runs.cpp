// SPDX-License-Identifier: Apache-2.0
#include "cli/engine_runs.hpp"

#include <algorithm>  // ranges::find
#include <memory>     // make_shared
#include <optional>
#include <utility>  // exchange, move

#include "cli/choose.hpp"              // choose_devices, short_name
#include "cli/distributed_run.hpp"     // in_options
#include "cli/messages.hpp"            // print_message
#include "cli/progress.hpp"            // progress
#include "distributing/whole_run.hpp"  // whole_run
#include "measure/statistics.hpp"      // quartiles_of
#include "measure/wall_time.hpp"       // seconds_of
#include "text/formatted.hpp"          // formatted
#include "wingbeat/error.hpp"          // device_error, plan_error

namespace wingbeat::cli {
namespace {

/// Returns the preference for showing a device's values; 0 is the first choice.
int rank(const device_info& device) {
  switch (device.runs_on) {
    case engine::cuda: return 0;
    case engine::opencl: return device.is_gpu ? 1 : 3;
    case engine::host: return 2;
    case engine::reference: return 4;
  }
  return 5;
}

/// Returns whether a result, of those of the outcome, became the best.
bool take_if_best(engine_outcome& outcome, const engine_result& result) {
  if (result.is_wrong()) return false;
  if (outcome.best != nullptr && rank(outcome.best->device) <= rank(result.device)) return false;
  outcome.best = &result;
  return true;
}

/// Judges and adds a result, and keeps its values if it is the best so far.
void add_result(engine_outcome& outcome, engine_result result, const engine_work& work) {
  auto values = verify::numbers_of(std::exchange(result.times.output, {}), work.real);
  if (work.judged) result.against_definition = work.judged(result.device, values);
  outcome.results.push_back(std::move(result));
  if (take_if_best(outcome, outcome.results.back())) outcome.best_values = std::move(values);
}

double median(const std::vector<double>& times) {
  return measure::quartiles_of(times).median;
}

}  // namespace

engine_work judging(verify::judge& check, precision real, const compared_numbers& compared) {
  engine_work work{.real = real};
  work.judged = [&check, compared](
                    const device_info& device,
                    const std::vector<double>& values) -> std::optional<verify::agreement> {
    std::vector<double> numbers;
    if (compared) numbers = compared(device, values);
    if (check.extent() == verify::check_extent::none) return {};
    return check(compared ? numbers : values);
  };
  return work;
}

measured_run measuring(const short_time_spec& spec, std::span<const std::byte> input) {
  return [&spec, input](const device_info& device, const measure::repetition& repeat) {
    const auto prepare = [&](queue& on) {
      const auto frames = std::make_shared<const short_time>(on, spec);
      const bool is_inverse = spec.has_inverse;
      const auto enqueue = [frames, is_inverse](queue& queued, buffer_view in, buffer_view out) {
        if (is_inverse) {
          frames->enqueue_inverse(queued, in, out);
        } else {
          frames->enqueue(queued, in, out);
        }
      };
      return measure::prepared_run{is_inverse ? frames->sample_bytes() : frames->result_bytes(),
                                   enqueue, frames->explain()};
    };
    return measure::measure_run(device, prepare, input, repeat);
  };
}

engine_outcome run_engines(const std::vector<device_info>& chosen, const engine_work& work) {
  std::optional<progress> bar;
  if (!work.is_part) bar.emplace("transform", chosen.size());
  engine_outcome outcome;
  outcome.results.reserve(chosen.size());  // `best` points into it
  for (const device_info& device : chosen) {
    if (bar) bar->step(formatted("{}, {}", short_name(device), device.name));
    engine_result r{device, {}};
    try {
      r.times = work.measured(device, {.n_runs = work.is_part ? 1 : 5, .budget_s = 1});
    } catch (const device_error& failed) {
      if (chosen.size() == 1) throw;
      print_message("{} failed and is left out: {}", short_name(device), failed.what());
      outcome.failure = code_of(failed);
      continue;
    }
    add_result(outcome, std::move(r), work);
  }
  return outcome;
}

engine_outcome run_engines(const plan_spec& spec, std::span<const std::byte> input,
                           const std::vector<device_info>& chosen, verify::judge& check) {
  engine_work work = judging(check, spec.real);
  work.measured = [&](const device_info& device, const measure::repetition& repeat) {
    return measure::measure_plan(device, spec, input, repeat);
  };
  return run_engines(chosen, work);
}

void add_part(engine_outcome& parts, const engine_outcome& part) {
  const auto result_of = [&](const device_info& device) {
    return std::ranges::find(part.results, short_name(device),
                             [](const engine_result& r) { return short_name(r.device); });
  };
  std::erase_if(parts.results,
                [&](const engine_result& r) { return result_of(r.device) == part.results.end(); });
  parts.best = nullptr;
  parts.best_values.clear();
  for (engine_result& sum : parts.results) {
    const engine_result& added = *result_of(sum.device);
    sum.times.plan_s += added.times.plan_s;
    sum.times.first_run_s += added.times.first_run_s;
    sum.times.execution_s = {median(sum.times.execution_s) + median(added.times.execution_s)};
    sum.times.transfer_s = {median(sum.times.transfer_s) + median(added.times.transfer_s)};
    if (added.against_definition) {
      sum.against_definition = worse_of(*sum.against_definition, *added.against_definition);
    }
    take_if_best(parts, sum);
  }
  if (part.failure != exit_ok) parts.failure = part.failure;
}

engine_outcome run_ranks(const plan_spec& spec, std::span<const std::byte> input,
                         const std::vector<device_info>& ranks, bool may_use_one_device,
                         verify::judge& check) {
  const domain joined = domain::of_devices(ranks);
  std::optional<distributing::whole_run> run;
  engine_result result{ranks.front(), {}};
  result.times.plan_s = measure::seconds_of([&] {
    try {
      run.emplace(joined, distributed_spec{spec, {}, may_use_one_device});
    } catch (const plan_error& refused) {
      throw plan_error(in_options(refused.what()));
    }
  });
  result.times.explanation = run->transforms().explain();
  measure::count_runs(result.times, {.n_runs = 5, .budget_s = 1}, [&]() -> measure::run_times {
    const double in_s = measure::seconds_of([&] { run->write(input); });
    const double execution_s = measure::seconds_of([&] {
      run->enqueue();
      run->wait();
    });
    const double out_s = measure::seconds_of([&] { result.times.output = run->read(); });
    return {execution_s, in_s + out_s};
  });
  if (!run->transforms().uses_one_device()) {
    result.n_ranks = ranks.size();
  } else {
    print_message("{} makes it alone, as is expected to be quicker; --all-devices uses all",
                  short_name(ranks.front()));
  }
  engine_outcome outcome;
  add_result(outcome, std::move(result), judging(check, spec.real, {}));
  return outcome;
}

std::vector<device_info> devices_for(const std::vector<std::string>& names, precision real,
                                     std::size_t n_points, verify::check_extent extent) {
  auto chosen = choose_devices(names, real);
  const bool takes_long =
      n_points > verify::max_values_unsampled && extent != verify::check_extent::full;
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
