// SPDX-License-Identifier: Apache-2.0
// The most memory that a command may take, compared with what it needs before it allocates.
#pragma once

#include <string>
#include <string_view>

namespace CLI {
class App;
}  // namespace CLI

namespace wingbeat::cli {

/// Returns the bytes of "1500000", "512K", "3.5M" or "12G", in powers of 1024; without a text half
/// of the machine's memory, or of what a control group leaves to the program.
/// Throws `plan_error` naming --max-memory for another text.
[[nodiscard]] double memory_limit_of(const std::string& text);

/// Adds the option --max-memory.
void add_memory_limit(CLI::App& command, std::string& to);

/// Returns what `work` needs at most, arrays and the program itself: "131 MiB of memory". Throws
/// `plan_error` where that exceeds the limit.
[[nodiscard]] std::string require_memory(std::string_view work, double array_bytes,
                                         double limit_bytes);

}  // namespace wingbeat::cli
