// SPDX-License-Identifier: Apache-2.0
// Label: unit
// Timeout: 300
// A kernel around workgroup::fft at the advised parameters spills no register and keeps no array in
// local memory. Here every second length and scalar once, with orders and architectures in turn;
// every_advised_test.cpp has the product.
#include "backend/cuda/advised_kernels.hpp"
#include "support/full_run.hpp"  // is_full_run

namespace {

using namespace wingbeat::test;

TEST(advised_parameters, compile_without_spills) {
  const std::string& problem = wingbeat::backend::cuda::process_nvrtc().problem;
  if (!problem.empty()) GTEST_SKIP() << problem;
  // Of each nine (or six) kernels of one length and scalar, one, a different one each time.
  const auto product = all_advised({"sm_80", "sm_90", "sm_100"});
  std::vector<advised_kernel> result;
  std::size_t first = 0, nth = 0;
  while (first < product.size()) {
    std::size_t last = first;
    while (last < product.size() && product[last].shape.length == product[first].shape.length &&
           product[last].shape.real == product[first].shape.real) {
      ++last;
    }
    const std::size_t chosen = first + 5 * nth++ % (last - first);
    if (nth % 2 == 1 || is_full_run()) result.push_back(product[chosen]);
    first = last;
  }
  ASSERT_GE(result.size(), 14U * 4 / 2);
  compile_all(result);
  expect_no_spills(result);
}

}  // namespace
