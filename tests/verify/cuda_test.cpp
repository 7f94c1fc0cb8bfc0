// SPDX-License-Identifier: Apache-2.0
// Label: gpu
// Timeout: 900
#include "verify/expect_lawful.hpp"

namespace {

TEST(cuda_engine, obeys_every_law) {
  wingbeat::test::expect_lawful(wingbeat::engine::cuda, {.min_log2 = 1, .max_log2 = 17});
}

}  // namespace
