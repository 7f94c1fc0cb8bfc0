// SPDX-License-Identifier: Apache-2.0
// Runs the named command of a program, and reports every error as one sentence and an exit code.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace wingbeat::cli {

/// The commands of a program.
struct program_commands {
  const char *about, *footer;                      ///< Texts of --help before and after them.
  void (*add)(CLI::App& program, int& exit_code);  ///< Adds them; they set the exit code.
  /// Returns the words to parse for a command line; null: the given ones.
  std::vector<std::string> (*words)(const CLI::App& program, std::vector<std::string> given);
};

/// Runs the command that the words name, and returns the exit code of `main`.
int run_program(const program_commands& commands, int argc, char** argv);

}  // namespace wingbeat::cli
