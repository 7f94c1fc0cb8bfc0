// SPDX-License-Identifier: Apache-2.0
// A line where kernels compile for long: one kernel, or many in sequence; none otherwise.
#include "cli/compile_progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

namespace {

using namespace std::chrono_literals;
using ::testing::MatchesRegex;
using wingbeat::backend::compilation;
using wingbeat::cli::compile_progress;

constexpr auto line =
    "wingbeat: compiling kernels, [0-9]+ s so far; the first run on a device takes longest\n";

/// Returns what is printed while `n_kernels` compile, one after another.
std::string printed(int n_kernels, std::chrono::milliseconds each,
                    std::chrono::milliseconds first = 60ms) {
  ::testing::internal::CaptureStderr();
  {
    const compile_progress shown{first, 60s};
    for (int i = 0; i < n_kernels; ++i) {
      const compilation running;
      std::this_thread::sleep_for(each);
    }
  }
  return ::testing::internal::GetCapturedStderr();
}

TEST(compile_progress, says_that_kernels_compile_for_long) {
  EXPECT_THAT(printed(1, 200ms), MatchesRegex(line));
  EXPECT_THAT(printed(20, 15ms), MatchesRegex(line));
}

TEST(compile_progress, says_nothing_where_they_do_not) {
  EXPECT_EQ(printed(0, 0ms), "");
  EXPECT_EQ(printed(3, 1ms, 60s), "");
}

TEST(compile_progress, is_told_by_threads_at_once) {
  ::testing::internal::CaptureStderr();
  {
    const compile_progress shown{60ms, 60s};
    std::thread other{[] {
      const compilation running;
      std::this_thread::sleep_for(200ms);
    }};
    {
      const compilation running;
      std::this_thread::sleep_for(20ms);
    }
    other.join();
  }
  const compilation unobserved;  // nobody is told
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), MatchesRegex(line));
}

}  // namespace
