// SPDX-License-Identifier: Apache-2.0
#include "cli/choose.hpp"

#include <algorithm>  // any_of, find_if
#include <charconv>   // from_chars
#include <string_view>
#include <system_error>  // errc

#include "cli/messages.hpp"    // tell
#include "formatted.hpp"       // formatted
#include "wingbeat/error.hpp"  // plan_error, absent_error

namespace wingbeat::cli {
namespace {

constexpr engine all_engines[] = {engine::reference, engine::host, engine::opencl, engine::cuda};

device_info device_named(const std::string& name) {
  const std::size_t colon = name.find(':');
  const engine which = engine_named(std::string_view{name}.substr(0, colon));
  if (colon == std::string::npos) return first_device(which);

  std::size_t index = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, fault] = std::from_chars(name.data() + colon + 1, end, index);
  if (fault != std::errc{} || stop != end) {
    throw plan_error(
        formatted("'{}' is not a device; write the engine and a number from 0, as in {}:0", name,
                  name_of(which)));
  }
  const auto found = devices(which);
  if (found.empty()) return first_device(which);  // throws, and says why
  if (index >= found.size()) {
    throw absent_error(formatted("there is no device {}; engine {} has {} here, counted from 0",
                                 name, name_of(which), found.size()));
  }
  return found[index];
}

bool is_listed(const std::vector<device_info>& chosen, const device_info& one) {
  return std::any_of(chosen.begin(), chosen.end(), [&](const device_info& other) {
    return other.runs_on == one.runs_on && other.index == one.index;
  });
}

}  // namespace

std::vector<device_info> choose_devices(const std::vector<std::string>& names, precision real) {
  std::vector<device_info> chosen;
  const auto add = [&](const device_info& one) {
    if (!is_listed(chosen, one)) chosen.push_back(one);
  };
  const auto computes = [&](const device_info& one) {
    return real != precision::fp64 || one.has_fp64;
  };
  for (const auto& name : names) {
    if (name != "all") {
      const device_info one = device_named(name);
      if (!computes(one)) {
        throw plan_error(formatted("{} ({}) has no fp64; use --precision fp32", name, one.name));
      }
      add(one);
      continue;
    }
    for (const engine which : all_engines) {
      const auto found = devices(which);
      const auto able = std::find_if(found.begin(), found.end(), computes);
      if (able != found.end()) {
        add(*able);
      } else if (!found.empty()) {
        tell("{} is left out: its devices have no fp64", name_of(which));
      }
    }
  }
  return chosen;
}

std::string short_name(const device_info& where) {
  if (where.index == 0) return std::string{name_of(where.runs_on)};
  return formatted("{}:{}", name_of(where.runs_on), where.index);
}

precision precision_named(const std::string& name) {
  for (const precision known : {precision::fp32, precision::fp64}) {
    if (name_of(known) == name) return known;
  }
  throw plan_error(formatted("there is no precision '{}'; choose fp32 or fp64", name));
}

scaling scaling_named(const std::string& name) {
  for (const scaling known : {scaling::none, scaling::by_length, scaling::by_sqrt_length}) {
    if (name_of(known) == name) return known;
  }
  throw plan_error(
      formatted("there is no scaling '{}'; choose none, by_length or by_sqrt_length", name));
}

}  // namespace wingbeat::cli
