// SPDX-License-Identifier: Apache-2.0
#include "cli/memory_limit.hpp"

#include <gtest/gtest.h>

#include "wingbeat/error.hpp"  // memory_error, plan_error

namespace {

using namespace wingbeat;

TEST(memory_limit, tells_what_the_machine_lacks_from_what_is_not_allowed) {
  constexpr double exabyte = 1e18;
  EXPECT_THROW(static_cast<void>(cli::require_memory("this", exabyte, {})), memory_error);
  EXPECT_THROW(static_cast<void>(cli::require_memory("this", exabyte, {.bytes = 1e6})), plan_error);
  EXPECT_NO_THROW(static_cast<void>(cli::require_memory("this", 1e6, {.bytes = 1e9})));
}

}  // namespace
