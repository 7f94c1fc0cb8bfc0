// SPDX-License-Identifier: Apache-2.0
// Numbers in texts, whatever the locale.
#pragma once

#include <charconv>  // from_chars
#include <optional>
#include <string_view>
#include <system_error>  // errc

namespace wingbeat {

/// Returns the decimal number in a text without '+' or blanks; none if the text is anything else or
/// the number exceeds the type.
template <class Number>
[[nodiscard]] std::optional<Number> number_from(std::string_view text) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, failure] = std::from_chars(text.data(), end, number);
  if (failure != std::errc{} || stopped != end) return std::nullopt;
  return number;
}

}  // namespace wingbeat
