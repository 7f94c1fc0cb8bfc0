// SPDX-License-Identifier: Apache-2.0
// The severity of a log line, in katcp's terms.
#pragma once

#include <string_view>

namespace wingbeat::control {

/// `all` and `off` are limits, not levels of lines.
enum class log_level { all, trace, debug, info, warn, error, fatal, off };

/// Returns the level's name in katcp.
[[nodiscard]] std::string_view name_of(log_level level);

/// Returns the level of this name. For another text, throws `plan_error` that lists all names.
[[nodiscard]] log_level parse_log_level(std::string_view name);

}  // namespace wingbeat::control
