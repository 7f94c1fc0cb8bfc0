// SPDX-License-Identifier: Apache-2.0
// Rounding, clamping and atomic updates compiled by NVRTC, without a GPU: no spill, no stack, and
// none of it a call.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/cuda/nvrtc.hpp"      // compile_for
#include "wingbeat/workgroup_fft.hpp"  // with_device_headers

namespace {

using namespace wingbeat::backend;
using namespace wingbeat::backend::cuda;

/// Every type that updates take, and both that quantising takes.
constexpr const char* text = R"(
#include "wingbeat/device/atomic.hpp"
#include "wingbeat/device/port.hpp"
using namespace wingbeat::device;

template <class T>
WINGBEAT_FN void update(T* cells, T value) {
  atomic_add(cells, value);
  atomic_max(cells + 1, value);
}
template <class Real>
WINGBEAT_FN unsigned quantised(Real x) {
  const Real scaled = maths::clamp(x * Real(127), Real(-127), Real(127));
  return (maths::to_integer<signed char>(scaled) & 255u) + maths::to_integer<unsigned short>(x);
}

WINGBEAT_KERNEL(128)
void numbers(const float* x, const double* y, unsigned* out, int* a, unsigned* b, size* c, float* d,
             double* e) {
  const unsigned i = group::index() * 128 + group::thread();
  update(a, int(i));
  update(b, i);
  update(c, size(i));
  update(d, x[i]);
  update(e, y[i]);
  out[i] = quantised(x[i]) + quantised(y[i]);
})";

class cuda_numbers : public ::testing::TestWithParam<const char*> {};

TEST_P(cuda_numbers, compile_to_instructions) {
  if (!process_nvrtc().problem.empty()) GTEST_SKIP() << process_nvrtc().problem;
  const auto compiled =
      compile_for({.text = wingbeat::with_device_headers(text), .entry = "numbers", .threads = 128},
                  GetParam());
  EXPECT_GT(compiled.figures.registers, 0);
  EXPECT_LE(compiled.figures.registers, 40);
  EXPECT_EQ(compiled.figures.spill_bytes, 0);
  EXPECT_EQ(compiled.figures.stack_bytes, 0);
}

INSTANTIATE_TEST_SUITE_P(architectures, cuda_numbers,
                         ::testing::Values("sm_80", "sm_90", "sm_100"));

}  // namespace
