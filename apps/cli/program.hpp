// SPDX-License-Identifier: Apache-2.0
// A program that runs the command named, and reports every error as one sentence and an exit code.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace wingbeat::cli {

/// The commands of a program.
struct program_commands {
  const char *about, *footer;                      ///< What --help says before and behind them.
  void (*add)(CLI::App& program, int& exit_code);  ///< Adds them; they set the exit code.
  /// Returns the words of a command line as they are parsed; null: as they are.
  std::vector<std::string> (*words)(const CLI::App& program, std::vector<std::string> given);
};

/// Runs the command that the words name, and returns the exit code of `main`.
int run_program(const program_commands& commands, int argc, char** argv);

}  // namespace wingbeat::cli
