// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 300
// Whatever spectra are stored as, in one to three axes, of real and complex signals, images or
// kernels prepared: a device's compiler takes the texts of the kernels. They are not run.
#include <gtest/gtest.h>

#include <memory>

#include "support/full_run.hpp"  // is_full_run
#include "support/refusal.hpp"   // message_of
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

class stored_types : public ::testing::Test {
 protected:
  void SetUp() override {
    if (devices(engine::opencl).empty()) GTEST_SKIP() << why_absent(engine::opencl);
    on = std::make_unique<queue>(first_device(engine::opencl));
  }

  /// Compiles a convolution, correlated where kernels are prepared.
  void compile(const std::vector<std::size_t>& image, values holds, precision between,
               operand_role prepared) {
    const bool is_correlated = prepared == operand_role::kernel;
    const double peak = between == precision::fp16 ? 1 : 0;
    const convolution_spec spec{.image = image,
                                .kernel = std::vector<std::size_t>(image.size(), 5),
                                .kind = is_correlated ? operation::correlate : operation::convolve,
                                .mode = extent::valid,
                                .holds = holds,
                                .between = between,
                                .image_peak = peak,
                                .kernel_peak = peak,
                                .prepared = prepared};
    EXPECT_EQ(message_of([&] {
                convolution{*on, spec};
              }),
              "")
        << image.size() << " axes of " << image[0] << " " << name_of(between)
        << (holds == values::real ? " real" : " complex")
        << (is_correlated ? ", kernels prepared" : ", images prepared");
  }

  std::unique_ptr<queue> on;
};

TEST_F(stored_types, are_compiled_with_every_kind_of_signals) {
  const std::vector<std::size_t> images[] = {{240}, {2400}, {24, 20}, {9, 8, 10}};
  unsigned number = 0;
  for (const precision between : {precision::fp32, precision::fp16, precision::bf16}) {
    for (const auto& image : images) {
      for (const values holds : {values::real, values::complex}) {
        // Else one role of each fourth.
        const bool is_sample = number % 4 == 0;
        const bool is_odd = ++number / 2 % 2 == 1;
        if (!is_sample && !is_full_run()) continue;
        compile(image, holds, between, is_odd ? operand_role::kernel : operand_role::image);
        if (!is_full_run()) continue;
        compile(image, holds, between, is_odd ? operand_role::image : operand_role::kernel);
      }
    }
  }
}

}  // namespace
