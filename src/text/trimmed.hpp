// SPDX-License-Identifier: Apache-2.0
// Texts without what surrounds them.
#pragma once

#include <algorithm>  // min
#include <string_view>

namespace wingbeat {

/// Returns the text without the marks before and behind it.
[[nodiscard]] inline std::string_view trimmed(std::string_view text,
                                              std::string_view marks = " \t\r\n") {
  text.remove_prefix(std::min(text.find_first_not_of(marks), text.size()));
  return text.substr(0, text.find_last_not_of(marks) + 1);
}

}  // namespace wingbeat
