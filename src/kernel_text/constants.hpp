// SPDX-License-Identifier: Apache-2.0
// Constants of a kernel as text: each by its name, as members of a struct `n`.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>  // is_enum_v, is_same_v

#include "text/formatted.hpp"  // formatted

namespace wingbeat::kernel_text {

/// Returns the line that sets a member: "    n.shape.length = 64u;\n".
template <class Value>
[[nodiscard]] std::string assignment(std::string_view name, const Value& value) {
  if constexpr (std::is_enum_v<Value>) {
    return formatted("    n.{0} = decltype(n.{0})({1});\n", name, static_cast<int>(value));
  } else if constexpr (std::is_same_v<Value, double>) {
    return formatted("    n.{} = {:a};\n", name, value);
  } else if constexpr (std::is_unsigned_v<Value> && !std::is_same_v<Value, bool>) {
    return formatted("    n.{} = {}u;\n", name, value);
  } else {
    return formatted("    n.{} = {};\n", name, value);
  }
}

/// Returns those of all numbers that `each` of a struct names, behind `prefix`.
template <class Numbers>
[[nodiscard]] std::string assignments(const Numbers& numbers, std::string_view prefix = "") {
  std::string text;
  numbers.each([&](std::string_view name, const auto& value) {
    text += assignment(formatted("{}{}", prefix, name), value);
  });
  return text;
}

/// Returns the struct `name` whose numbers() returns constants of a type, all but these at their
/// defaults; `members` stand before that function.
[[nodiscard]] std::string policy(std::string_view name, std::string_view members,
                                 std::string_view type, std::string_view assignments);

}  // namespace wingbeat::kernel_text
