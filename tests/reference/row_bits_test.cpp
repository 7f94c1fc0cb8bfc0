// SPDX-License-Identifier: Apache-2.0
// A row has the same bits alone and in any batch, of every kind.
#include "support/row_bits.hpp"

#include <gtest/gtest.h>

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

TEST(reference_row_bits, follow_the_length_alone) {
  expect_same_bits(first_device(engine::reference), {2, 5, 8, 15, 16, 60, 61, 100}, {2, 7});
}

}  // namespace
