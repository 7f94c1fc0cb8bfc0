// SPDX-License-Identifier: Apache-2.0
// Messages of commands that run on: on stderr, from a level on.
#pragma once

#include <string>

#include "cli/messages.hpp"    // print_message
#include "wingbeat/error.hpp"  // plan_error

namespace wingbeat::cli {

enum class message_level { info, warn, error, off };

/// Returns the level of a word. Throws `plan_error` for other words.
[[nodiscard]] inline message_level message_level_of(const std::string& word) {
  if (word == "info") return message_level::info;
  if (word == "warn") return message_level::warn;
  if (word == "error") return message_level::error;
  if (word == "off") return message_level::off;
  throw plan_error(formatted("--log-level '{}' is none; choose info, warn, error, off", word));
}

class service_log {
 public:
  explicit service_log(message_level least) : least_(least) {}

  /// Prints the sentence if its level is high enough. Any thread.
  void write(message_level level, const std::string& sentence) const {
    if (level >= least_ && least_ != message_level::off) print_message("{}", sentence);
  }

 private:
  message_level least_;
};

}  // namespace wingbeat::cli
