// SPDX-License-Identifier: Apache-2.0
// The files that a command reads and writes, checked before it computes or measures anything.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace wingbeat::cli {

/// An option, and a file that it names.
struct named_file {
  std::string option;
  std::string path;  ///< Empty: the option was not given. "-" is stdin or stdout.
  bool is_read = false, is_written = false;
};

/// Checks that every file that is written can be, and leaves no file behind and older files as they
/// are. Throws `file_error` for one that cannot; `plan_error` where a file that is written has
/// another option too, by the same path or through symbolic or hard links, and where two options
/// read one pipe.
void require_files(const std::vector<named_file>& files);

/// Checks the files of all options of a command, by their types (option.hpp).
void require_files(const CLI::App& command);

/// Prints a table on stdout, or on stderr where one of the command's outputs is stdout.
void print_table(std::string_view text, const std::vector<std::string>& outputs);

/// Throws `plan_error` where --json and an output would both be on stdout.
void require_stdout_for_json(const std::vector<named_file>& outputs);

}  // namespace wingbeat::cli
