// SPDX-License-Identifier: Apache-2.0
// A count with its noun, in sentences.
#pragma once

#include <cstddef>  // size_t
#include <string>
#include <string_view>

#include "formatted.hpp"  // formatted

namespace wingbeat {

/// Returns "1 row" or "3 rows".
[[nodiscard]] inline std::string counted(std::size_t count, std::string_view noun) {
  return formatted("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace wingbeat
