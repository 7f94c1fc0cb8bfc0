// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 300
// Transforms from reals to reals whose coefficients are multiplied, and which are then undone: on
// every engine that is here beside a plan forward, the product, and a plan back; and how often that
// crosses memory on a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>  // max
#include <cmath>      // abs, sin
#include <vector>

#include "backend/planning_engine.hpp"   // planning_engine
#include "programs/real_transforms.hpp"  // transform_program
#include "request/resolved.hpp"          // points_of
#include "support/memory.hpp"            // contents, filled
#include "support/on_engine.hpp"         // on_engine, all_engines, engine_name
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;

constexpr std::size_t batch = 3;

/// offset + weights[i] + row.
constexpr const char* text = R"(
namespace wd = wingbeat::device;
struct weighted {
  using element = float;
  struct parameters { float offset; };
  struct operands { WINGBEAT_GLOBAL const float* weights; float of_row; };
  WINGBEAT_FN static float load(WINGBEAT_GLOBAL const element*,
                                WINGBEAT_GLOBAL const parameters& fixed, operands given,
                                wd::size row, wd::size i) {
    return fixed.offset + given.weights[i] + given.of_row * float(row);
  }
};
)";

constexpr float offset = 0.5F;

fused_load weighted() {
  return {.source = {text, "weighted", bytes_of(offset)},
          .callable =
              operand_reader<float>([](const void* in, const host_arguments& given, std::size_t row,
                                       std::size_t first, std::span<float> into) {
                EXPECT_EQ(in, nullptr);
                for (std::size_t i = 0; i < into.size(); ++i) {
                  into[i] = offset + given.memory<const float>(0)[first + i] +
                            given.value<float>(1) * static_cast<float>(row);
                }
              }),
          .operands = {kernel_parameter::input(sizeof(float)), kernel_parameter::value<float>()}};
}

class multiplier : public on_engine {
 protected:
  /// Compares a plan with a multiplier, in place, with three steps.
  void check(plan_spec spec, const std::vector<transform>& back) const {
    spec.batch = batch;
    spec.kind = spec.axis_kinds.back();
    const std::size_t points = request::points_of(spec);
    std::vector<float> x(batch * points), weights(points);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(1.7F * static_cast<float>(i));
    for (std::size_t i = 0; i < points; ++i) weights[i] = static_cast<float>(i % 13) / 8;

    buffer memory = filled(*on, x);
    plan{*on, spec}.enqueue(*on, memory.view(), memory.view());
    std::vector<float> expected = contents<float>(memory);
    for (std::size_t i = 0; i < x.size(); ++i) {
      expected[i] *= offset + weights[i % points] + 2 * static_cast<float>(i / points);
    }
    memory.write(expected.data(), memory.size_bytes());
    plan_spec undone = spec;
    undone.axis_kinds = back;
    undone.kind = back.back();
    undone.scale = scaling::by_length;
    plan{*on, undone}.enqueue(*on, memory.view(), memory.view());
    expected = contents<float>(memory);

    spec.multiplier = weighted();
    spec.scale = scaling::by_length;
    memory.write(x.data(), memory.size_bytes());
    const plan planned{*on, spec};
    planned.enqueue(*on, memory.view(), memory.view(),
                    {.multiplier = {filled(*on, weights).view(), 2.0F}});
    const std::vector<float> y = contents<float>(memory);
    float largest = 0;
    for (const float each : expected) largest = std::max(largest, std::abs(each));
    for (std::size_t i = 0; i < y.size(); ++i) {
      ASSERT_NEAR(y[i], expected[i], 2e-6F * largest)
          << name_of(spec.kind) << " of " << spec.lengths.back() << ", " << i << "\n"
          << planned.explain();
    }
  }
};

TEST_P(multiplier, stands_between_a_kind_and_the_one_that_undoes_it) {
  using enum transform;
  struct pair {
    transform kind, back;
  };
  for (const auto& [kind, back] : cases<pair>({{dct2, dct3}}, {{dst2, dst3},
                                                               {dct1, dct1},
                                                               {dst1, dst1},
                                                               {dht, dht},
                                                               {dct4, dct4},
                                                               {dst4, dst4},
                                                               {dct3, dct2},
                                                               {dst3, dst2}})) {
    check({.lengths = {40}, .axis_kinds = {kind}}, {back});
    if (leaves_out()) continue;
    check({.lengths = {27}, .axis_kinds = {kind}}, {back});
  }
}

TEST_P(multiplier, sees_coefficients_of_all_axes) {
  using enum transform;
  check({.lengths = {6, 20}, .axis_kinds = {dst1, dst2}}, {dst1, dst3});
  if (leaves_out()) return;
  check({.lengths = {4, 9, 10}, .axis_kinds = {dct3, dht, dct1}}, {dct2, dht, dct1});
  if (GetParam() != engine::host) return;  // whose long rows come in pieces
  check({.lengths = {5, 20'000}, .axis_kinds = {dct2, dct2}}, {dct3, dct3});
}

INSTANTIATE_TEST_SUITE_P(engines, multiplier, all_engines(), engine_name);

std::size_t crossings_of(const plan_spec& spec) {
  const backend::planning_engine gpu;
  const auto on = gpu.open(gpu.devices().front());
  const programs::program steps = programs::transform_program(gpu, on, spec);
  EXPECT_EQ(steps.traffic_bytes(), steps.steps.size() * 2 * input_bytes(spec));
  return steps.steps.size();
}

TEST(multiplier_program, takes_one_launch_of_the_last_axis) {
  const auto times = [](plan_spec spec) {
    spec.multiplier = weighted();
    return crossings_of(spec);
  };
  using enum transform;
  struct row {
    transform kind;
    std::size_t length;
  };
  for (const auto& [kind, n] :
       {row{dct1, 1025}, row{dct2, 1024}, row{dst1, 1023}, row{dst2, 1000}, row{dht, 512}}) {
    EXPECT_EQ(times({.lengths = {n}, .batch = 100, .kind = kind}), 1U) << name_of(kind);
    EXPECT_EQ(times({.lengths = {129, n}, .kind = kind}), 3U) << name_of(kind);
    EXPECT_EQ(times({.lengths = {33, 65, n}, .kind = kind}), 5U) << name_of(kind);
  }
  EXPECT_EQ(times({.lengths = {512, 1024}, .kind = dct4}), 4U);
  EXPECT_EQ(times({.lengths = {512, 1023}, .kind = dct2}), 4U) << "rows of an odd length";
}

}  // namespace
