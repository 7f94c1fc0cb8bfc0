// SPDX-License-Identifier: Apache-2.0
#include "control/log_level.hpp"

#include <algorithm>  // find
#include <cstddef>    // size_t
#include <iterator>   // begin, end

#include "text/formatted.hpp"  // formatted, joined
#include "text/reject.hpp"     // reject

namespace wingbeat::control {
namespace {

constexpr std::string_view level_names[] = {"all",  "trace", "debug", "info",
                                            "warn", "error", "fatal", "off"};

}  // namespace

std::string_view name_of(log_level level) {
  return level_names[static_cast<std::size_t>(level)];
}

log_level parse_log_level(std::string_view name) {
  const auto* const place = std::find(std::begin(level_names), std::end(level_names), name);
  reject_if(place == std::end(level_names), "'{}' is no level; give one of {}", name,
            joined(level_names, ", "));
  return static_cast<log_level>(place - std::begin(level_names));
}

}  // namespace wingbeat::control
