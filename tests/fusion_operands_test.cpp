// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 300
// Functors of plans with operands that change from run to run, stores that add to memory, and
// stores that reduce, on every engine that is here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>  // max
#include <array>
#include <numeric>  // iota

#include "support/memory.hpp"     // contents, filled
#include "support/on_engine.hpp"  // on_engine, all_engines, engine_name
#include "support/refusal.hpp"    // refusal
#include "support/signal.hpp"     // noise
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;

using complexes = std::vector<std::complex<float>>;

constexpr std::size_t n = 64, rows = 6;

/// load: weights[i] level x[row][i]; store: adds |z|^2 to power[row], and leaves out[row][i] = z.
constexpr const char* text = R"(
#include "wingbeat/device/complex.hpp"
#include "wingbeat/device/port.hpp"
namespace wd = wingbeat::device;
struct weighted {
  using element = wd::complex<float>;
  struct operands { WINGBEAT_GLOBAL const float* weights; float level; };
  WINGBEAT_FN static element load(WINGBEAT_GLOBAL const element* in, operands given, wd::size row,
                                  wd::size i) {
    return wd::scaled(in[row * 64 + i], given.level * given.weights[i]);
  }
};
struct counted {
  using element = wd::complex<float>;
  struct parameters { float unit; };
  struct operands { unsigned offset; WINGBEAT_GLOBAL float* scaled; };
  WINGBEAT_FN static void store(WINGBEAT_GLOBAL element* out,
                                WINGBEAT_GLOBAL const parameters& fixed, operands given,
                                wd::size row, wd::size i, element z) {
    out[row * 64 + i] = z;
    given.scaled[row * 64 + i] = fixed.unit * z.re + float(given.offset);
  }
};
)";

plan_spec weighted_rows() {
  plan_spec spec{.lengths = {n}, .batch = rows};
  spec.load = {
      .in_bytes = n * rows * sizeof(std::complex<float>),
      .element_bytes = sizeof(std::complex<float>),
      .source = {.text = text, .type = "weighted"},
      .callable = operand_reader<std::complex<float>>(
          [](const void* in, const host_arguments& given, std::size_t row, std::size_t first,
             std::span<std::complex<float>> into) {
            const auto* x = static_cast<const std::complex<float>*>(in) + row * n + first;
            const auto* weights = given.memory<const float>(0) + first;
            const auto level = given.value<float>(1);
            for (std::size_t i = 0; i < into.size(); ++i) {
              into[i] = level * weights[i] * x[i];
            }
          }),
      .operands = {kernel_parameter::input(sizeof(float)), kernel_parameter::value<float>()}};
  return spec;
}

class fusion_operands : public on_engine {
 protected:
  void SetUp() override {
    on_engine::SetUp();
    if (IsSkipped()) return;
    for (const auto& z : noise<float>(n * rows, 1)) x.emplace_back(z.re, z.im);
    in = filled(*on, x);
    out = buffer{*on, x.size() * sizeof x[0]};
  }

  /// The spectra of level weights[i] x[row][i], by the plain plan of the same engine.
  [[nodiscard]] complexes expected(const std::vector<float>& weights, float level) const {
    complexes weighted = x;
    for (std::size_t i = 0; i < weighted.size(); ++i) weighted[i] *= level * weights[i % n];
    const buffer source = filled(*on, weighted), target = filled(*on, weighted);
    plan{*on, {.lengths = {n}, .batch = rows}}.enqueue(*on, source.view(), target.view());
    return contents<std::complex<float>>(target);
  }

  static float largest_difference(const complexes& a, const complexes& b) {
    float largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
    return largest;
  }

  complexes x;
  buffer in, out;
};

TEST_P(fusion_operands, change_without_planning_again) {
  const plan planned{*on, weighted_rows()};
  std::vector<float> rising(n), falling(n);
  std::iota(rising.begin(), rising.end(), 1.0f);
  std::iota(falling.rbegin(), falling.rend(), 1.0f);
  const buffer a = filled(*on, rising), b = filled(*on, falling);
  for (const float level : {0.5f, 2.0f}) {
    planned.enqueue(*on, in.view(), out.view(), {.load = {a.view(), level}});
    EXPECT_LE(largest_difference(contents<std::complex<float>>(out), expected(rising, level)),
              4e-3f);
    planned.enqueue(*on, in.view(), out.view(), {.load = {b.view(), level}});
    EXPECT_LE(largest_difference(contents<std::complex<float>>(out), expected(falling, level)),
              4e-3f);
  }
}

TEST_P(fusion_operands, begin_where_their_views_do) {
  std::vector<float> weights(n + 3, 100.0f);
  std::fill(weights.begin() + 3, weights.end(), 1.0f);
  const buffer memory = filled(*on, weights);
  buffer_view view = memory.view();
  view.offset_bytes += 3 * sizeof(float);
  view.size_bytes -= 3 * sizeof(float);
  plan{*on, weighted_rows()}.enqueue(*on, in.view(), out.view(), {.load = {view, 1.0f}});
  const complexes wanted = expected(std::vector<float>(n, 1.0f), 1);
  EXPECT_LE(largest_difference(contents<std::complex<float>>(out), wanted), 1e-4f);
}

TEST_P(fusion_operands, serve_both_ends_beside_parameters) {
  plan_spec spec = weighted_rows();
  const float unit = 3;
  spec.store = {
      .out_bytes = n * rows * sizeof(std::complex<float>),
      .element_bytes = sizeof(std::complex<float>),
      .source = {.text = text, .type = "counted", .parameters = bytes_of(unit)},
      .callable = operand_writer<std::complex<float>>(
          [unit](void* target, const host_arguments& given, std::size_t row, std::size_t first,
                 std::span<const std::complex<float>> values) {
            auto* z = static_cast<std::complex<float>*>(target) + row * n + first;
            auto* scaled = given.memory<float>(1) + row * n + first;
            const auto offset = static_cast<float>(given.value<unsigned>(0));
            for (std::size_t i = 0; i < values.size(); ++i) {
              z[i] = values[i];
              scaled[i] = unit * values[i].real() + offset;
            }
          }),
      .operands = {kernel_parameter::value<unsigned>(), kernel_parameter::output(sizeof(float))}};
  const plan planned{*on, spec};
  const buffer weights = filled(*on, std::vector<float>(n, 1.0f));
  const buffer scaled = filled(*on, std::vector<float>(n * rows, -1.0f));
  planned.enqueue(*on, in.view(), out.view(),
                  {.load = {weights.view(), 1.0f}, .store = {7u, scaled.view()}});
  const complexes wanted = expected(std::vector<float>(n, 1.0f), 1);
  EXPECT_LE(largest_difference(contents<std::complex<float>>(out), wanted), 1e-4f);
  const auto got = contents<float>(scaled);
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got[i], unit * wanted[i].real() + 7, 1e-3f) << i;
  }
}

TEST_P(fusion_operands, are_refused_where_they_do_not_fit) {
  const plan planned{*on, weighted_rows()};
  const buffer weights = filled(*on, std::vector<float>(n, 1.0f));
  const auto refused = [&](const run_operands& given) {
    return refusal([&] { planned.enqueue(*on, in.view(), out.view(), given); });
  };
  EXPECT_THAT(refusal([&] { planned.enqueue(*on, in.view(), out.view()); }),
              HasSubstr("the load functor has 2 parameters and was given 0 arguments"));
  EXPECT_THAT(refused({.load = {1.0f, weights.view()}}),
              HasSubstr("argument 0 of the load functor is a value; its parameter is a view"));
  EXPECT_THAT(refused({.load = {weights.view(), 1.0}}),
              HasSubstr("has 8 bytes; its parameter has 4"));
  EXPECT_THAT(refused({.load = {weights.view(), 2}}),
              HasSubstr("is a signed integer, and its parameter a floating-point number"));
  EXPECT_THAT(refused({.load = {out.view(), 1.0f}}), HasSubstr("overlap"));
  EXPECT_THAT(refused({.load = {weights.view(), 1.0f}, .store = {1.0f}}),
              HasSubstr("the store functor has 0 parameters and was given 1"));
  plan_spec crowded = weighted_rows();
  crowded.load.operands.assign(30, kernel_parameter::input(4));
  EXPECT_THAT(refusal([&] { (void)plan(*on, crowded); }), HasSubstr("take 60 parameters"));
  crowded.load.operands.assign(1, kernel_parameter::value<std::array<char, 600>>());
  EXPECT_THAT(refusal([&] { (void)plan(*on, crowded); }), HasSubstr("take 600 bytes"));
  plan_spec mute = weighted_rows();
  mute.load.operands.clear();
  if (GetParam() == engine::host || GetParam() == engine::reference) {
    EXPECT_THAT(refusal([&] { (void)plan(*on, mute); }), HasSubstr("state load.operands"));
  }
}

/// What a callable that takes its operands by `take` is told, on the engines that call it.
template <class Take>
std::string answer_to(queue& on, const buffer& in, const buffer& out, const buffer& weights,
                      const Take& take) {
  plan_spec spec = weighted_rows();
  spec.load.callable = operand_reader<std::complex<float>>(
      [take](const void*, const host_arguments& given, std::size_t, std::size_t,
             std::span<std::complex<float>>) { take(given); });
  const plan planned{on, spec};
  return message_of<std::out_of_range>([&] {
    planned.enqueue(on, in.view(), out.view(), {.load = {weights.view(), 1.0f}});
    on.wait();
  });
}

TEST_P(fusion_operands, are_compared_with_what_a_callable_takes) {
  if (GetParam() != engine::host && GetParam() != engine::reference) GTEST_SKIP() << "compiles";
  const buffer weights = filled(*on, std::vector<float>(n, 1.0f));
  const auto told = [&](const auto& take) { return answer_to(*on, in, out, weights, take); };
  EXPECT_EQ(told([](const host_arguments& given) { (void)given.memory<const float>(0); }), "");
  EXPECT_EQ(told([](const host_arguments& given) { (void)given.memory<const double>(0); }),
            "argument 0 has elements of 4 bytes, and the callable takes elements of 8; take "
            "the type that the request states");
  EXPECT_THAT(told([](const host_arguments& given) { (void)given.memory<float>(0); }),
              HasSubstr("argument 0 is an input, and the callable may write to it"));
  EXPECT_THAT(told([](const host_arguments& given) { (void)given.value<double>(1); }),
              HasSubstr("argument 1 has 4 bytes, and the callable takes 8"));
  EXPECT_THAT(told([](const host_arguments& given) { (void)given.value<float>(0); }),
              HasSubstr("the functor has no value as argument 0 of 2"));
  EXPECT_THAT(told([](const host_arguments& given) { (void)given.memory<const float>(2); }),
              HasSubstr("the functor has no view as argument 2 of 2"));
}

TEST_P(fusion_operands, may_be_none_of_a_plan_without_functors) {
  const plan planned{*on, {.lengths = {n}, .batch = rows}};
  planned.enqueue(*on, in.view(), out.view());
  const auto plain = contents<std::complex<float>>(out);
  const buffer other{*on, n * rows * sizeof(std::complex<float>)};
  planned.enqueue(*on, in.view(), other.view(), {});  // neither workspace nor operands
  EXPECT_EQ(contents<std::complex<float>>(other), plain);
  planned.enqueue(*on, in.view(), other.view(), {}, {});
  EXPECT_EQ(contents<std::complex<float>>(other), plain);
}

INSTANTIATE_TEST_SUITE_P(engines, fusion_operands, all_engines(), engine_name);

}  // namespace
