// SPDX-License-Identifier: Apache-2.0
// Label: gpu
// Timeout: 900
#include "verify/expect_lawful.hpp"

namespace {

using wingbeat::engine;
using wingbeat::test::expect_lawful;

// Processes of their own may run them at once.
TEST(cuda_engine, obeys_every_law_up_to_256_points) {
  expect_lawful(engine::cuda, {.min_log2 = 1, .max_log2 = 8});
}
TEST(cuda_engine, obeys_every_law_up_to_8192_points) {
  expect_lawful(engine::cuda, {.min_log2 = 9, .max_log2 = 13});
}
TEST(cuda_engine, obeys_every_law_up_to_131072_points) {
  expect_lawful(engine::cuda, {.min_log2 = 14, .max_log2 = 17});
}

}  // namespace
