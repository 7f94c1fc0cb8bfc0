// SPDX-License-Identifier: Apache-2.0
#include "cli/choose.hpp"

#include <CLI/CLI.hpp>  // App

#include <algorithm>  // any_of, find_if
#include <string_view>

#include "cli/messages.hpp"    // print_message
#include "cli/option.hpp"      // add_choice, add_list, add_text
#include "text/formatted.hpp"  // formatted
#include "text/number.hpp"     // number_from
#include "text/reject.hpp"     // reject
#include "wingbeat/error.hpp"  // plan_error, absent_error

namespace wingbeat::cli {
namespace {

device_info device_named(const std::string& name) {
  const std::size_t colon = name.find(':');
  const engine wanted = engine_named(std::string_view{name}.substr(0, colon));
  if (colon == std::string::npos) return first_device(wanted);

  const auto index = number_from<std::size_t>(std::string_view{name}.substr(colon + 1));
  reject_if(!index, "'{}' is not a device; write the engine and a number from 0, as in {}:0", name,
            name_of(wanted));
  const auto found = devices(wanted);
  if (found.empty()) return first_device(wanted);  // throws the reason
  if (*index >= found.size()) {
    throw absent_error(formatted("there is no device {}; engine {} has {} here, counted from 0",
                                 name, name_of(wanted), found.size()));
  }
  return found[*index];
}

bool computes(const device_info& device, precision real) {
  return real != precision::fp64 || device.has_fp64;
}

void require_precision(const device_info& device, const std::string& name, precision real) {
  if (computes(device, real)) return;
  reject("{} ({}) has no fp64; use --precision fp32", name, device.name);
}

bool is_listed(const std::vector<device_info>& chosen, const device_info& device) {
  return std::any_of(chosen.begin(), chosen.end(), [&](const device_info& other) {
    return other.runs_on == device.runs_on && other.index == device.index;
  });
}

}  // namespace

std::vector<device_info> choose_devices(const std::vector<std::string>& names, precision real) {
  std::vector<device_info> chosen;
  const auto add = [&](const device_info& device) {
    if (!is_listed(chosen, device)) chosen.push_back(device);
  };
  const auto is_able = [&](const device_info& device) { return computes(device, real); };
  for (const auto& name : names) {
    if (name != "all") {
      const device_info device = device_named(name);
      require_precision(device, name, real);
      add(device);
      continue;
    }
    for (const engine listed : all_engines) {
      const auto found = devices(listed);
      const auto able = std::find_if(found.begin(), found.end(), is_able);
      if (able != found.end()) {
        add(*able);
      } else if (!found.empty()) {
        print_message("{} is left out: its devices have no fp64", name_of(listed));
      }
    }
  }
  return chosen;
}

device_info choose_device(const std::string& name, precision real) {
  reject_if(
      name == "all",
      "--device all means several devices, and this command takes one; name it, such as cuda, "
      "opencl:1, host or reference");
  if (!name.empty()) return choose_devices({name}, real).front();
  const device_info device = best_device();
  require_precision(device, short_name(device), real);
  return device;
}

std::string short_name(const device_info& device) {
  if (device.index == 0) return std::string{name_of(device.runs_on)};
  return formatted("{}:{}", name_of(device.runs_on), device.index);
}

std::vector<device_info> listed_devices(const std::vector<std::string>& names, precision real) {
  std::vector<device_info> chosen;
  for (const std::string& name : names) {
    const bool is_number = number_from<std::size_t>(name).has_value();
    chosen.push_back(choose_device(
        is_number ? formatted("{}:{}", name_of(best_device().runs_on), name) : name, real));
  }
  return chosen;
}

void add_devices(CLI::App& command, std::vector<std::string>& target, const std::string& about) {
  add_list(command, "--devices", target, about)->excludes("--engine");
}

void add_device(CLI::App& command, std::string& target) {
  add_text(command, "--device,--engine", target, "One device; the best one when not given");
}

void add_precision(CLI::App& command, precision& target) {
  add_choice(command, "--precision", target, named_choices({precision::fp32, precision::fp64}));
}

void add_mode(CLI::App& command, extent& target, const std::string& about) {
  add_choice(command, "--mode", target, named_choices({extent::full, extent::same, extent::valid}),
             about);
}

void add_signal_format(CLI::App& command, std::string& format, std::string& column) {
  add_text(command, "--column", column,
           "Of a table of text (CSV): the name of a column, or its number from 0");
  add_text(command, "--format", format,
           "iq: the two channels of a recording are I and Q; raw samples: cf32, ci16, ci8, cu8 and "
           "others; auto: what the content tells");
}

}  // namespace wingbeat::cli
