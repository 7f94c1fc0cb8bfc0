// SPDX-License-Identifier: Apache-2.0
// A line where work takes long, and none where it does not.
#include "cli/elapsed_message.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

namespace {

using namespace std::chrono_literals;
using ::testing::MatchesRegex;
using wingbeat::cli::elapsed_message;

/// Returns what is printed while two pieces of work run, one after another.
std::string printed(std::chrono::milliseconds each) {
  ::testing::internal::CaptureStderr();
  {
    elapsed_message shown{"planning 1009", "; it ends", 60ms, 60s};
    for (int piece = 0; piece < 2; ++piece) {
      shown.begin();
      std::this_thread::sleep_for(each);
      shown.end();
    }
  }
  return ::testing::internal::GetCapturedStderr();
}

TEST(elapsed_message, says_what_takes_long) {
  EXPECT_THAT(printed(50ms), MatchesRegex("wingbeat: planning 1009, [0-9]+ s so far; it ends\n"));
  EXPECT_EQ(printed(0ms), "");
}

}  // namespace
