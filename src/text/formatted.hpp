// SPDX-License-Identifier: Apache-2.0
// Sentences with values in them, like fmt::format. fmt::format takes seconds to compile in each
// source that calls it; this function is compiled once.
#pragma once

#include <fmt/core.h>  // format_string, format_args

#include <string>
#include <string_view>

namespace wingbeat {

/// Returns the text with its arguments in place.
[[nodiscard]] std::string formatted_from(fmt::string_view text, fmt::format_args arguments);

/// Like fmt::format: each {} becomes an argument.
template <class... Arguments>
[[nodiscard]] std::string formatted(fmt::format_string<Arguments...> text,
                                    Arguments&&... arguments) {
  return formatted_from(text, fmt::make_format_args(arguments...));
}

/// Returns the values in sequence, with `separator` between them.
template <class Range>
[[nodiscard]] std::string joined(const Range& values, std::string_view separator) {
  std::string text;
  bool is_first = true;
  for (const auto& value : values) {
    if (!is_first) text += separator;
    is_first = false;
    text += formatted("{}", value);
  }
  return text;
}

}  // namespace wingbeat
