// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 7200
// Plans of the opencl engine whose lengths are no powers of two: a sample of them, each kind;
// WINGBEAT_TEST_FULL=1 has every length up to 4,096 and 339 beyond, which takes an hour.
#include "support/mixed_lengths.hpp"

#include "wingbeat/devices.hpp"  // devices, why_absent

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

class opencl_mixed_lengths : public ::testing::Test {
 protected:
  void SetUp() override {
    if (devices(engine::opencl).empty()) GTEST_SKIP() << why_absent(engine::opencl);
    on_ = std::make_unique<queue>(first_device(engine::opencl));
  }
  std::unique_ptr<queue> on_;
};

TEST_F(opencl_mixed_lengths, agree_with_long_double) {
  for (const std::size_t n : mixed_lengths(3, 4096, 251)) {
    expect_right_rows(*on_, n, 5, precision::fp32);
  }
}

TEST_F(opencl_mixed_lengths, agree_with_long_double_in_several_passes) {
  for (const std::size_t n : mixed_lengths(9000, 100000, 4099, /*full_step=*/4)) {
    expect_right_rows(*on_, n, 1, n % 3 == 0 ? precision::fp32 : precision::fp64);
  }
}

TEST_F(opencl_mixed_lengths, agree_with_long_double_along_several_axes) {
  for (const transform kind : kinds_on(*on_)) {
    expect_right_plan(*on_, {.lengths = {45, 28}, .batch = 2, .kind = kind});
    if (!is_full_run()) continue;
    expect_right_plan(*on_, {.lengths = {10, 11, 15}, .batch = 2, .kind = kind});
    expect_right_plan(*on_, {.lengths = {1100, 6}, .kind = kind});
  }
}

/// Rows of three threads: PoCL stored vectors of numbers it keeps for them beyond their alignment.
TEST_F(opencl_mixed_lengths, run_where_threads_make_no_whole_vectors) {
  const plan_spec spec{.lengths = {156},
                       .batch = {2},
                       .kind = transform::forward_from_real,
                       .real = precision::fp64,
                       .in = {.strides = {3}, .distances = {466}},
                       .valid_out = {{1, 28}}};
  expect_right_plan(*on_, spec);
}

}  // namespace
