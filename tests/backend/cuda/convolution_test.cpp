// SPDX-License-Identifier: Apache-2.0
// Label: gpu
// Convolutions in one launch on the cuda engine, up to the longest row of a workgroup.
#include <algorithm>  // max
#include <cmath>      // abs
#include <string>
#include <vector>

#include "backend/convolution_check.hpp"    // check_convolutions
#include "backend/cuda/engine.hpp"          // engine
#include "support/convolution_verdict.hpp"  // verdict_of
#include "support/signal.hpp"               // real_noise

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

/// The sums of rows that are so long are in registers.
TEST(cuda_convolution, keeps_sums_of_long_rows) {
  if (devices(engine::cuda).empty()) GTEST_SKIP() << why_absent(engine::cuda);
  const std::size_t height = 700, width = 4000, h = 40, w = 60, count = 5;
  const auto image = noise<float>(height * width / 2, 1),
             kernels = noise<float>(count * h * w / 2, 2);
  std::vector<std::vector<float>> maps;
  for (const engine runs_on : {engine::host, engine::cuda}) {
    queue on{first_device(runs_on)};
    buffer in{on, height * width * sizeof(float)}, templates{on, count * h * w * sizeof(float)};
    in.write(image.data(), in.size_bytes());
    templates.write(kernels.data(), templates.size_bytes());
    template_search search{on,
                           {.image = {height, width},
                            .templates = {h, w},
                            .keeps_sums = true,
                            .keeps_counts = true,
                            .threshold = 10,
                            .templates_at_once = 3}};
    if (runs_on == engine::cuda) {
      EXPECT_NE(search.explain().find("16 bytes of each in registers"), std::string::npos)
          << search.explain();
    }
    search.begin(on, in.view());
    search.add(on, templates.view(), count);
    maps.push_back(search.scores(on));
    maps.push_back(search.mean(on));
    maps.push_back(search.variance(on));
  }
  for (std::size_t m = 0; m < 3; ++m) {
    ASSERT_EQ(maps[m].size(), maps[m + 3].size());
    double difference = 0, largest = 0;
    for (std::size_t i = 0; i < maps[m].size(); ++i) {
      largest = std::max<double>(largest, std::abs(maps[m][i]));
      difference = std::max<double>(difference, std::abs(maps[m][i] - maps[m + 3][i]));
    }
    EXPECT_LT(difference, 1e-5 * largest) << m;
  }
}

/// Of few rows, so that workgroups would be too few for what several templates keep.
TEST(cuda_convolution, keeps_the_same_bits_of_long_rows_however_many_templates_a_run_takes) {
  if (devices(engine::cuda).empty()) GTEST_SKIP() << why_absent(engine::cuda);
  queue on{first_device(engine::cuda)};
  const std::size_t height = 200, width = 4000, h = 40, w = 60, count = 5;
  buffer in{on, height * width * sizeof(float)}, templates{on, count * h * w * sizeof(float)};
  in.write(real_noise<float>(height * width, 1).data(), in.size_bytes());
  templates.write(real_noise<float>(count * h * w, 2).data(), templates.size_bytes());
  std::vector<std::vector<float>> maps;
  for (const std::size_t at_once : {1, 5}) {
    template_search search{on,
                           {.image = {height, width},
                            .templates = {h, w},
                            .keeps_sums = true,
                            .templates_at_once = at_once}};
    search.begin(on, in.view());
    search.add(on, templates.view(), count);
    maps.push_back(search.scores(on));
  }
  EXPECT_EQ(maps[0], maps[1]);
}

}  // namespace
