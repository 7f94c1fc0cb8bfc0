// SPDX-License-Identifier: Apache-2.0
// The commands `bench` and `plan` for transforms over several devices.
#pragma once

#include <string>
#include <vector>

#include "cli/sweep.hpp"           // sweep_options
#include "measure/statistics.hpp"  // stop_rule

namespace CLI {
class App;
}  // namespace CLI

namespace wingbeat::cli {

/// The options of transforms over several devices.
struct several_devices {
  std::vector<std::string> names;  ///< Empty: one device is used.
  bool has_natural_bins = false;
  bool uses_all = false;         ///< Even if one device is expected to be faster.
  bool has_processes = false;    ///< A launcher's processes, each one rank, instead of `names`.
  bool is_sent = false;          ///< Send by TCP even if processes share memory,
  bool is_sent_by_nccl = false;  ///< or by NCCL if they have it.

  [[nodiscard]] bool is_given() const { return has_processes || !names.empty(); }
};

/// Adds --devices, --natural-bins and --all-devices.
void add_several_devices(CLI::App& command, several_devices& target);

/// Adds --processes, --by-tcp and --by-nccl.
void add_processes(CLI::App& command, several_devices& target);

/// Throws `plan_error` if options for several devices were given, but only one device is used.
/// givers: the options that give several, such as "--devices".
void require_several(const several_devices& chosen, const std::string& givers);

/// Measures all problems. Returns the exit code: 1 if a result differs from one device's. With
/// several processes, only rank 0 reports.
[[nodiscard]] int bench_devices(const several_devices& chosen, const sweep_options& sweep,
                                const measure::stop_rule& rule, const std::string& json_file);

/// Describes all problems.
[[nodiscard]] int plan_devices(const several_devices& chosen, const sweep_options& sweep,
                               bool is_json);

}  // namespace wingbeat::cli
