// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Convolutions in one launch on the opencl engine.
#include "backend/convolution_check.hpp"  // check_convolutions
#include "backend/opencl/engine.hpp"      // engine

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

TEST(opencl_convolution, agrees_with_the_sum_that_defines_it) {
  if (devices(engine::opencl).empty()) GTEST_SKIP() << why_absent(engine::opencl);
  const auto& opencl = static_cast<const backend::opencl::engine&>(backend::opencl_engine());
  check_convolutions(opencl, queue{first_device(engine::opencl)});
}

}  // namespace
