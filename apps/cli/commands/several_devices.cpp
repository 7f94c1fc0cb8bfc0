// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/several_devices.hpp"

#include <CLI/CLI.hpp>  // App

#include <utility>  // move, pair

#include "cli/choose.hpp"                 // listed_devices, add_devices, short_name
#include "cli/distributed_run.hpp"        // run_distributed, in_options
#include "cli/kinds.hpp"                  // kinds_text
#include "cli/messages.hpp"               // print, print_message
#include "cli/option.hpp"                 // add_switch
#include "cli/reports/print_json.hpp"     // print_json
#include "cli/reports/table.hpp"          // table, seconds_text, bytes_text
#include "formats/files/atomic_file.hpp"  // write_whole_file
#include "request/resolved.hpp"           // logical_points_of
#include "text/formatted.hpp"             // formatted
#include "text/reject.hpp"                // reject
#include "verify/tolerance.hpp"           // bound_of
#include "wingbeat/error.hpp"             // plan_error

namespace wingbeat::cli {
namespace {

using json = nlohmann::ordered_json;

/// Returns the largest difference of two results by rounding, relative to the largest number. Both
/// are rounded; in 16 bits the data that ranks exchange is rounded too.
double max_difference(const plan_spec& spec) {
  const verify::error_bound bound = verify::bound_of({request::logical_points_of(spec), spec.real});
  return 2 * bound.largest + 4 * bound.stored;
}

distributed_spec spec_of(const several_devices& chosen, plan_spec transform) {
  // The range of fp16 ends at 65504.
  if (transform.real == precision::fp16) transform.scale = scaling::by_sqrt_length;
  return {
      .transform = std::move(transform),
      .bins = chosen.has_natural_bins ? bin_distribution::natural : bin_distribution::transposed,
      .may_use_one_device = !chosen.uses_all};
}

/// The devices of the ranks, and the problems for them.
struct requested {
  std::vector<device_info> devices;
  std::vector<plan_spec> problems;
};

requested requested_of(const several_devices& chosen, sweep_options sweep) {
  if (!sweep.batch && !sweep.mib) sweep.batch = 1;
  requested result;
  const precision real = sweep.precision == "fp64" ? precision::fp64 : precision::fp32;
  std::vector<std::string> names = chosen.names;
  if (chosen.has_processes) {
    // Each process takes a device of its own, if there are several.
    const device_info first = choose_device(sweep.device, real);
    const std::size_t n_devices = devices(first.runs_on).size();
    const std::size_t index = process_rank_of_environment().local % n_devices;
    names = {sweep.device.empty() ? formatted("{}:{}", name_of(first.runs_on), index)
                                  : sweep.device};
  }
  result.devices = listed_devices(names, real);
  result.problems = problems_of(sweep, result.devices.front());
  return result;
}

domain ranks_of(const several_devices& chosen, const std::vector<device_info>& devices) {
  if (!chosen.has_processes) return domain::of_devices(devices);
  return domain::at(process_rank_of_environment(), queue{devices.front()},
                    {.may_share_memory = !chosen.is_sent && !chosen.is_sent_by_nccl,
                     .may_use_nccl = !chosen.is_sent});
}

json devices_of(const std::vector<device_info>& devices) {
  json list = json::array();
  for (const device_info& each : devices) {
    list.push_back({{"device", short_name(each)}, {"name", each.name}});
  }
  return list;
}

json problem_of(const plan_spec& spec) {
  return {{"lengths", spec.lengths},
          {"batch", std::size_t{spec.batch}},
          {"kind", kinds_text(spec)},
          {"precision", name_of(spec.real)}};
}

json result_of(const plan_spec& spec, const distributed_run& run) {
  json result = problem_of(spec);
  result["several_s"] = run.several_s;
  if (run.one_s) result["one_s"] = *run.one_s;
  result["uses_one_device"] = run.uses_one_device;
  result["sent_bytes"] = run.sent_bytes;
  if (run.difference) result["difference"] = *run.difference;
  result["plan"] = run.explained;
  return result;
}

std::vector<std::string> row_of(const plan_spec& spec, const distributed_run& run) {
  const std::string times = !run.one_s            ? "-"
                            : run.uses_one_device ? "one is used"
                                                  : formatted("{:.2f}", *run.one_s / run.several_s);
  return {axes_text(spec),
          formatted("{}", std::size_t{spec.batch}),
          run.one_s ? seconds_text(*run.one_s) : "too large",
          seconds_text(run.several_s),
          times,
          bytes_text(run.sent_bytes),
          run.difference ? formatted("{:.1e}", *run.difference) : "-"};
}

void print_results(const json& document, const table& rows, const std::string& json_file) {
  if (json_file == "-") return print_json(document);
  print(rows.text());
  if (json_file.empty()) return;
  formats::write_whole_file(json_file, measure::document_text(document));
}

}  // namespace

void add_several_devices(CLI::App& command, several_devices& target) {
  add_devices(command, target.names,
              "transforms over several devices, as 0,1; batch 1 without --batch and --mib");
  add_switch(command, "--natural-bins", target.has_natural_bins,
             "cut bins along the first axis, as values are, not along the second");
  add_switch(command, "--all-devices", target.uses_all,
             "use all of them where one is expected to be quicker, too");
}

void add_processes(CLI::App& command, several_devices& target) {
  CLI::Option* const processes =
      add_switch(command, "--processes", target.has_processes,
                 "transforms over the processes of torchrun or srun, a device of each");
  processes->excludes("--devices");
  CLI::Option* const by_tcp =
      add_switch(command, "--by-tcp", target.is_sent, "of --processes: send by TCP in any case");
  by_tcp->needs(processes);
  add_switch(command, "--by-nccl", target.is_sent_by_nccl,
             "of --processes: do not store in each other's memory where that is possible; send by "
             "NCCL, or by TCP without it")
      ->needs(processes)
      ->excludes(by_tcp);
}

void require_several(const several_devices& chosen, const std::string& givers) {
  for (const auto& [name, is_given] :
       {std::pair{"--natural-bins", chosen.has_natural_bins}, {"--all-devices", chosen.uses_all}}) {
    if (!is_given || chosen.is_given()) continue;
    reject("{} is for {}; add that, or drop it", name, givers);
  }
}

int bench_devices(const several_devices& chosen, const sweep_options& sweep,
                  const measure::stop_rule& rule, const std::string& json_file) {
  const auto [devices, problems] = requested_of(chosen, sweep);
  domain ranks = ranks_of(chosen, devices);
  json document{{"schema", "wingbeat.bench_devices/1"}, {"devices", devices_of(devices)}};
  if (ranks.group()) document["processes"] = ranks.size();
  table rows{{{"lengths"},
              {"batch"},
              {"one device"},
              {formatted("{} {}", ranks.size(), ranks.group() ? "processes" : "ranks")},
              {"times"},
              {"sent"},
              {"difference"}}};
  bool is_right = true;
  for (const plan_spec& spec : problems) {
    try {
      const distributed_run run = run_distributed(ranks, spec_of(chosen, spec), rule);
      rows.add(row_of(spec, run));
      document["results"].push_back(result_of(spec, run));
      is_right &= run.difference.value_or(0) <= max_difference(spec);
    } catch (const error& refused) {
      const bool is_request = dynamic_cast<const plan_error*>(&refused) != nullptr;
      if (ranks.group() && !is_request) throw;  // a rank was lost, so later problems fail too
      print_message("{} is left out: {}", axes_text(spec), in_options(refused.what()));
    }
  }
  if (!document.contains("results")) return exit_usage;
  if (ranks.has(0)) print_results(document, rows, json_file);
  return is_right ? exit_ok : exit_check_failed;
}

int plan_devices(const several_devices& chosen, const sweep_options& sweep, bool is_json) {
  const auto [devices, problems] = requested_of(chosen, sweep);
  const domain ranks = domain::of_devices(devices);
  json document{{"schema", "wingbeat.plan_devices/1"}, {"devices", devices_of(devices)}};
  std::string text;
  for (const plan_spec& spec : problems) {
    try {
      const distributed_plan planned{ranks, spec_of(chosen, spec)};
      json result = problem_of(spec);
      result["sent_bytes"] = planned.sent_bytes();
      result["plan"] = planned.explain();
      document["plans"].push_back(result);
      text += formatted("{} of {} in {}, batch {}\n{}", kinds_text(spec), axes_text(spec),
                        name_of(spec.real), std::size_t{spec.batch}, planned.explain());
    } catch (const plan_error& refused) {
      print_message("{} is left out: {}", axes_text(spec), in_options(refused.what()));
    }
  }
  if (text.empty()) return exit_usage;
  if (is_json) {
    print_json(document);
  } else {
    print(text);
  }
  return exit_ok;
}

}  // namespace wingbeat::cli
