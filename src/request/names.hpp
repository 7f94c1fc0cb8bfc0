// SPDX-License-Identifier: Apache-2.0
// The names of choices.
#pragma once

#include <string_view>

namespace wingbeat::request {

/// What `name_of` returns for a number that is no value of its enumeration.
inline constexpr std::string_view unnamed = "unknown";

}  // namespace wingbeat::request
