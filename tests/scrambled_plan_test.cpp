// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 300
// Plans whose bins may be scrambled, on each engine that is here: element p is bin `bin_at(p)` of
// the same transform in natural order, forward and inverse agree on it, in place and apart.
#include <gtest/gtest.h>

#include <algorithm>  // sort
#include <cmath>      // sqrt
#include <complex>
#include <random>
#include <vector>

#include "support/memory.hpp"     // contents, filled
#include "support/on_engine.hpp"  // all_engines, engine_name
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using signal = std::vector<std::complex<float>>;

signal noise(std::size_t n) {
  std::mt19937 bits{7};
  signal x(n);
  for (auto& z : x) {
    z = {static_cast<float>(bits()) / 0x1p31f - 1, static_cast<float>(bits()) / 0x1p31f - 1};
  }
  return x;
}

signal run(queue& on, const plan& planned, const signal& x, bool is_in_place) {
  const buffer in = test::filled(on, x), apart{on, in.size_bytes()};
  const buffer& out = is_in_place ? in : apart;
  planned.enqueue(on, in.view(), out.view());
  return test::contents<signal::value_type>(out);
}

double relative_error(const signal& a, const signal& b) {
  double error = 0, energy = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    error += std::norm(std::complex<double>(a[i]) - std::complex<double>(b[i]));
    energy += std::norm(std::complex<double>(b[i]));
  }
  return std::sqrt(error / energy);
}

using scrambled_plan = test::on_engine;

TEST_P(scrambled_plan, holds_the_bins_of_a_natural_one_and_goes_back) {
  for (const std::size_t n : cases<std::size_t>({1 << 16}, {64, 1 << 18})) {
    const std::size_t batch = n < 1000 ? 5 : 2;
    const plan natural{*on, {.lengths = {n}, .batch = batch}};
    const plan forward{*on, {.lengths = {n}, .batch = batch, .bins = bin_order::scrambled}};
    const plan inverse{*on,
                       {.lengths = {n},
                        .batch = batch,
                        .kind = transform::inverse,
                        .scale = scaling::by_length,
                        .bins = bin_order::scrambled}};
    std::vector<std::size_t> bins;
    for (std::size_t p = 0; p < n; ++p) {
      bins.push_back(forward.bin_at(p));
      ASSERT_EQ(natural.bin_at(p), p);
      ASSERT_EQ(inverse.bin_at(p), bins.back()) << "length " << n << ", place " << p;
    }
    const signal x = noise(n * batch), bins_in_order = run(*on, natural, x, false);
    signal expected(x.size());
    for (std::size_t e = 0; e < x.size(); ++e) expected[e] = bins_in_order[e / n * n + bins[e % n]];
    for (const bool is_in_place : {false, true}) {
      const signal y = run(*on, forward, x, is_in_place);
      EXPECT_LE(relative_error(y, expected), 1e-6) << forward.explain();
      EXPECT_LE(relative_error(run(*on, inverse, y, is_in_place), x), 1e-6) << inverse.explain();
    }
    std::sort(bins.begin(), bins.end());
    for (std::size_t k = 0; k < n; ++k) ASSERT_EQ(bins[k], k) << "each bin once";
  }
}

/// Not by accident: where natural order takes three passes, or two and more memory.
TEST_P(scrambled_plan, takes_two_passes_and_no_workspace) {
  if (GetParam() != engine::opencl && GetParam() != engine::cuda) {
    GTEST_SKIP() << "this engine keeps natural order";
  }
  const device_info device = first_device(GetParam());
  const std::size_t n = std::size_t{1} << (device.is_gpu ? 22 : 16);
  const plan natural{queue{device}, {.lengths = {n}}};
  const plan scrambled{queue{device}, {.lengths = {n}, .bins = bin_order::scrambled}};
  EXPECT_GT(natural.workspace_bytes(), 0U);
  EXPECT_EQ(scrambled.passes().size(), 2U) << scrambled.explain();
  EXPECT_EQ(scrambled.workspace_bytes(), 0U) << scrambled.explain();
  EXPECT_EQ(scrambled.traffic_bytes(), 2 * 2 * n * sizeof(std::complex<float>));
  EXPECT_NE(scrambled.bin_at(1), 1U);
  EXPECT_THROW(static_cast<void>(scrambled.bin_at(n)), plan_error);
}

INSTANTIATE_TEST_SUITE_P(engines, scrambled_plan, test::all_engines(), test::engine_name);

}  // namespace
