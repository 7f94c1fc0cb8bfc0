// SPDX-License-Identifier: Apache-2.0
// Label: gpu
// Convolutions in one launch on the cuda engine, up to the longest row of a workgroup.
#include "backend/convolution_check.hpp"    // check_convolutions
#include "backend/cuda/engine.hpp"          // engine
#include "support/convolution_verdict.hpp"  // verdict_of

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

TEST(cuda_convolution, agrees_with_the_sum_that_defines_it) {
  if (devices(engine::cuda).empty()) GTEST_SKIP() << why_absent(engine::cuda);
  const auto& cuda = static_cast<const backend::cuda::engine&>(backend::cuda_engine());
  const queue on{first_device(engine::cuda)};
  check_convolutions(cuda, on);
  for (const std::size_t n : {4096, 8192, 4608, 6272, 9000}) {
    convolution_run<float>{cuda, on, {n, n - 100, 101, 3, 2, {100, n}}}.check();
  }
}

/// Of 32 lines a workgroup 20 or 24 exist, so that a whole warp has none.
TEST(cuda_convolution, reads_nothing_in_warps_without_lines) {
  if (devices(engine::cuda).empty()) GTEST_SKIP() << why_absent(engine::cuda);
  queue on{first_device(engine::cuda)};
  for (const std::size_t kernels : {5, 6}) {
    const convolution_spec spec{.image = {12, 1},
                                .kernel = {2, 4},
                                .mode = extent::full,
                                .holds = wingbeat::values::complex,
                                .images = 17,
                                .kernels = kernels,
                                .prepared = operand_role::kernel};
    const auto [is, why, share] = verdict_of(on, {.spec = spec});
    EXPECT_EQ(is, plan_verdict::right) << kernels << " kernels: " << why;
  }
}

}  // namespace
