// SPDX-License-Identifier: Apache-2.0
// Which templates parts of a search have.
#include "searching/part.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>  // min
#include <utility>    // pair

#include "support/dice.hpp"     // dice
#include "support/refusal.hpp"  // refusal

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using searching::template_range;
using ::testing::HasSubstr;

std::vector<std::pair<std::size_t, std::size_t>> pairs_of(
    const std::vector<template_range>& ranges) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (const auto& [begin, end] : ranges) pairs.emplace_back(begin, end);
  return pairs;
}

/// Returns the ranges of the numbers that are marked.
std::vector<std::pair<std::size_t, std::size_t>> runs_of(const std::vector<bool>& marks) {
  std::vector<std::pair<std::size_t, std::size_t>> runs;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    if (!marks[i]) continue;
    if (runs.empty() || runs.back().second < i) runs.emplace_back(i, i);
    runs.back().second = i + 1;
  }
  return runs;
}

TEST(search_part, has_ranges_that_join_in_any_order) {
  constexpr std::size_t n_templates = 40;
  dice roll{48};
  for (int trial = 0; trial < 200; ++trial) {
    searching::search_part part{.n_templates = n_templates};
    std::vector<bool> marks(n_templates);
    for (int i = 0; i < 20; ++i) {
      const std::size_t begin = roll.below(n_templates);
      const std::size_t end = std::min(begin + roll.below(5), n_templates);
      std::size_t twice = begin;
      while (twice < end && !marks[twice]) ++twice;
      const auto before = pairs_of(part.templates);
      const auto found = searching::add_range(part.templates, {begin, end});
      ASSERT_EQ(found.has_value(), twice < end);
      if (found) {
        ASSERT_EQ(*found, twice);
        ASSERT_EQ(pairs_of(part.templates), before);
        continue;
      }
      for (std::size_t n = begin; n < end; ++n) marks[n] = true;
      ASSERT_EQ(pairs_of(part.templates), runs_of(marks));
      std::vector<bool> others = marks;
      others.flip();
      ASSERT_EQ(pairs_of(part.missing()), runs_of(others));
    }
  }
}

TEST(search_part, of_another_search_is_refused_by_name) {
  const auto refused = [](const searching::search_part& other) {
    searching::search_part part{.n_templates = 8, .templates = {{0, 4}}};
    return refusal([&] { part.merge(other, "this part", "the other"); });
  };
  EXPECT_THAT(refused({.image_hash = 1, .n_templates = 8}),
              HasSubstr("this part and the other are parts of different searches, of different "
                        "images; merge the parts of one search"));
  EXPECT_THAT(refused({.n_templates = 9}), HasSubstr("of 8 and 9 templates"));
  EXPECT_THAT(refused({.source = {.min_valid = 0.25}, .n_templates = 8}),
              HasSubstr("100 min_valid = 25"));
  EXPECT_THAT(refused({.n_templates = 8, .templates = {{2, 6}}}),
              HasSubstr("template 2 is in the other"));
}

TEST(search_part, of_a_shard_has_whole_batches) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const template_range range = searching::shard{i, 3}.of(50, 8);
    EXPECT_EQ(range.begin, next);
    EXPECT_TRUE(range.end % 8 == 0 || range.end == 50) << range.end;
    next = range.end;
  }
  EXPECT_EQ(next, 50U);
}

}  // namespace
