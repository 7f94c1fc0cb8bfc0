// SPDX-License-Identifier: Apache-2.0
#include "cli/service_start.hpp"

#include <ctime>  // gmtime_r, strftime
#include <fstream>
#include <string>

#include "cli/option.hpp"        // add_text
#include "commit.hpp"            // WINGBEAT_COMMIT, generated
#include "text/formatted.hpp"    // formatted
#include "wingbeat/version.hpp"  // WINGBEAT_VERSION_MAJOR

namespace wingbeat::cli {
namespace {

/// Returns the command line of this process, quoted for a shell.
std::string command_line() {
  constexpr const char* plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=.,:/+@%";
  std::ifstream words{"/proc/self/cmdline"};
  std::string line;
  for (std::string word; std::getline(words, word, '\0');) {
    if (!line.empty()) line += ' ';
    const bool is_plain = !word.empty() && word.find_first_not_of(plain) == std::string::npos;
    for (std::size_t offset = word.find('\''); offset != word.npos;
         offset = word.find('\'', offset + 4)) {
      word.replace(offset, 1, "'\\''");
    }
    line += is_plain ? word : "'" + word + "'";
  }
  return line;
}

std::string utc_text(double unix_time_s) {
  const auto seconds = static_cast<std::time_t>(unix_time_s);
  std::tm parts = {};
  char text[32] = "";
  if (::gmtime_r(&seconds, &parts) != nullptr) {
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  }
  return text;
}

}  // namespace

void add_log_level(CLI::App& command, std::string& target) {
  add_text(command, "--log-level", target, "all, trace, debug, info, warn, error, fatal or off");
}

void log_start(control::service_log& log, double sync_time_s) {
  log.write(control::log_level::info,
            formatted("wingbeat {}.{}.{} ({}), sync time {:.6f} ({}), started as: {}",
                      WINGBEAT_VERSION_MAJOR, WINGBEAT_VERSION_MINOR, WINGBEAT_VERSION_PATCH,
                      WINGBEAT_COMMIT, sync_time_s, utc_text(sync_time_s), command_line()));
}

}  // namespace wingbeat::cli
