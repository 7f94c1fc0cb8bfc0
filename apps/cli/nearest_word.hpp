// SPDX-License-Identifier: Apache-2.0
// The known word nearest to a mistyped one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wingbeat::cli {

/// Returns the first known word that begins with `word`, if `word` has at least three letters;
/// otherwise the word that fewest edits reach, at most a third of its letters and at least one. An
/// edit inserts, removes or replaces a letter, or swaps neighbours. Empty if there is none.
[[nodiscard]] std::string nearest_word(std::string_view word,
                                       const std::vector<std::string>& known);

}  // namespace wingbeat::cli
