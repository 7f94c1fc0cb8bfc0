// SPDX-License-Identifier: Apache-2.0
// Label: gpu
// Short calls in sequence, each of which reads what the one before it wrote: every launch begins
// before that has ended, and must wait for it.
#include <gtest/gtest.h>

#include <cmath>  // sqrt
#include <complex>
#include <vector>

#include "backend/cuda/gpu_values.hpp"  // noise, values
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;

using test::noise;
using test::values;

double relative_difference(const values& a, const values& b) {
  double error = 0, energy = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    error += std::norm(a[i] - b[i]);
    energy += std::norm(b[i]);
  }
  return std::sqrt(error / energy);
}

class cuda_early : public ::testing::TestWithParam<std::vector<std::size_t>> {};

TEST_P(cuda_early, launches_wait_for_those_before_them) {
  if (devices(engine::cuda).empty()) GTEST_SKIP() << "no CUDA device here";
  queue on{first_device(engine::cuda)};
  const plan_spec spec{.lengths = GetParam(), .batch = 5};
  plan_spec back = spec;
  back.kind = transform::inverse;
  back.scale = scaling::by_length;
  const plan forward{on, spec}, inverse{on, back};
  const values x = noise(input_bytes(spec) / sizeof(std::complex<float>), 7);
  buffer a{on, input_bytes(spec)}, b{on, input_bytes(spec)};
  a.write(x.data(), a.size_bytes());
  constexpr int n_rounds = 200;
  for (int round = 0; round < n_rounds; ++round) {
    forward.enqueue(on, a.view(), b.view());
    inverse.enqueue(on, b.view(), a.view());
  }
  values y(x.size());
  a.read(y.data(), a.size_bytes());
  // Errors of 400 transforms add up like a random walk's steps, or linearly at worst.
  EXPECT_LT(relative_difference(y, x), 2 * n_rounds * 3e-7);
  EXPECT_GT(relative_difference(y, x), 0) << "nothing was transformed";
}

using lengths = std::vector<std::size_t>;
INSTANTIATE_TEST_SUITE_P(of_each_kind_of_program, cuda_early,
                         ::testing::Values(lengths{4000}, lengths{1 << 13}, lengths{1 << 15},
                                           lengths{1 << 18}, lengths{1 << 20}, lengths{128, 128},
                                           lengths{600, 1000}, lengths{64, 64, 64}));

}  // namespace
