// SPDX-License-Identifier: Apache-2.0
// The word that a mistyped one stands for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wingbeat::cli {

/// Returns the first known word that begins with `word`, if that has three letters at least;
/// else the nearest one, of those that a third of its letters make of `word`: added, left out,
/// exchanged or trading places with the next. Empty where there is none.
[[nodiscard]] std::string nearest_word(std::string_view word,
                                       const std::vector<std::string>& known);

}  // namespace wingbeat::cli
