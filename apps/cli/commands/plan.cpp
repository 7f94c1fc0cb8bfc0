// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/commands.hpp"

#include <CLI/CLI.hpp>  // App

#include "cli/choose.hpp"                    // short_name
#include "cli/commands/several_devices.hpp"  // several_devices, plan_devices
#include "cli/kinds.hpp"                     // kinds_text
#include "cli/messages.hpp"                  // print, print_message
#include "cli/option.hpp"                    // add_switch
#include "cli/peers/queue_runs.hpp"          // time_planning
#include "cli/reports/bench.hpp"             // add_plan, device_json
#include "cli/reports/print_json.hpp"        // print_json
#include "cli/reports/table.hpp"             // table, seconds_text
#include "cli/sweep.hpp"                     // sweep_options
#include "text/formatted.hpp"                // formatted
#include "wingbeat/error.hpp"                // plan_error

namespace wingbeat::cli {
namespace {

using json = nlohmann::ordered_json;

constexpr const char* examples = R"(Examples:
  wingbeat plan --lengths 4096x4096 --kind r2c --batch 4 --device cuda:0
  wingbeat plan --device host --lengths 2^20 --batch 1
  wingbeat plan --lengths 2^10..2^24 --precision fp64 --json
  wingbeat plan --devices 0,1 --lengths 1024x1024x1024

Plans and runs nothing. Where kernels are compiled each problem is planned twice: `cold` ignores
the cache of compiled kernels, `warm` uses it. A problem that the engine refuses is reported in one
message; exit code 2 if all are.)";

struct options {
  sweep_options sweep;
  several_devices several;
  bool is_json = false;
};

/// A problem and its plan.
struct planned_problem {
  plan_spec spec;
  measure::preparation times = {};
  plan_description planned = {};
};

planned_problem planned_on(const queue& on, const plan_spec& spec) {
  planned_problem problem{spec};
  problem.planned = description_of(time_planning(on, spec, problem.times));
  return problem;
}

json json_of(const planned_problem& problem) {
  json j{{"lengths", problem.spec.lengths}, {"batch", std::size_t{problem.spec.batch}}};
  j["input_bytes"] = input_bytes(problem.spec);
  j["output_bytes"] = output_bytes(problem.spec);
  j["workspace_bytes"] = problem.times.workspace_bytes;
  j["plan_cold_s"] = problem.times.cold_s;
  j["plan_warm_s"] = problem.times.warm_s;
  add_plan(j, problem.planned);
  return j;
}

std::string figure_text(int figure) {
  return figure < 0 ? "-" : formatted("{}", figure);
}

std::string times_text(const planned_problem& problem) {
  const std::string cold = seconds_text(problem.times.cold_s);
  if (problem.planned.n_passes == 0) return cold;
  return formatted("{} cold, {} warm", cold, seconds_text(problem.times.warm_s));
}

std::string text_of(const planned_problem& problem) {
  std::string text =
      formatted("{} of {} in {}, batch {}: {} in, {} out\n{}planned in {}\n",
                kinds_text(problem.spec), axes_text(problem.spec), name_of(problem.spec.real),
                std::size_t{problem.spec.batch}, bytes_text(input_bytes(problem.spec)),
                bytes_text(output_bytes(problem.spec)), problem.planned.text, times_text(problem));
  if (problem.planned.kernels.empty()) return text;
  table kernels{{{"kernel", align::left},
                 {"threads"},
                 {"registers"},
                 {"spilled"},
                 {"stack"},
                 {"local memory"}}};
  for (const kernel_resources& k : problem.planned.kernels) {
    kernels.add({k.name, figure_text(k.threads), figure_text(k.registers),
                 figure_text(k.spill_bytes), figure_text(k.stack_bytes),
                 figure_text(k.scratch_bytes)});
  }
  return text + kernels.text();
}

int plan_all(const options& o) {
  require_several(o.several, "--devices");
  if (o.several.is_given()) return plan_devices(o.several, o.sweep, o.is_json);
  const device_info device = device_of(o.sweep);
  const auto problems = problems_of(o.sweep, device);
  const queue on{device};
  std::vector<planned_problem> planned;
  for (const plan_spec& spec : problems) {
    try {
      planned.push_back(planned_on(on, spec));
    } catch (const plan_error& refused) {
      print_message("{} is left out: {}", axes_text(spec), refused.what());
    }
  }
  if (planned.empty()) return exit_usage;
  if (o.is_json) {
    json j{{"schema", "wingbeat.plan/1"}};
    j["command"] = "wingbeat plan " + words_of(o.sweep, device);
    j["device"] = device_json(device);
    j["kind"] = kinds_text(planned.front().spec);
    j["precision"] = name_of(planned.front().spec.real);
    j["layout"] = o.sweep.layout;
    for (const planned_problem& problem : planned) j["plans"].push_back(json_of(problem));
    print_json(j);
    return exit_ok;
  }
  print(formatted("{}: {}\n", short_name(device), device.name));
  for (const planned_problem& problem : planned) print("\n" + text_of(problem));
  return exit_ok;
}

void add_options(CLI::App& command, options& o) {
  o.sweep.lengths = "2^20";
  add_sweep_options(command, o.sweep);
  add_several_devices(command, o.several);
  add_switch(command, "--json", o.is_json, "print JSON instead of text");
}

}  // namespace

void add_plan(CLI::App& program, int& exit_code) {
  add_command<options>(
      program, exit_code,
      {"plan", "Describes how transforms would run, and times their planning", examples}, plan_all,
      add_options);
}

}  // namespace wingbeat::cli
