// SPDX-License-Identifier: Apache-2.0
// The program `wingbeat-telescope`, which `wingbeat` runs for its commands.
#include <CLI/CLI.hpp>

#include "cli/configuration.hpp"  // with_configuration
#include "cli/fgpu_options.hpp"   // with_number_lists
#include "cli/program.hpp"        // run_program
#include "cli/services.hpp"       // add_fengine ..

namespace {

using namespace wingbeat::cli;

constexpr const char* footer = R"(Examples:
  wingbeat fengine --config fengine.toml
  wingbeat COMMAND --help       options and worked examples of one command

`wingbeat --help` has the exit codes, and the commands of the transforms themselves.)";

void add_commands(CLI::App& program, int& code) {
  for (const auto add : {add_dsim, add_fengine, add_receive}) add(program, code);
}

/// For long-running commands, returns the words with those of a configuration file.
std::vector<std::string> with_file(const CLI::App& program, std::vector<std::string> words) {
  if (words.empty() || (words.front() != "dsim" && words.front() != "fengine")) return words;
  const auto stated = with_configuration(*program.get_subcommand(words.front()),
                                         with_number_lists({words.begin() + 1, words.end()}),
                                         words.front() == "dsim" ? "signals" : "src");
  words.resize(1);
  words.insert(words.end(), stated.begin(), stated.end());
  return words;
}

}  // namespace

int main(int argc, char** argv) {
  return run_program({"wingbeat: from digitisers to correlators", footer, add_commands, with_file},
                     argc, argv);
}
