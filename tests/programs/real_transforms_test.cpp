// SPDX-License-Identifier: Apache-2.0
// Transforms from reals to reals as programs: their steps on a GPU, the arrays between them, bytes;
// and the laws that hold bit for bit, on every engine.
#include "programs/real_transforms.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>  // reverse
#include <string>
#include <vector>

#include "backend/planning_engine.hpp"  // planning_engine
#include "request/traits.hpp"           // traits_of
#include "support/full_run.hpp"         // cases_on
#include "support/memory.hpp"           // transformed
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using ::testing::Each;
using ::testing::FloatNear;
using ::testing::HasSubstr;

programs::program planned(const plan_spec& spec) {
  const backend::planning_engine gpu;
  return programs::transform_program(gpu, gpu.open(gpu.devices().front()), spec);
}

constexpr transform every_kind[] = {transform::dct1, transform::dct2, transform::dct3,
                                    transform::dct4, transform::dst1, transform::dst2,
                                    transform::dst3, transform::dst4, transform::dht};

TEST(real_transforms, of_rows_that_fit_a_workgroup_cross_memory_once) {
  constexpr std::size_t n = 1024, batch = 1000;
  for (const transform kind : every_kind) {
    const programs::program steps = planned({.lengths = {n}, .batch = batch, .kind = kind});
    EXPECT_EQ(steps.steps.size(), 1U) << name_of(kind);
    EXPECT_EQ(steps.traffic_bytes(), 2 * n * batch * sizeof(float)) << name_of(kind);
    EXPECT_EQ(steps.workspace_bytes(), 0U) << name_of(kind);
    EXPECT_THAT(steps.describe(), HasSubstr(std::string{name_of(kind)} + " by "));
  }
}

TEST(real_transforms, of_lines_continued_to_twice_a_large_odd_prime_take_half_as_many_numbers) {
  const auto description = [](std::size_t n, transform kind) {
    return planned({.lengths = {n}, .batch = 1000, .kind = kind}).describe();
  };
  EXPECT_THAT(description(256, transform::dst1), HasSubstr("dst1 by forward of length 257"));
  EXPECT_THAT(description(4096, transform::dst1), HasSubstr("dst1 by forward of length 4097"));
  EXPECT_THAT(description(128, transform::dct1), HasSubstr("dct1 by forward of length 127"));
  EXPECT_THAT(description(1024, transform::dct1), HasSubstr("dct1 by forward_from_real of"))
      << "1,023 is a product of radices";
  EXPECT_THAT(description(255, transform::dst1), HasSubstr("dst1 by forward_from_real of"))
      << "even";
}

TEST(real_transforms, that_scatter_lines_gather_them_from_local_memory) {
  for (const transform kind : every_kind) {
    const programs::program steps = planned({.lengths = {1024}, .batch = 1000, .kind = kind});
    const request::traits& traits = request::traits_of(kind);
    EXPECT_EQ(steps.passes().front().shape().stage_out, traits.half_out) << name_of(kind);
  }
}

TEST(real_transforms, of_long_lines_leave_local_memory_for_two_workgroups) {
  const backend::planning_engine gpu;
  const std::size_t available = gpu.devices().front().local_memory_bytes;
  for (const std::size_t n : {1024, 16384}) {
    const auto steps = planned({.lengths = {n}, .batch = 1000, .kind = transform::dct3});
    device::grid::tile_shape shape = steps.passes().front().shape();
    EXPECT_LE(2 * shape.scratch_bytes(), available) << n;
    shape.overlaid = false;
    EXPECT_EQ(2 * shape.scratch_bytes() > available, n == 16384)
        << n << ": what is staged lies over what was exchanged only where it has to";
  }
}

TEST(real_transforms, of_whole_lines_prefetch_them_where_that_pays) {
  const auto prefetches = [](std::size_t n, transform kind) {
    const auto lines = planned({.lengths = {n}, .batch = 10000, .kind = kind});
    return lines.passes().front().numbers.prefetch_tiles > 0;
  };
  for (const transform kind : {transform::dct2, transform::dct3, transform::dct4}) {
    EXPECT_FALSE(prefetches(8, kind)) << name_of(kind);
    EXPECT_TRUE(prefetches(64, kind)) << name_of(kind);
    EXPECT_EQ(prefetches(1024, kind), kind != transform::dct3) << name_of(kind);
    EXPECT_EQ(prefetches(4096, kind), kind != transform::dct3) << name_of(kind);
    EXPECT_TRUE(prefetches(8192, kind)) << name_of(kind);
    const auto axes = planned({.lengths = {480, 640}, .batch = 800, .kind = kind});
    EXPECT_EQ(axes.passes().back().numbers.prefetch_tiles, 0U) << "side by side";
  }
}

TEST(real_transforms, of_long_lines_exchange_whole_numbers_where_they_are_staged) {
  const auto shape_of = [](std::size_t n) {
    const auto steps = planned({.lengths = {n}, .batch = 10000, .kind = transform::dct3});
    return steps.passes().front().shape();
  };
  EXPECT_TRUE(shape_of(4096).half_trade && !shape_of(4096).overlaid);
  const device::grid::tile_shape shape = shape_of(8192);
  EXPECT_TRUE(shape.overlaid && !shape.half_trade);
  device::grid::tile_shape beside = shape;
  beside.overlaid = false;
  beside.half_trade = true;
  EXPECT_LE(shape.scratch_bytes(), beside.scratch_bytes());
}

TEST(real_transforms, of_long_lines_of_bins_have_all_loads_of_a_thread_under_way) {
  for (const std::size_t n : {16384, 32768}) {
    const auto steps = planned({.lengths = {n}, .batch = 10000, .kind = transform::dct3});
    ASSERT_EQ(steps.passes().size(), 1U) << n;
    const device::grid::tile_shape shape = steps.passes().front().shape();
    EXPECT_EQ(shape.makes, device::grid::body::real_row) << n << ": no cluster";
    EXPECT_EQ(shape.elements_per_thread, 32U) << n;
    EXPECT_TRUE(shape.overlaid && !shape.half_trade) << n;
  }
}

TEST(real_transforms, of_lines_that_leave_room_for_as_many_threads_exchange_whole_numbers) {
  const auto steps = planned({.lengths = {4097}, .batch = 10000, .kind = transform::dct1});
  EXPECT_FALSE(steps.passes().front().shape().half_trade);
  const auto bins =
      planned({.lengths = {8192}, .batch = 10000, .kind = transform::forward_from_real});
  EXPECT_TRUE(bins.passes().front().shape().half_trade) << "of memory as measured";
}

TEST(real_transforms, of_many_lines_have_more_elements_a_thread) {
  const auto elements = [](std::size_t n, transform kind, std::size_t batch) {
    const auto steps = planned({.lengths = {n}, .batch = batch, .kind = kind});
    return steps.passes().front().shape().elements_per_thread;
  };
  EXPECT_EQ(elements(257, transform::dct1, 100000), 8U) << "short";
  EXPECT_EQ(elements(1024, transform::dct2, 262144), 8U) << "memory binds";
  EXPECT_EQ(elements(1024, transform::dct3, 10000), 16U);
  EXPECT_EQ(elements(1025, transform::dct1, 10000), 16U);
  EXPECT_EQ(elements(256, transform::dct4, 100000), 16U);
  EXPECT_EQ(elements(2048, transform::forward_from_real, 10000), 8U) << "of memory as measured";
}

TEST(real_transforms, of_lines_side_by_side_take_whole_cache_lines) {
  for (const transform kind : {transform::dct2, transform::dct3, transform::dct4}) {
    const auto steps = planned({.lengths = {480, 640}, .batch = 800, .kind = kind});
    const device::grid::tile_shape shape = steps.passes().back().shape();
    EXPECT_TRUE(shape.lanes_across) << name_of(kind);
    EXPECT_FALSE(shape.stage_in || shape.stage_out) << name_of(kind);
    EXPECT_EQ(shape.lanes * sizeof(float), 128U) << name_of(kind);
    const auto longest = planned({.lengths = {4096, 4096}, .batch = 16, .kind = kind});
    EXPECT_EQ(longest.passes().back().shape().lanes * sizeof(float), 32U) << "a sector";
  }
}

TEST(real_transforms, scale_by_their_roots) {
  for (const transform kind : {transform::dct2, transform::dct3, transform::dct4}) {
    const auto steps =
        planned({.lengths = {96}, .batch = 8, .kind = kind, .scale = scaling::by_sqrt_length});
    EXPECT_EQ(steps.passes().front().numbers.scale, 1) << name_of(kind);
  }
}

TEST(real_transforms, of_several_axes_have_reals_between_them) {
  const programs::program steps = planned({.lengths = {64, 96, 128},
                                           .kind = transform::dct2,
                                           .real = precision::fp16,
                                           .valid_in = {{0, 64}, {0, 48}, {0, 128}},
                                           .valid_out = {{0, 64}, {0, 96}, {0, 32}}});
  EXPECT_EQ(steps.steps.size(), 3U);
  EXPECT_EQ(steps.steps[0].arrays.in, arrays::place::input);
  EXPECT_EQ(steps.steps[0].arrays.out, steps.steps[1].arrays.in);
  EXPECT_EQ(steps.steps[1].arrays.out, steps.steps[2].arrays.in);
  EXPECT_EQ(steps.steps[2].arrays.out, arrays::place::output);
  // What the ranges leave, in fp32: 48 rows of 32, then 96.
  EXPECT_EQ(steps.workspace_bytes(), (64U * 48 * 32 + 64U * 96 * 32) * 4);
}

template <class Real>
std::vector<Real> transformed(const plan_spec& spec, const std::vector<Real>& x,
                              engine runs_on = engine::host) {
  queue on{first_device(runs_on)};
  return test::transformed(on, spec, x);
}

std::vector<float> noise_of(std::size_t n) {
  std::vector<float> x;
  unsigned state = 1;
  for (std::size_t j = 0; j < n; ++j) {
    state = state * 1103515245U + 12345U;
    x.push_back(static_cast<float>(state >> 8) * 0x1p-24F - 0.5F);
  }
  return x;
}

/// Each row of n.
template <class Real>
std::vector<Real> alternating(std::vector<Real> x, std::size_t n) {
  for (std::size_t j = 0; j < x.size(); ++j) x[j] = j % n % 2 == 0 ? x[j] : -x[j];
  return x;
}
template <class Real>
std::vector<Real> reversed(std::vector<Real> x, std::size_t n) {
  for (auto row = x.begin(); row != x.end(); row += static_cast<std::ptrdiff_t>(n)) {
    std::reverse(row, row + static_cast<std::ptrdiff_t>(n));
  }
  return x;
}

template <class Real>
void expect_sines_of_cosines(engine runs_on, std::size_t n, std::size_t rows = 1) {
  const std::vector<float> noise = noise_of(rows * n);
  const std::vector<Real> x(noise.begin(), noise.end());
  const auto y_of = [&](transform kind, const std::vector<Real>& samples) {
    return transformed({.lengths = {n},
                        .batch = rows,
                        .kind = kind,
                        .real = sizeof(Real) == 8 ? precision::fp64 : precision::fp32},
                       samples, runs_on);
  };
  SCOPED_TRACE(std::string{name_of(runs_on)} + " " + std::to_string(n) + " x " +
               std::to_string(rows));
  EXPECT_EQ(y_of(transform::dst2, x), reversed(y_of(transform::dct2, alternating(x, n)), n));
  EXPECT_EQ(y_of(transform::dst3, x), alternating(y_of(transform::dct3, reversed(x, n)), n));
  EXPECT_EQ(y_of(transform::dst4, x), alternating(y_of(transform::dct4, reversed(x, n)), n));
}

TEST(real_transforms, of_sines_are_those_of_cosines_by_signs_and_reversal_bit_for_bit) {
  for (const std::size_t n :
       {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 9U, 10U, 13U, 16U, 33U, 100U, 1009U}) {
    for (const std::size_t rows : {1U, 2U, 100U}) {
      expect_sines_of_cosines<float>(engine::host, n, rows);
      expect_sines_of_cosines<double>(engine::host, n, rows);
    }
  }
  for (const engine each : {engine::opencl, engine::cuda}) {
    if (devices(each).empty()) continue;
    for (const std::size_t n : {100U, 37U}) expect_sines_of_cosines<float>(each, n);
  }
}

TEST(real_transforms, of_two_points_take_no_factor_where_both_are_ends) {
  const std::vector<float> x = noise_of(2);
  const auto y = transformed({.lengths = {2}, .kind = transform::dct1, .orthogonalize = true}, x);
  EXPECT_EQ(y, (std::vector<float>{x[0] + x[1], x[0] - x[1]})) << "sqrt 2 both ways is 1";
}

/// A line of one shape and the only element that its transform has.
struct single_coefficient {
  transform kind;
  std::vector<double> line;
  std::size_t place;
  double value;
};

std::vector<single_coefficient> single_coefficients(std::size_t n) {
  const std::vector<double> ones(n, 1);
  std::vector<double> signs = ones;
  for (std::size_t j = 1; j < n; j += 2) signs[j] = -1;
  const auto points = static_cast<double>(n);
  return {{transform::dct1, ones, 0, 2 * points - 2},
          {transform::dct1, signs, n - 1, 2 * points - 2},
          {transform::dct2, ones, 0, 2 * points},
          {transform::dst2, signs, n - 1, 2 * points},
          {transform::dht, ones, 0, points}};
}

void expect_single_coefficients(engine runs_on, std::size_t n) {
  for (const auto& [kind, line, place, value] : single_coefficients(n)) {
    SCOPED_TRACE(testing::Message() << name_of(runs_on) << " " << name_of(kind) << " " << n);
    const plan_spec spec{.lengths = {n}, .kind = kind};
    const std::vector<float> x(line.begin(), line.end());
    std::vector<float> y = transformed(spec, x, runs_on);
    EXPECT_NEAR(y[place], value, 1e-6 * value);
    y[place] = 0;
    EXPECT_THAT(y, Each(FloatNear(0, static_cast<float>(1e-6 * value))));
    std::vector<float> only(n);
    only[place] = 1;
    const plan_spec back{.lengths = {n}, .kind = request::traits_of(kind).opposite};
    y = transformed(back, only, runs_on);
    for (std::size_t j = 0; j < n; ++j) ASSERT_NEAR(y[j], line[j], 1e-6) << "back, " << j;
  }
}

/// The opposite makes the constant, or its signs, of the coefficient.
TEST(real_transforms, of_a_constant_have_one_coefficient) {
  for (const std::size_t n : {2U, 37U, 100U, 4096U}) expect_single_coefficients(engine::host, n);
  for (const engine each : {engine::opencl, engine::cuda}) {
    if (devices(each).empty()) continue;
    for (const std::size_t n : test::cases_on<std::size_t>(each, {100}, {37})) {
      expect_single_coefficients(each, n);
    }
  }
}

}  // namespace
