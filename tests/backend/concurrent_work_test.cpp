// SPDX-License-Identifier: Apache-2.0
// Laws: each piece of work is done once; the lowest number that throws is told; calls nest.
#include "backend/concurrent_work.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>  // runtime_error
#include <string>
#include <thread>
#include <vector>

#include "wingbeat/thread_limit.hpp"

namespace {

using wingbeat::thread_limit;
using wingbeat::backend::each_concurrently;

TEST(concurrent_work, does_each_piece_once) {
  for (const std::size_t n : {0, 1, 2, 1000}) {
    std::vector<std::atomic<int>> done(n);
    each_concurrently(n, [&](std::size_t i) { ++done[i]; });
    for (const auto& each : done) EXPECT_EQ(each, 1) << n;
  }
}

TEST(concurrent_work, throws_what_the_lowest_number_threw) {
  std::atomic<int> n_begun = 0;
  for (int repeat = 0; repeat < 100; ++repeat) {
    try {
      each_concurrently(1000, [&](std::size_t i) {
        ++n_begun;
        if (i >= 3) throw std::runtime_error(std::to_string(i));
        if (i == 2) std::this_thread::yield();
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& failed) {
      EXPECT_STREQ(failed.what(), "3");
    }
  }
  EXPECT_LT(n_begun, 100 * 1000);
}

TEST(concurrent_work, may_be_part_of_other_work) {
  std::atomic<int> done = 0;
  each_concurrently(20, [&](std::size_t) { each_concurrently(20, [&](std::size_t) { ++done; }); });
  EXPECT_EQ(done, 400);
}

TEST(concurrent_work, stays_in_its_thread_where_that_is_the_limit) {
  const thread_limit alone{1};
  each_concurrently(50, [caller = std::this_thread::get_id()](std::size_t) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
  });
}

}  // namespace
