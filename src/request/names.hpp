// SPDX-License-Identifier: Apache-2.0
// The names of choices, and checks that refuse values without a name.
#pragma once

#include <string_view>

#include "text/reject.hpp"  // reject

namespace wingbeat::request {

/// What `name_of` returns for a number that is no value of its enumeration.
inline constexpr std::string_view unnamed = "unknown";

/// Throws if the value of a field is not an enumerator.
template <class Enumeration>
void require_known(bool is_known, std::string_view field, Enumeration value,
                   std::string_view choices) {
  if (is_known) return;
  reject("{} is {}, which is none of its values; choose {}", field, static_cast<int>(value),
         choices);
}

/// The same for an enumeration whose values all have names.
template <class Enumeration>
void require_named(Enumeration value, std::string_view field, std::string_view choices) {
  require_known(name_of(value) != unnamed, field, value, choices);
}

}  // namespace wingbeat::request
