// SPDX-License-Identifier: Apache-2.0
// Label: cli
// Where one engine overtakes another, for times made up to be awkward.
#include "cli/reports/break_even.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace wingbeat::cli;

timed_engine engine(std::string name, const std::vector<double>& seconds) {
  timed_engine result{std::move(name), {}};
  std::size_t length = 2;
  for (const double s : seconds) {
    result.times.push_back({length, s});
    length *= 2;
  }
  return result;
}

break_even between(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<timed_engine> both{engine("a", a), engine("b", b)};
  return break_evens(both).at(0);
}

TEST(break_even, is_the_first_length_of_the_lasting_lead) {
  const break_even pair = between({1, 2, 3, 4}, {2, 2.5, 2.8, 3});
  EXPECT_EQ(pair.faster, "b");
  EXPECT_EQ(pair.length, 8);
  EXPECT_EQ(pair.largest, 16);
}

TEST(break_even, ignores_a_lead_that_does_not_last) {
  EXPECT_EQ(between({1, 3, 3, 4}, {2, 2, 3.5, 3}).length, 16);
}

TEST(break_even, is_none_where_one_engine_always_leads) {
  const break_even pair = between({1, 1, 1}, {2, 2, 2});
  EXPECT_EQ(pair.faster, "a");
  EXPECT_FALSE(pair.length);
  EXPECT_EQ(sentence_of(pair),
            "no break-even: a is faster than b at every length measured, up to 8");
}

TEST(break_even, works_in_both_directions) {
  const break_even pair = between({2, 1}, {1, 2});
  EXPECT_EQ(pair.faster, "a");
  EXPECT_EQ(pair.length, 4);
}

TEST(break_even, compares_every_pair_once) {
  const std::vector<timed_engine> three{engine("a", {1}), engine("b", {2}), engine("c", {3})};
  EXPECT_EQ(break_evens(three).size(), 3);
}

}  // namespace
