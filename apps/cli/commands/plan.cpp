// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/plan.hpp"

#include <CLI/CLI.hpp>  // App

#include <memory>  // make_shared

#include "cli/choose.hpp"              // short_name
#include "cli/messages.hpp"            // print, tell
#include "cli/option.hpp"              // add_switch
#include "cli/peers/queue_runs.hpp"    // timed_plan
#include "cli/reports/bench.hpp"       // json_of kernels
#include "cli/reports/print_json.hpp"  // print_json
#include "cli/reports/table.hpp"       // table, seconds_text
#include "cli/sweep.hpp"               // sweep_options
#include "formatted.hpp"               // formatted
#include "wingbeat/error.hpp"          // plan_error

namespace wingbeat::cli {
namespace {

using json = nlohmann::ordered_json;

constexpr const char* examples = R"(Examples:
  wingbeat plan --lengths 4096x4096 --kind r2c --batch 4 --device cuda:0
  wingbeat plan --device host --lengths 2^20 --batch 1
  wingbeat plan --lengths 2^10..2^24 --precision fp64 --json

Plans each problem twice and runs nothing: `cold` ignores the cache of compiled kernels, `warm`
finds them there. A problem that the engine refuses costs a sentence; exit code 2 if all are.)";

struct options {
  sweep_options sweep;
  bool is_json = false;
};

/// One problem, planned.
struct planned {
  plan_spec what;
  preparation times;
  std::string text;
  std::size_t n_passes;  ///< 0 on engines that compile no kernels.
  std::size_t traffic_bytes;
  std::vector<kernel_resources> kernels;
};

planned planned_on(const queue& on, const plan_spec& what) {
  planned made{what, {}, {}, 0, 0, {}};
  const wingbeat::plan one = timed_plan(on, what, made.times);
  made.text = one.explain();
  made.n_passes = one.passes().size();
  made.traffic_bytes = one.traffic_bytes();
  made.kernels = one.resources();
  return made;
}

json json_of(const planned& one) {
  json j{{"lengths", one.what.lengths}, {"batch", std::size_t{one.what.batch}}};
  j["input_bytes"] = input_bytes(one.what);
  j["output_bytes"] = output_bytes(one.what);
  j["workspace_bytes"] = one.times.workspace_bytes;
  j["traffic_bytes"] = one.traffic_bytes;
  j["plan_cold_s"] = one.times.cold_s;
  j["plan_warm_s"] = one.times.warm_s;
  if (one.n_passes > 0) j["passes"] = one.n_passes;
  j["plan"] = one.text;
  j["kernels"] = cli::json_of(one.kernels);
  return j;
}

std::string known(int figure) {
  return figure < 0 ? "-" : formatted("{}", figure);
}

std::string text_of(const planned& one) {
  std::string text =
      formatted("{} of {} in {}, batch {}: {} in, {} out\n{}planned in {} cold, {} warm\n",
                name_of(one.what.kind), axes_text(one.what), name_of(one.what.real),
                std::size_t{one.what.batch}, bytes_text(input_bytes(one.what)),
                bytes_text(output_bytes(one.what)), one.text, seconds_text(one.times.cold_s),
                seconds_text(one.times.warm_s));
  if (one.kernels.empty()) return text;
  table kernels{{{"kernel", align::left},
                 {"threads"},
                 {"registers"},
                 {"spilled"},
                 {"stack"},
                 {"local memory"}}};
  for (const kernel_resources& k : one.kernels) {
    kernels.add({k.name, known(k.threads), known(k.registers), known(k.spill_bytes),
                 known(k.stack_bytes), known(k.scratch_bytes)});
  }
  return text + kernels.text();
}

int plan_all(const options& o) {
  const device_info where = device_of(o.sweep);
  const auto problems = problems_of(o.sweep, where);
  const queue on{where};
  std::vector<planned> all;
  for (const plan_spec& what : problems) {
    try {
      all.push_back(planned_on(on, what));
    } catch (const plan_error& refused) {
      tell("{} is left out: {}", axes_text(what), refused.what());
    }
  }
  if (all.empty()) return exit_usage;
  if (o.is_json) {
    json j{{"schema", "wingbeat.plan/1"}};
    j["command"] = "wingbeat plan " + words_of(o.sweep, where);
    j["device"] = {{"engine", name_of(where.runs_on)},
                   {"name", where.name},
                   {"architecture", where.architecture},
                   {"version", where.version}};
    j["kind"] = name_of(all.front().what.kind);
    j["precision"] = name_of(all.front().what.real);
    j["layout"] = o.sweep.layout;
    for (const planned& one : all) j["plans"].push_back(json_of(one));
    print_json(j);
    return exit_ok;
  }
  print(formatted("{}: {}\n", short_name(where), where.name));
  for (const planned& one : all) print("\n" + text_of(one));
  return exit_ok;
}

}  // namespace

void add_plan(CLI::App& program, int& exit_code) {
  auto chosen = std::make_shared<options>();
  chosen->sweep.lengths = "2^20";
  CLI::App* command =
      program.add_subcommand("plan", "say in words how transforms would run, and what that takes");
  command->footer(examples);
  add_sweep_options(*command, chosen->sweep);
  add_switch(*command, "--json", chosen->is_json, "print JSON instead of text");
  command->callback([chosen, &exit_code] { exit_code = plan_all(*chosen); });
}

}  // namespace wingbeat::cli
