// SPDX-License-Identifier: Apache-2.0
// The memory limit of a command, compared with its needs before it allocates.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace CLI {
class App;
}  // namespace CLI

namespace wingbeat::cli {

struct memory_limit {
  /// Unset: half of the machine's memory, or of what a control group leaves to the program.
  std::optional<double> bytes = {};
};

/// Adds the option --max-memory with values such as "1500000", "512K", "3.5M" or "12G", in powers
/// of 1024.
void add_memory_limit(CLI::App& command, memory_limit& target);

/// Returns the most memory that `work` needs, with the program itself: "131 MiB of memory". Throws
/// `plan_error` if that exceeds a given limit, and `memory_error` if it exceeds the machine's.
[[nodiscard]] std::string require_memory(std::string_view work, double array_bytes,
                                         const memory_limit& limit);

}  // namespace wingbeat::cli
