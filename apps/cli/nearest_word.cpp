// SPDX-License-Identifier: Apache-2.0
#include "cli/nearest_word.hpp"

#include <algorithm>  // max, min
#include <numeric>    // iota
#include <utility>    // move

namespace wingbeat::cli {
namespace {

/// Returns the edit distance, in which a swap of neighbours is one edit: rows of the table are
/// prefixes of `a`, columns those of `b`.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> above, row(b.size() + 1), next(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] != b[j - 1])});
      const bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swap) next[j] = std::min(next[j], above[j - 2] + 1);
    }
    above = std::move(row);
    row = next;
  }
  return row.back();
}

}  // namespace

std::string nearest_word(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t min_prefix = 3;
  for (const std::string& each : known) {
    if (word.size() >= min_prefix && each.starts_with(word)) return each;
  }
  std::string nearest;
  std::size_t least = std::max(word.size() / 3, std::size_t{1}) + 1;
  for (const std::string& each : known) {
    const std::size_t edits = distance(word, each);
    if (edits >= least) continue;
    least = edits;
    nearest = each;
  }
  return nearest;
}

}  // namespace wingbeat::cli
