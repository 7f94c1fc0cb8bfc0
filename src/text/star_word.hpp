// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace wingbeat {

/// Returns a name as a word of a STAR file: in quotes if it has blanks, a special first character,
/// or begins like a heading.
[[nodiscard]] inline std::string star_word(const std::string& name) {
  constexpr std::string_view first = "_#$'\";[";
  const bool is_plain = !name.empty() && name.find_first_of(" \t") == std::string::npos &&
                        first.find(name.front()) == std::string_view::npos &&
                        !name.starts_with("data_");
  if (is_plain) return name;
  return name.find('\'') == std::string::npos ? "'" + name + "'" : '"' + name + '"';
}

}  // namespace wingbeat
