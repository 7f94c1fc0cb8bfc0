// SPDX-License-Identifier: Apache-2.0
// Output of the program: data to stdout, messages to stderr as one sentence each; exit codes.
#pragma once

#include <cstdio>  // stdout
#include <string_view>
#include <utility>  // forward

#include "backend/message.hpp"  // write_message
#include "text/counted.hpp"     // counted
#include "text/formatted.hpp"   // formatted
#include "wingbeat/error.hpp"   // plan_error, file_error, memory_error

namespace wingbeat::cli {

/// Exit codes of the program.
enum exit_code : int {
  exit_ok = 0,
  exit_check_failed = 1,
  exit_usage = 2,
  exit_no_device = 3,
  exit_file = 4,
  exit_memory = 5,
};

/// Returns the exit code of a program that ends with this error.
[[nodiscard]] inline exit_code code_of(const error& failed) {
  if (dynamic_cast<const plan_error*>(&failed) != nullptr) return exit_usage;
  if (dynamic_cast<const file_error*>(&failed) != nullptr) return exit_file;
  if (dynamic_cast<const memory_error*>(&failed) != nullptr) return exit_memory;
  return exit_no_device;  // absent_error, device_error
}

/// Prints "wingbeat: ..." on stderr, after everything that was printed on stdout before.
template <class... Arguments>
void print_message(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  const auto line =
      formatted("wingbeat: {}\n", formatted(text, std::forward<Arguments>(arguments)...));
  std::fflush(stdout);
  backend::write_message(line);
}

/// Prints on stdout. The stream keeps a failure, which main() checks at the end.
inline void print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

}  // namespace wingbeat::cli
