// SPDX-License-Identifier: Apache-2.0
// `bench` and `plan` of transforms over several devices.
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
  bool uses_all = false;         ///< Also where one device is expected to be quicker.
  bool has_processes = false;    ///< Of a launcher, each with one rank, in place of `names`.
  bool is_sent = false;          ///< They send by TCP what they could store in each other's memory,
  bool is_sent_by_nccl = false;  ///< or by NCCL where they have it.

  [[nodiscard]] bool is_given() const { return has_processes || !names.empty(); }
};

/// Adds --devices, --natural-bins and --all-devices.
void add_several_devices(CLI::App& command, several_devices& target);

/// Adds --processes, --by-tcp and --by-nccl.
void add_processes(CLI::App& command, several_devices& target);

/// Throws `plan_error` where one device is used and options of several were given. givers: the
/// options that give several, as "--devices".
void require_several(const several_devices& chosen, const std::string& givers);

/// Measures all problems, and returns the exit code: 1 where a result differs from one device's.
/// Of several processes rank 0 reports.
[[nodiscard]] int bench_devices(const several_devices& chosen, const sweep_options& sweep,
                                const measure::stop_rule& rule, const std::string& json_file);

/// Describes all problems.
[[nodiscard]] int plan_devices(const several_devices& chosen, const sweep_options& sweep,
                               bool is_json);

}  // namespace wingbeat::cli
