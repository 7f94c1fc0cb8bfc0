// SPDX-License-Identifier: Apache-2.0
// Options of `match-volume` in a YAML file of Leopard-EM 1.3.0's match_template.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace wingbeat::cli {

/// An option that a file states. One that the command line has, or has beside it, counts instead.
struct stated_option {
  std::string name, text;
  std::string beside = {};  ///< Another option for the same thing.
};

/// Returns the options. Throws `plan_error`, with its name, for a field that is unknown, has
/// another type, or asks for what the search cannot do; for an output that exists, unless the file
/// allows it; `file_error` for a file that is no YAML.
[[nodiscard]] std::vector<stated_option> leopard_options(const std::string& file);

/// Adds --config, before all other options, which it gives the values of a file.
void add_leopard_configuration(CLI::App& command);

}  // namespace wingbeat::cli
