// SPDX-License-Identifier: Apache-2.0
#include "cli/reports/break_even.hpp"

#include <algorithm>  // find_if

#include "text/formatted.hpp"  // formatted

namespace wingbeat::cli {
namespace {

/// The times of two engines at a length that both have.
struct common_length {
  std::size_t length;
  double a_s, b_s;
};

std::vector<common_length> common_lengths(const timed_engine& a, const timed_engine& b) {
  std::vector<common_length> common;
  for (const timed_length& of_a : a.times) {
    const auto of_b = std::find_if(b.times.begin(), b.times.end(),
                                   [&](const timed_length& t) { return t.length == of_a.length; });
    if (of_b != b.times.end()) common.push_back({of_a.length, of_a.total_s, of_b->total_s});
  }
  return common;
}

break_even between(const timed_engine& a, const timed_engine& b,
                   const std::vector<common_length>& common) {
  const bool b_wins = common.back().b_s < common.back().a_s;
  break_even pair{b_wins ? b.name : a.name, b_wins ? a.name : b.name, common.back().length, {}};
  for (auto offset = common.rbegin(); offset != common.rend(); ++offset) {
    const bool is_ahead = b_wins ? offset->b_s < offset->a_s : offset->a_s <= offset->b_s;
    if (!is_ahead) return pair;
    pair.length = offset->length;
  }
  pair.length.reset();
  return pair;
}

}  // namespace

std::vector<break_even> break_evens(std::span<const timed_engine> engines) {
  std::vector<break_even> pairs;
  for (std::size_t a = 0; a < engines.size(); ++a) {
    for (std::size_t b = a + 1; b < engines.size(); ++b) {
      const auto common = common_lengths(engines[a], engines[b]);
      if (!common.empty()) pairs.push_back(between(engines[a], engines[b], common));
    }
  }
  return pairs;
}

std::string sentence_of(const break_even& pair) {
  if (!pair.length) {
    return formatted("no break-even: {} is faster than {} at every length measured, up to {}",
                     pair.faster, pair.slower, pair.largest);
  }
  return formatted("break-even at {}: from there on {} is faster than {}, up to {}", *pair.length,
                   pair.faster, pair.slower, pair.largest);
}

}  // namespace wingbeat::cli
