// SPDX-License-Identifier: Apache-2.0
// Label: gpu
// Convolutions on the cuda engine whose lines leave warps without work, and searches of rows of
// which local memory has no room for what is kept; convolution_test has the others.
#include <gtest/gtest.h>

#include <algorithm>  // max
#include <cmath>      // abs
#include <string>
#include <vector>

#include "support/convolution_verdict.hpp"  // verdict_of
#include "support/signal.hpp"               // real_noise
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

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

/// Rows of which local memory has no room for all that is kept.
class long_rows : public ::testing::Test {
 protected:
  static constexpr std::size_t height = 700, width = 4000, h = 40, w = 60, count = 5;

  /// Returns what a search keeps of each place: scores, with sums means and variances.
  std::vector<std::vector<float>> maps_of(engine runs_on, bool keeps_sums, std::size_t at_once) {
    queue on{first_device(runs_on)};
    buffer in{on, image.size() * sizeof(float)}, templates{on, kernels.size() * sizeof(float)};
    in.write(image.data(), in.size_bytes());
    templates.write(kernels.data(), templates.size_bytes());
    template_search search{on,
                           {.image = {height, width},
                            .templates = {h, w},
                            .keeps_sums = keeps_sums,
                            .templates_at_once = at_once}};
    explanation = search.explain();
    search.begin(on, in.view());
    search.add(on, templates.view(), count);
    std::vector<std::vector<float>> maps{search.scores(on)};
    if (!keeps_sums) return maps;
    maps.push_back(search.mean(on));
    maps.push_back(search.variance(on));
    return maps;
  }

  std::vector<float> image = real_noise<float>(height * width, 1);
  std::vector<float> kernels = real_noise<float>(count * h * w, 2);
  std::string explanation;
};

TEST_F(long_rows, are_kept_in_registers_and_by_two_workgroups) {
  if (devices(engine::cuda).empty()) GTEST_SKIP() << why_absent(engine::cuda);
  const auto expected = maps_of(engine::host, true, count);
  for (const bool keeps_sums : {false, true}) {
    for (const std::size_t at_once : {1, 3}) {
      const auto maps = maps_of(engine::cuda, keeps_sums, at_once);
      EXPECT_EQ(explanation.find("16 bytes of each in registers") != std::string::npos, keeps_sums)
          << explanation;
      for (std::size_t m = 0; m < maps.size(); ++m) {
        ASSERT_EQ(maps[m].size(), expected[m].size());
        double difference = 0, largest = 0;
        for (std::size_t i = 0; i < maps[m].size(); ++i) {
          largest = std::max<double>(largest, std::abs(expected[m][i]));
          difference = std::max<double>(difference, std::abs(maps[m][i] - expected[m][i]));
        }
        EXPECT_LT(difference, 1e-5 * largest) << "map " << m << ", " << at_once << " at once";
      }
    }
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
