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

/// Checks that every output can be written, without leaving a file or changing an older one. Throws
/// `file_error` for an output that cannot be written; `plan_error` if another option names the same
/// file as an output, by the same path or through links, and if two options read one pipe.
void require_files(const std::vector<named_file>& files);

/// Checks the files of all options of a command, by their types (option.hpp).
void require_files(const CLI::App& command);

/// Prints a table on stdout, or on stderr if one of the command's outputs is stdout.
void print_table(std::string_view text, const std::vector<std::string>& outputs);

/// Throws `plan_error` if both --json and an output would be on stdout.
void require_stdout_for_json(const std::vector<named_file>& outputs);

}  // namespace wingbeat::cli
