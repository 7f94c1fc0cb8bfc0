// SPDX-License-Identifier: Apache-2.0
// For builds without services, because sockets are not Linux's or control was left out.
#include "cli/commands/commands.hpp"
#include "cli/configuration.hpp"
#include "cli/fgpu_options.hpp"

namespace wingbeat::cli {

void add_dsim(CLI::App&, int&) {}
void add_fengine(CLI::App&, int&) {}
void add_receive(CLI::App&, int&) {}

std::vector<std::string> with_configuration(const CLI::App&, const std::vector<std::string>& words,
                                            std::string_view) {
  return words;
}

std::vector<std::string> with_number_lists(const std::vector<std::string>& words) {
  return words;
}

}  // namespace wingbeat::cli
