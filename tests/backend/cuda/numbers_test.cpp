// SPDX-License-Identifier: Apache-2.0
// Rounding, clamping and atomic updates compiled by NVRTC, without a GPU: no spill, no stack, and
// none of it a call.
#include <gtest/gtest.h>

#include "backend/cuda/on_architecture.hpp"  // on_architecture

namespace {

using namespace wingbeat::test;

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
void entry(const float* x, const double* y, unsigned* out, int* a, unsigned* b, size* c, float* d,
             double* e) {
  const unsigned i = group::index() * 128 + group::thread();
  update(a, int(i));
  update(b, i);
  update(c, size(i));
  update(d, x[i]);
  update(e, y[i]);
  out[i] = quantised(x[i]) + quantised(y[i]);
})";

class cuda_numbers : public on_architecture {};

TEST_P(cuda_numbers, compile_to_instructions) {
  EXPECT_LE(expect_no_spills(text, 128).registers, 40);
}

INSTANTIATE_TEST_SUITE_P(architectures, cuda_numbers, architectures(), architecture_name);

}  // namespace
