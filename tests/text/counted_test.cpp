// SPDX-License-Identifier: Apache-2.0
// Counts with their nouns, as sentences have them.
#include "text/counted.hpp"

#include <gtest/gtest.h>

namespace {

using wingbeat::counted;

TEST(counted, has_the_regular_plural) {
  EXPECT_EQ(counted(1, "batch"), "1 batch");
  EXPECT_EQ(counted(31, "batch"), "31 batches");
  EXPECT_EQ(counted(0, "row"), "0 rows");
  EXPECT_EQ(counted(2, "box"), "2 boxes");
  EXPECT_EQ(counted(2, "frequency"), "2 frequencies");
  EXPECT_EQ(counted(2, "delay"), "2 delays");
  EXPECT_EQ(counted(2, "zero"), "2 zeros");
}

}  // namespace
