// SPDX-License-Identifier: Apache-2.0
// Label: slow
// Timeout: 1800
// The engines of the processor with as many requests as a GPU is given by hand; each takes opencl
// seconds to compile.
#include "random_convolutions/expect_right.hpp"

namespace {

using wingbeat::engine;
using wingbeat::test::expect_right_convolutions;

TEST(random_convolutions, are_right_on_host_by_the_thousand) {
  expect_right_convolutions(engine::host, /*count=*/2000);
}

TEST(random_convolutions, are_right_on_reference_by_the_thousand) {
  expect_right_convolutions(engine::reference, /*count=*/2000);
}

TEST(random_convolutions, are_right_on_opencl_by_the_score) {
  expect_right_convolutions(engine::opencl, /*count=*/60);
}

}  // namespace
