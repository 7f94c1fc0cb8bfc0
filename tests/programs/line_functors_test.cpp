// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 300
// Functors of transforms from reals to reals, with parameters, operands and one text for both ends,
// on one axis and on several, stores that reduce too; beside plain plans of the same engine.
#include "programs/line_functors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>  // max
#include <atomic>
#include <cmath>  // abs, sin

#include "backend/planning_engine.hpp"   // planning_engine
#include "programs/real_transforms.hpp"  // transform_program
#include "request/resolved.hpp"          // points_of
#include "support/memory.hpp"            // contents, filled
#include "support/on_engine.hpp"         // on_engine, all_engines, engine_name
#include "support/refusal.hpp"           // refusal
#include "text/formatted.hpp"            // formatted
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;

constexpr std::size_t batch = 3;

/// load: gain level window[i] x[row][i]; store: y[row][i] + offset, and its place in places.
constexpr const char* text = R"(
#include "wingbeat/device/atomic.hpp"
namespace wd = wingbeat::device;
constexpr wd::size points = {};
struct windowed {{
  using element = short;
  struct parameters {{ float gain; }};
  struct operands {{ float level; WINGBEAT_GLOBAL const float* window; }};
  WINGBEAT_FN static float load(WINGBEAT_GLOBAL const element* in,
                                WINGBEAT_GLOBAL const parameters& fixed, operands given,
                                wd::size row, wd::size i) {{
    return fixed.gain * given.level * given.window[i] * in[row * points + i];
  }}
}};
struct shifted {{
  using element = float;
  struct parameters {{ float offset; }};
  struct operands {{ WINGBEAT_GLOBAL unsigned* places; unsigned first; }};
  WINGBEAT_FN static void store(WINGBEAT_GLOBAL element* out,
                                WINGBEAT_GLOBAL const parameters& fixed, operands given,
                                wd::size row, wd::size i, float y) {{
    out[row * points + i] = y + fixed.offset;
    given.places[row * points + i] = given.first + unsigned(row * 1000 + i);
  }}
}};
struct counted {{
  using element = unsigned;
  struct partial {{ unsigned count, sum; }};
  struct operands {{ unsigned weight; }};
  WINGBEAT_FN static partial start() {{ return {{0, 0}}; }}
  WINGBEAT_FN static void add(partial& all, operands given, wd::size, wd::size i, float) {{
    all.count += given.weight;
    all.sum += unsigned(i);
  }}
  WINGBEAT_FN static void combine(partial& all, partial other) {{
    all.count += other.count;
    all.sum += other.sum;
  }}
  WINGBEAT_FN static void finish(WINGBEAT_GLOBAL element* out, operands, wd::size row,
                                 partial all) {{
    wd::atomic_add(out + 2 * row, all.count);
    wd::atomic_add(out + 2 * row + 1, all.sum);
  }}
}};
)";

fused_load windowed(std::size_t points) {
  const float gain = 0.25F;
  return {.in_bytes = batch * points * sizeof(short),
          .element_bytes = sizeof(short),
          .source = {formatted(text, points), "windowed", bytes_of(gain)},
          .callable =
              operand_reader<float>([=](const void* in, const host_arguments& given,
                                        std::size_t row, std::size_t first, std::span<float> into) {
                for (std::size_t j = 0; j < into.size(); ++j) {
                  const std::size_t i = first + j;
                  into[j] = gain * given.value<float>(0) * given.memory<const float>(1)[i] *
                            static_cast<const short*>(in)[row * points + i];
                }
              }),
          .operands = {kernel_parameter::value<float>(), kernel_parameter::input(sizeof(float))}};
}

fused_store shifted(std::size_t points) {
  const float offset = 2;
  return {
      .out_bytes = batch * points * sizeof(float),
      .element_bytes = sizeof(float),
      .source = {formatted(text, points), "shifted", bytes_of(offset)},
      .callable = operand_writer<float>([=](void* out, const host_arguments& given, std::size_t row,
                                            std::size_t first, std::span<const float> values) {
        for (std::size_t j = 0; j < values.size(); ++j) {
          const std::size_t i = first + j;
          static_cast<float*>(out)[row * points + i] = values[j] + offset;
          given.memory<unsigned>(0)[row * points + i] =
              given.value<unsigned>(1) + static_cast<unsigned>(row * 1000 + i);
        }
      }),
      .operands = {kernel_parameter::output(sizeof(unsigned)),
                   kernel_parameter::value<unsigned>()}};
}

fused_store counted(std::size_t points) {
  return {
      .out_bytes = batch * 2 * sizeof(unsigned),
      .element_bytes = sizeof(unsigned),
      .source = {formatted(text, points), "counted"},
      .callable = operand_writer<float>([](void* out, const host_arguments& given, std::size_t row,
                                           std::size_t first, std::span<const float> values) {
        auto* const sums = static_cast<unsigned*>(out) + 2 * row;
        for (std::size_t i = first; i < first + values.size(); ++i) {
          std::atomic_ref{sums[0]} += given.value<unsigned>(0);
          std::atomic_ref{sums[1]} += static_cast<unsigned>(i);
        }
      }),
      .partial_bytes = 8,
      .clears_output = true,
      .operands = {kernel_parameter::value<unsigned>()}};
}

class line_functors : public on_engine {
 protected:
  void check(plan_spec spec) const {
    spec.batch = batch;
    const std::size_t points = request::points_of(spec);
    std::vector<short> samples(batch * points);
    std::vector<float> window(points), x(batch * points);
    for (std::size_t i = 0; i < points; ++i) window[i] = 1 + std::sin(static_cast<float>(i));
    for (std::size_t i = 0; i < x.size(); ++i) {
      samples[i] = static_cast<short>(i * 37 % 101);
      x[i] = 0.25F * 0.5F * window[i % points] * samples[i];
    }
    const buffer plain_in = filled(*on, x), plain_out = filled(*on, x);
    plan{*on, spec}.enqueue(*on, plain_in.view(), plain_out.view());

    spec.load = windowed(points);
    spec.store = shifted(points);
    const buffer in = filled(*on, samples), weights = filled(*on, window), out = filled(*on, x),
                 places = filled(*on, std::vector<unsigned>(x.size()));
    plan{*on, spec}.enqueue(*on, in.view(), out.view(),
                            {.load = {0.5F, weights.view()}, .store = {places.view(), 7U}});
    const auto y = contents<float>(out), expected = contents<float>(plain_out);
    const auto numbers = contents<unsigned>(places);
    float scale = 0;
    for (const float each : expected) scale = std::max(scale, std::abs(each));
    for (std::size_t i = 0; i < y.size(); ++i) {
      ASSERT_NEAR(y[i], expected[i] + 2, 3e-6F * scale) << name_of(spec.kind) << ", " << i;
      ASSERT_EQ(numbers[i], 7 + i / points * 1000 + i % points) << name_of(spec.kind);
    }

    spec.store = counted(points);
    const buffer sums = filled(*on, std::vector<unsigned>(2 * batch, 99));
    plan{*on, spec}.enqueue(*on, in.view(), sums.view(),
                            {.load = {0.5F, weights.view()}, .store = {3U}});
    const auto got = contents<unsigned>(sums);
    for (std::size_t row = 0; row < batch; ++row) {
      EXPECT_EQ(got[2 * row], 3 * points) << name_of(spec.kind);
      EXPECT_EQ(got[2 * row + 1], points * (points - 1) / 2) << name_of(spec.kind);
    }
  }
};

TEST_P(line_functors, see_the_elements_of_rows) {
  for (const transform kind :
       cases<transform>({transform::dct2},
                        {transform::dct1, transform::dct3, transform::dct4, transform::dst1,
                         transform::dst2, transform::dst3, transform::dst4, transform::dht})) {
    check({.lengths = {40}, .kind = kind});
  }
}

TEST_P(line_functors, see_the_elements_of_all_axes) {
  check({.lengths = {6, 20},
         .kind = transform::dst4,
         .axis_kinds = {transform::dct3, transform::dst4}});
  if (leaves_out()) return;
  check({.lengths = {1, 5, 7}, .kind = transform::dct2});
}

/// Columns of a batch would be rows of several transforms.
TEST_P(line_functors, reduce_each_transform_of_a_batch_that_is_interleaved) {
  plan_spec spec{.lengths = {10},
                 .batch = batch,
                 .kind = transform::dct3,
                 .in = {.strides = {batch}, .distances = {1}}};
  spec.store = counted(10);
  const buffer in = filled(*on, std::vector<float>(10 * batch, 1));
  const buffer sums = filled(*on, std::vector<unsigned>(2 * batch, 99));
  plan{*on, spec}.enqueue(*on, in.view(), sums.view(), {.store = {1U}});
  EXPECT_THAT(contents<unsigned>(sums), ::testing::ElementsAre(10, 45, 10, 45, 10, 45));
}

INSTANTIATE_TEST_SUITE_P(engines, line_functors, all_engines(), engine_name);

TEST(line_functors_program, cross_memory_as_often_as_without_them) {
  const backend::planning_engine gpu;
  const auto on = gpu.open(gpu.devices().front());
  plan_spec spec{.lengths = {64, 1024}, .batch = batch, .kind = transform::dct2};
  spec.load = windowed(request::points_of(spec));
  spec.store = counted(request::points_of(spec));
  const programs::program steps = programs::transform_program(gpu, on, spec);
  EXPECT_EQ(steps.passes().size(), 2U);
  const std::size_t between = batch * request::points_of(spec) * sizeof(float);
  EXPECT_EQ(steps.traffic_bytes(), spec.load.in_bytes + 2 * between + 3 * spec.store.out_bytes);
}

TEST(line_functors_program, that_do_not_compile_are_told_by_their_lines) {
  if (devices(engine::opencl).empty()) GTEST_SKIP() << why_absent(engine::opencl);
  const queue on{first_device(engine::opencl)};
  plan_spec spec{.lengths = {8}, .batch = batch, .kind = transform::dct2};
  spec.load = windowed(8);
  spec.load.source.text = "struct windowed {\n  using element = shrt;\n};\n";
  EXPECT_THAT(refusal([&] { plan{on, spec}; }), HasSubstr("your load functor:2:"));
  spec.load = windowed(8);
  spec.load.element_bytes = 4;
  EXPECT_THAT(refusal([&] { plan{on, spec}; }), HasSubstr("load.element_bytes, which is 4"));
  spec.load = windowed(8);
  spec.load.source.parameters.resize(8);
  EXPECT_THAT(refusal([&] {
                plan{on, spec};
              }),
              HasSubstr("load.source.parameters, which holds 8 bytes"));
}

}  // namespace
