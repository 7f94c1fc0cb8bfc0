// SPDX-License-Identifier: Apache-2.0
// A count with its noun, for sentences.
#pragma once

#include <cstddef>  // size_t
#include <string>
#include <string_view>

#include "text/formatted.hpp"  // formatted

namespace wingbeat {

/// Returns the regular plural: rows, batches, boxes, frequencies, delays.
[[nodiscard]] inline std::string plural_of(std::string_view noun) {
  constexpr std::string_view vowels = "aeiou";
  const bool ends_in_y = noun.size() > 1 && noun.ends_with('y') &&
                         vowels.find(noun[noun.size() - 2]) == std::string_view::npos;
  if (ends_in_y) return formatted("{}ies", noun.substr(0, noun.size() - 1));
  const bool hisses = noun.ends_with('s') || noun.ends_with('x') || noun.ends_with('z') ||
                      noun.ends_with("ch") || noun.ends_with("sh");
  return formatted("{}{}", noun, hisses ? "es" : "s");
}

/// Returns "1 row" or "3 rows".
[[nodiscard]] inline std::string counted(std::size_t count, std::string_view noun) {
  return count == 1 ? formatted("1 {}", noun) : formatted("{} {}", count, plural_of(noun));
}

}  // namespace wingbeat
