// SPDX-License-Identifier: Apache-2.0
// The cuda engine on a driver made of host memory.
#pragma once

#include <gtest/gtest.h>

#include <memory>  // shared_ptr
#include <optional>
#include <string>

#include "backend/cuda/engine.hpp"
#include "backend/cuda/fake_driver.hpp"

namespace wingbeat::test {

inline const backend::kernel_source kernel{
    .text = "text", .entry = "kernel", .threads = 64, .scratch_bytes = 512};

class cuda_on_a_fake : public ::testing::Test {
 protected:
  void SetUp() override {
    machine(/*fresh=*/true);
    contexts().clear();
  }

  void TearDown() override {
    EXPECT_TRUE(contexts().empty()) << "a context was left current";
    EXPECT_EQ(machine().n_calls_out_of_context, 0);
    EXPECT_EQ(capture_mode(), 0) << "the thread's capture mode was not restored";
    EXPECT_EQ(machine().n_strict_calls, 0) << "a capture elsewhere could have been ended";
  }

  const backend::cuda::engine& engine() {
    if (!engine_) engine_.emplace(driver_, driver_problem_, nvrtc_, cache_);
    return *engine_;
  }

  std::shared_ptr<backend::queue> open() { return engine().open(engine().devices().front()); }

  cuda::driver_api driver_ = fake_driver();
  std::string driver_problem_;
  wingbeat::opened<cuda::nvrtc_api> nvrtc_ = fake_nvrtc();
  backend::kernel_cache cache_{{}};
  std::optional<backend::cuda::engine> engine_;
};

}  // namespace wingbeat::test
