// SPDX-License-Identifier: Apache-2.0
// Checks of a chart before it is drawn.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "formats/charts/chart.hpp"  // line_chart

namespace wingbeat::formats {

/// Throws `plan_error` for columns of unequal length, an impossible range or an impossible size.
void check_chart(const line_chart& chart);

enum class chart_format { png, svg, pdf };

/// Returns the format that the extension names, in lower or upper case. Throws `plan_error` for any
/// other.
[[nodiscard]] chart_format chart_format_of(const std::filesystem::path& file);

/// Returns `text` with every byte that is not part of valid UTF-8, and every control character,
/// replaced by '?': cairo draws nothing after one bad byte in a file's name.
[[nodiscard]] std::string valid_utf8(std::string_view text);

}  // namespace wingbeat::formats
