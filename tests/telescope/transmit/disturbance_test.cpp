// SPDX-License-Identifier: Apache-2.0
// Which packets are dropped, sent twice and shuffled, against the shares that were asked for.
#include "transmit/disturbance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>  // max, sort
#include <cmath>      // sqrt
#include <cstdlib>    // abs

#include "support/refusal.hpp"  // message_of
#include "wingbeat/error.hpp"   // plan_error

namespace {

using namespace wingbeat::transmit;
using ::testing::HasSubstr;
using indices = std::vector<std::uint64_t>;

/// Returns what is sent of packets 0 to n - 1, in bursts of 96.
indices sent_of(disturbance& faults, std::uint64_t n) {
  indices result, order;
  for (std::uint64_t first = 0; first < n; first += 96) {
    faults.apply(first, std::min<std::uint64_t>(96, n - first), order);
    result.insert(result.end(), order.begin(), order.end());
  }
  return result;
}

/// Returns the lengths of gaps between indices that are sent, in order.
std::vector<std::uint64_t> gaps_of(const indices& sent) {
  std::vector<std::uint64_t> gaps;
  for (std::size_t i = 1; i < sent.size(); ++i) {
    if (sent[i] > sent[i - 1] + 1) gaps.push_back(sent[i] - sent[i - 1] - 1);
  }
  return gaps;
}

TEST(disturbance, leaves_packets_as_they_are) {
  disturbance faults({}, 0);
  const indices sent = sent_of(faults, 1000);
  ASSERT_EQ(sent.size(), 1000u);
  for (std::uint64_t i = 0; i < 1000; ++i) ASSERT_EQ(sent[i], i);
  EXPECT_EQ(faults.counts().dropped + faults.counts().duplicated + faults.counts().reordered, 0u);
}

TEST(disturbance, drops_the_share_that_was_asked_for) {
  constexpr std::uint64_t n = 400000;
  for (const double share : {0.01, 0.2, 0.5}) {
    for (const std::size_t burst : {1u, 7u}) {
      disturbance faults({.drop = share, .drop_burst = burst, .seed = 3}, 1);
      const indices sent = sent_of(faults, n);
      EXPECT_EQ(sent.size() + faults.counts().dropped, n);
      const double expected = share * n;
      // Bursts of b packets: b^2 times the variance of n/b single ones.
      const double deviation = std::sqrt(expected * static_cast<double>(burst));
      EXPECT_NEAR(static_cast<double>(faults.counts().dropped), expected, 5 * deviation)
          << share << " in bursts of " << burst;
      for (const std::uint64_t gap : gaps_of(sent)) ASSERT_EQ(gap % burst, 0u);
    }
  }
  disturbance all({.drop = 1}, 0);
  EXPECT_TRUE(sent_of(all, 1000).empty());
}

TEST(disturbance, spares_the_other_polarisation) {
  const disturbance_spec spec{.drop = 0.1, .drop_polarisation = 1};
  disturbance spared(spec, 0), struck(spec, 1);
  EXPECT_EQ(sent_of(spared, 10000).size(), 10000u);
  EXPECT_LT(sent_of(struck, 10000).size(), 9500u);
}

TEST(disturbance, sends_packets_twice) {
  disturbance faults({.duplicate = 0.01, .seed = 9}, 0);
  const indices sent = sent_of(faults, 100000);
  EXPECT_EQ(sent.size(), 100000 + faults.counts().duplicated);
  EXPECT_NEAR(static_cast<double>(faults.counts().duplicated), 1000, 160);
  std::uint64_t n_same = 0;
  for (std::size_t i = 1; i < sent.size(); ++i) n_same += sent[i] == sent[i - 1];
  EXPECT_EQ(n_same, faults.counts().duplicated);
}

TEST(disturbance, shuffles_within_blocks) {
  disturbance faults({.drop = 0.01, .duplicate = 0.01, .reorder = 64, .seed = 1}, 0);
  const indices sent = sent_of(faults, 96000);
  indices sorted = sent;
  std::sort(sorted.begin(), sorted.end());
  std::uint64_t n_late = 0, latest = 0;
  for (std::size_t i = 0; i < sent.size(); ++i) {
    n_late += sent[i] < latest;
    latest = std::max(latest, sent[i]);
    // The same block of a burst, with 64 or 32 packets.
    ASSERT_LT(std::abs(static_cast<std::int64_t>(sent[i]) - static_cast<std::int64_t>(sorted[i])),
              80);
  }
  EXPECT_EQ(faults.counts().reordered, n_late);
  EXPECT_GT(n_late, 80000u);
  EXPECT_EQ(sent.size(), 96000 - faults.counts().dropped + faults.counts().duplicated);
}

TEST(disturbance, is_the_same_for_the_same_seed) {
  const auto sent = [](std::uint64_t seed, std::size_t polarisation) {
    disturbance faults({.drop = 0.1, .duplicate = 0.1, .reorder = 8, .seed = seed}, polarisation);
    return sent_of(faults, 2000);
  };
  EXPECT_EQ(sent(1, 0), sent(1, 0));
  EXPECT_NE(sent(1, 0), sent(2, 0));
  EXPECT_NE(sent(1, 0), sent(1, 1));
}

TEST(disturbance, refuses_in_one_sentence) {
  const auto refusal_of = [](const disturbance_spec& spec) -> std::string {
    return wingbeat::test::message_of<wingbeat::plan_error>([&] { check(spec); });
  };
  EXPECT_EQ(refusal_of({}), "");
  EXPECT_THAT(refusal_of({.drop = 1.5}), HasSubstr("1.5 packets to drop"));
  EXPECT_THAT(refusal_of({.duplicate = -1}), HasSubstr("-1 to send twice"));
  EXPECT_THAT(refusal_of({.drop_burst = 0}), HasSubstr("bursts of 0"));
  EXPECT_THAT(refusal_of({.reorder = 0}), HasSubstr("blocks of 0"));
}

}  // namespace
