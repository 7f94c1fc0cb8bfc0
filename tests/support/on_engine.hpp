// SPDX-License-Identifier: Apache-2.0
// Cases that run on several engines, each on a queue of the engine's first device; skipped where
// the engine is absent.
#pragma once

#include <gtest/gtest.h>

#include <memory>  // unique_ptr
#include <string>
#include <vector>

#include "support/full_run.hpp"  // cases_on, runs_all_on
#include "wingbeat/devices.hpp"  // devices, first_device, name_of, why_absent
#include "wingbeat/queue.hpp"

namespace wingbeat::test {

class on_engine : public ::testing::TestWithParam<engine> {
 protected:
  void SetUp() override {
    if (devices(GetParam()).empty()) GTEST_SKIP() << why_absent(GetParam());
    on = std::make_unique<queue>(first_device(GetParam()));
  }
  /// Whether what resembles other cases is left out: see `cases_on`.
  [[nodiscard]] static bool leaves_out() { return !runs_all_on(GetParam()); }
  template <class Case>
  [[nodiscard]] static std::vector<Case> cases(std::vector<Case> first,
                                               const std::vector<Case>& others) {
    return cases_on(GetParam(), std::move(first), others);
  }

  std::unique_ptr<queue> on;
};

/// The engines of a test suite, those of them that compile kernels, and their names.
inline auto all_engines() {
  return ::testing::Values(engine::reference, engine::host, engine::opencl, engine::cuda);
}
inline auto compiled_engines() {
  return ::testing::Values(engine::opencl, engine::cuda);
}
inline std::string engine_name(const ::testing::TestParamInfo<engine>& info) {
  return std::string{name_of(info.param)};
}

}  // namespace wingbeat::test
