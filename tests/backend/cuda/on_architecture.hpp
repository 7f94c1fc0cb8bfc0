// SPDX-License-Identifier: Apache-2.0
// Kernels compiled by NVRTC for three architectures, without a GPU, whose registers may not spill.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "backend/cuda/nvrtc.hpp"        // compile_for, process_nvrtc
#include "backend/cuda/shape_check.hpp"  // figures_of
#include "programs/catalogue.hpp"        // sample_device
#include "programs/transforms.hpp"       // make_program
#include "wingbeat/workgroup_fft.hpp"    // with_device_headers

namespace wingbeat::test {

/// Cases of an architecture; skipped where there is no NVRTC.
class on_architecture : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const auto& found = backend::cuda::process_nvrtc();
    if (!found.problem.empty()) GTEST_SKIP() << found.problem;
  }

  /// A thread may keep `most_bytes` in local memory.
  static void expect_few_spills(const backend::cuda::ptxas_figures& figures, int most_bytes,
                                const std::string& title) {
    EXPECT_LE(figures.spill_bytes, most_bytes) << title;
    EXPECT_LE(figures.stack_bytes, most_bytes) << title;
    EXPECT_GT(figures.registers, 0) << title;
  }
  static void expect_no_spills(const pass& planned) {
    expect_few_spills(figures_of(planned, GetParam()), 0, planned.describe());
  }
  /// Every pass of a request.
  static void expect_no_spills(const plan_spec& spec) {
    for (const pass& each :
         programs::make_program(spec, programs::sample_device(GetParam())).passes()) {
      expect_no_spills(each);
    }
  }
  /// The entry point `entry` of a text that includes device headers; returns its figures.
  static backend::cuda::ptxas_figures expect_no_spills(const std::string& text,
                                                       unsigned threads = 0) {
    const auto figures =
        backend::cuda::compile_for(
            {.text = with_device_headers(text), .entry = "entry", .threads = threads}, GetParam())
            .figures;
    expect_few_spills(figures, 0, GetParam());
    return figures;
  }
};

inline auto architectures() {
  return ::testing::Values("sm_80", "sm_90", "sm_100");
}
inline std::string architecture_name(const ::testing::TestParamInfo<std::string>& info) {
  return info.param;
}

}  // namespace wingbeat::test
