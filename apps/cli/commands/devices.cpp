// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/commands.hpp"

#include <CLI/CLI.hpp>  // App

#include "cli/choose.hpp"              // all_engines
#include "cli/messages.hpp"            // print
#include "cli/option.hpp"              // add_switch
#include "cli/reports/devices.hpp"     // json_of
#include "cli/reports/print_json.hpp"  // print_json
#include "cli/reports/table.hpp"       // table
#include "text/formatted.hpp"          // formatted
#include "wingbeat/devices.hpp"        // devices, why_absent

namespace wingbeat::cli {
namespace {

constexpr const char* examples = R"(Examples:
  wingbeat devices              a table: one line per device, then the engines that are absent
  wingbeat devices --json       the same for a program

The name before the colon is what --engine takes: host, opencl, opencl:1, ...)";

void print_table() {
  table listed{{{"device", align::left},
                {"name", align::left},
                {"kind", align::left},
                {"architecture", align::left},
                {"memory"},
                {"local memory"},
                {"workgroup"},
                {"units"},
                {"precisions", align::left},
                {"version", align::left}}};
  for (const device_info& d : devices()) {
    listed.add({formatted("{}:{}", name_of(d.runs_on), d.index), d.name, d.is_gpu ? "gpu" : "cpu",
                d.architecture, bytes_text(d.memory_bytes), bytes_text(d.local_memory_bytes),
                formatted("{}", d.max_workgroup), formatted("{}", d.compute_units),
                precisions_text(d.has_fp64), d.version});
  }
  print(listed.text());
  for (const engine absent : all_engines) {
    if (const std::string why = why_absent(absent); !why.empty()) {
      print(formatted("{} is absent: {}\n", name_of(absent), why));
    }
  }
}

void print_document() {
  nlohmann::ordered_json document{{"schema", "wingbeat.devices/1"}};
  document["devices"] = nlohmann::ordered_json::array();
  for (const device_info& d : devices()) document["devices"].push_back(json_of(d));
  document["absent"] = nlohmann::ordered_json::array();
  for (const engine absent : all_engines) {
    if (const std::string why = why_absent(absent); !why.empty()) {
      document["absent"].push_back({{"engine", name_of(absent)}, {"why", why}});
    }
  }
  print_json(document);
}

}  // namespace

void add_devices(CLI::App& program, int& exit_code) {
  const auto run = [](bool is_json) {
    is_json ? print_document() : print_table();
    return exit_ok;
  };
  add_command<bool>(
      program, exit_code,
      {"devices", "Lists engines and devices, and the reasons why others are absent", examples},
      run, [](CLI::App& command, bool& is_json) {
        add_switch(command, "--json", is_json, "Print JSON instead of a table");
      });
}

}  // namespace wingbeat::cli
