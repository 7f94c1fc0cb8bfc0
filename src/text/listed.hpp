// SPDX-License-Identifier: Apache-2.0
// Words as a sentence has them.
#pragma once

#include <cstddef>  // size_t
#include <string>

#include "text/formatted.hpp"  // formatted

namespace wingbeat {

/// Returns "full, same or valid".
template <class Words>
[[nodiscard]] std::string listed(const Words& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += formatted("{}{}", i == 0 ? "" : i + 1 == words.size() ? " or " : ", ", words[i]);
  }
  return text;
}

}  // namespace wingbeat
