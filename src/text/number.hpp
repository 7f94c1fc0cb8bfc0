// SPDX-License-Identifier: Apache-2.0
// Numbers in texts, whatever the locale.
#pragma once

#include <charconv>  // from_chars
#include <optional>
#include <string_view>
#include <system_error>  // errc

namespace wingbeat {

/// Returns the number that all of the text is, decimal, without '+' or blanks; none where it is no
/// such number or exceeds the type.
template <class Number>
[[nodiscard]] std::optional<Number> number_from(std::string_view text) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, failure] = std::from_chars(text.data(), end, number);
  if (failure != std::errc{} || stopped != end) return std::nullopt;
  return number;
}

}  // namespace wingbeat
