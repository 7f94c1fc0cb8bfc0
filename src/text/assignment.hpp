// SPDX-License-Identifier: Apache-2.0
// Constants of a kernel as text: members of a struct `n` by their names.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>  // is_enum_v, is_same_v

#include "text/formatted.hpp"  // formatted

namespace wingbeat {

/// Returns the line that sets a member: "    n.shape.length = 64;\n".
template <class Value>
[[nodiscard]] std::string assignment(std::string_view name, const Value& value) {
  if constexpr (std::is_enum_v<Value>) {
    return formatted("    n.{0} = decltype(n.{0})({1});\n", name, static_cast<int>(value));
  } else if constexpr (std::is_same_v<Value, double>) {
    return formatted("    n.{} = {:a};\n", name, value);
  } else {
    return formatted("    n.{} = {};\n", name, value);
  }
}

}  // namespace wingbeat
