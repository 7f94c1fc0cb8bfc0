// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 600
// A row has the same bits alone and in any batch, of every kind.
#include "support/row_bits.hpp"

#include <gtest/gtest.h>

#include "support/full_run.hpp"  // sampled
#include "wingbeat/devices.hpp"  // devices, why_absent

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

TEST(opencl_row_bits, follow_the_length_alone) {
  if (devices(engine::opencl).empty()) GTEST_SKIP() << why_absent(engine::opencl);
  expect_same_bits(first_device(engine::opencl), sampled<std::size_t>({15, 60}, {8, 1000}), {7});
}

}  // namespace
