// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 300
// Long convolutions and their gradients, on every engine that is here.
#include "wingbeat/long_convolution.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>  // equal
#include <cmath>      // isnan, nan
#include <utility>    // pair

#include "convolving/long_check.hpp"   // check_long
#include "support/on_engine.hpp"       // on_engine, all_engines, engine_name
#include "support/refusal.hpp"         // refusal
#include "wingbeat/device/bfloat.hpp"  // bfloat

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class long_convolution_on : public on_engine {
 protected:
  void check(const long_convolution_spec& spec) { check_long(*on, spec); }
  /// In full runs alone where each case takes kernels of its own.
  void check_more(const long_convolution_spec& spec) {
    if (!leaves_out()) check(spec);
  }
};

/// What takes kernels of its own; random_convolutions draws all others.
TEST_P(long_convolution_on, takes_gates_skips_and_lengths_in_16_bits) {
  check({.length = 50,
         .kernel = 20,
         .channels = 2,
         .batch = 3,
         .stored = precision::fp16,
         .has_gate_before = true,
         .has_gate_after = true,
         .has_skip = true,
         .is_ragged = true});
}

TEST_P(long_convolution_on, takes_lengths_that_meet_powers_of_two) {
  for (const std::size_t length : {1, 2, 31, 32, 64, 65}) {
    check_more({.length = length, .channels = 2, .batch = 3});
    check_more({.length = length, .aligned = kernel_alignment::centred});
  }
}

TEST_P(long_convolution_on, keeps_signals_apart_in_rows_of_their_own) {
  long_problem problem{{.length = 21, .batch = 3, .has_gradients = true, .is_paired = false}};
  const numbers expected = long_run{*on, problem}.run();
  problem.x[21] = problem.of_results[21] = std::nan("");  // of the second signal
  const long_run run{*on, problem};
  for (const numbers& values : {run.run(), run.signal_gradient()}) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(std::isnan(values[i]), i / 21 == 1) << i;
    }
  }
  EXPECT_TRUE(std::equal(expected.begin(), expected.begin() + 21, run.run().begin()));
}

TEST_P(long_convolution_on, shares_spectra_with_plans_of_other_gates_and_gradients) {
  const long_convolution_spec plain{.length = 90, .kernel = 20, .channels = 2, .batch = 3};
  long_convolution_spec rich = plain;
  rich.has_gate_before = rich.has_gate_after = rich.is_ragged = rich.has_gradients = true;
  const long_problem problem{rich}, plain_problem{plain};
  const long_run run{*on, problem}, other{*on, plain_problem};
  const numbers expected = run.run(), gradient = run.signal_gradient();
  ASSERT_EQ(run.spectra.size_bytes(), other.spectra.size_bytes());
  const buffer y = run.results(), of_x = run.results();
  run.plan.enqueue(*on, other.spectra.view(), run.x.view(), y.view(), run.operands());
  run.plan.enqueue_signal_gradient(*on, other.spectra.view(), run.of_results.view(), of_x.view(),
                                   run.operands());
  on->wait();
  EXPECT_EQ(read_numbers(y, precision::fp32), expected);
  EXPECT_EQ(read_numbers(of_x, precision::fp32), gradient);
}

TEST_P(long_convolution_on, takes_rows_longer_than_a_workgroup) {
  if (GetParam() == engine::reference) GTEST_SKIP() << "the same plans as for shorter rows";
  check({.length = 20000, .kernel = 20, .channels = 2, .batch = 3, .has_gradients = true});
}

/// On a GPU in three launches. Of kernels as long as signals the oracle is the host's own run.
TEST_P(long_convolution_on, takes_rows_of_three_launches) {
  if (GetParam() == engine::reference || GetParam() == engine::host)
    GTEST_SKIP() << "the same plans as for shorter rows";
  if (leaves_out()) GTEST_SKIP() << "in make test-full";
  queue host{first_device(engine::host)};
  for (const std::size_t length : {std::size_t{131073}, std::size_t{1} << 20}) {
    check({.length = length,
           .kernel = 9,
           .batch = 3,
           .aligned = kernel_alignment::centred,
           .has_gate_before = true,
           .has_gate_after = true,
           .has_skip = true,
           .is_ragged = true,
           .has_gradients = true});
    const long_problem problem{{.length = length, .batch = 3, .has_gradients = true}};
    const long_run run{*on, problem}, other{host, problem};
    const auto expect_same = [&](const numbers& got, const numbers& expected, long double scale) {
      expect_near(got, {expected.begin(), expected.end()}, scale, run.plan.padded(),
                  precision::fp32);
    };
    const long double x = norm_of(problem.x), dy = norm_of(problem.of_results);
    const long double taps = norm_of(problem.kernels);
    expect_same(run.run(), other.run(), taps * x);
    expect_same(run.signal_gradient(), other.signal_gradient(), taps * dy);
    expect_same(run.kernel_gradient(), other.kernel_gradient(), x * dy);
    const auto [of_x, of_taps] = run.gradients();
    expect_same(of_x, other.signal_gradient(), taps * dy);
    expect_same(of_taps, other.kernel_gradient(), x * dy);
  }
}

/// Signals and kernels whose convolution is longer than a row by right angles, which wraps.
TEST_P(long_convolution_on, takes_long_kernels_by_right_angles) {
  if (GetParam() == engine::reference) GTEST_SKIP() << "the same plans as for shorter rows";
  if (!on->device().has_fp64) GTEST_SKIP() << on->device().name << " has no fp64";
  check({.length = on->device().is_gpu ? 5000U : 3000U,
         .batch = 2,
         .stored = precision::fp64,
         .has_gradients = true});
  check_more({.length = 9000, .has_gradients = true});
}

/// On a GPU in 1 and 2 turns, and of 40 channels the gradient of kernels in 2.
TEST_P(long_convolution_on, takes_rows_by_right_angles) {
  if (GetParam() == engine::reference) GTEST_SKIP() << "the same plans as for shorter rows";
  for (const std::size_t length : {9000, 20000}) {
    check_more({.length = length,
                .kernel = 21,
                .channels = on->device().is_gpu ? 40U : 2U,
                .batch = 3,
                .aligned = length == 20000 ? kernel_alignment::causal : kernel_alignment::centred,
                .has_gate_before = true,
                .has_gate_after = true,
                .has_skip = true,
                .is_ragged = length == 20000,
                .has_gradients = true});
  }
}

/// On a GPU with tensor cores.
TEST_P(long_convolution_on, takes_16_bits_on_tensor_cores) {
  if (on->device().runs_on != engine::cuda) GTEST_SKIP() << "has no tensor cores";
  const auto check_by_tensor = [&](const long_convolution_spec& spec) {
    EXPECT_THAT((long_convolution{*on, spec}.explain()), HasSubstr("tensor cores"));
    check(spec);
  };
  for (const std::size_t length : {1500, 2048, 3001, 4096, 8192}) {
    check_by_tensor({.length = length,
                     .channels = 2,
                     .batch = length == 2048 ? 5U : 2U,
                     .stored = precision::bf16,
                     .has_gradients = true});
    check_by_tensor({.length = length,
                     .batch = 3,
                     .stored = precision::fp16,
                     .arithmetic = arithmetic::tensor});
    check_by_tensor({.length = length,
                     .kernel = 999,
                     .batch = 3,
                     .aligned = kernel_alignment::centred,
                     .stored = precision::fp16,
                     .has_gate_before = true,
                     .has_gate_after = true,
                     .has_skip = true,
                     .is_ragged = true,
                     .has_gradients = true,
                     .is_paired = length != 3001,
                     .arithmetic = arithmetic::tensor});
  }
  for (const bool is_before : {false, true}) {
    check_by_tensor({.length = 2500,
                     .kernel = 4999,
                     .batch = 2,
                     .aligned = kernel_alignment::centred,
                     .stored = precision::bf16,
                     .has_gate_before = is_before,
                     .has_gate_after = !is_before,
                     .has_gradients = true});
  }
}

/// Signals of very different values, each beside noise.
TEST_P(long_convolution_on, keeps_the_range_of_each_signal_on_tensor_cores) {
  if (on->device().runs_on != engine::cuda) GTEST_SKIP() << "has no tensor cores";
  for (const std::size_t length : {2048, 4096, 8192}) {
    long_problem problem{{.length = length, .batch = 20, .stored = precision::bf16}};
    const auto fill = [&](std::size_t signal, const auto& change) {
      for (std::size_t i = 0; i < length; ++i) {
        double& x = problem.x[2 * signal * length + i];
        x = static_cast<double>(device::bfloat(static_cast<float>(change(x, i))));
      }
    };
    fill(0, [](double x, std::size_t i) { return i == 100 ? 1e4 : x; });
    fill(1, [](double x, std::size_t) { return x * 1e-6; });
    fill(2, [](double x, std::size_t) { return x * 1e6; });
    fill(3, [](double x, std::size_t) { return x * 1e30; });
    fill(4, [](double, std::size_t) { return 0.0; });
    fill(5, [](double, std::size_t) { return 1.0; });
    fill(6, [](double, std::size_t i) { return i % 2 == 0 ? 3.984375 : -3.984375; });
    fill(7, [](double, std::size_t i) { return std::sin(0.37 * static_cast<double>(i)); });
    fill(8, [](double, std::size_t i) { return i == 0 ? 1e4 : 0.0; });
    fill(9, [](double x, std::size_t) { return x * 1e-30; });
    const long_run run{*on, problem};
    const numbers got = run.run();
    std::vector<long double> y(problem.x.size());
    problem.each_product([&](std::size_t i, std::size_t n, std::size_t tap) {
      y[i] += static_cast<long double>(problem.tap(tap)) * problem.x[n];
    });
    for (std::size_t b = 0; b < 20; ++b) {
      SCOPED_TRACE(::testing::Message() << "signal " << b << " of " << length);
      const auto first = static_cast<std::ptrdiff_t>(b * length),
                 end = first + static_cast<std::ptrdiff_t>(length);
      long double error = 0, norm = 0;
      for (std::ptrdiff_t i = first; i < end; ++i) {
        const auto place = static_cast<std::size_t>(i);
        error += (got[place] - y[place]) * (got[place] - y[place]);
        norm += y[place] * y[place];
      }
      EXPECT_LE(std::sqrt(error), 3.5e-3L * std::sqrt(norm));
    }
  }
}

TEST_P(long_convolution_on, refuses_tensor_cores_for_32_bits) {
  EXPECT_EQ(
      refusal([&] {
        const long_convolution refused_plan{*on, {.length = 8, .arithmetic = arithmetic::tensor}};
      }),
      "arithmetic is tensor and stored is fp32; tensor cores take bf16 and fp16");
}

/// Returns the sum over i of a[i] b[i].
long double product_of(const numbers& a, const numbers& b) {
  long double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<long double>(a[i]) * b[i];
  return sum;
}

TEST_P(long_convolution_on, has_adjoint_gradients_of_long_kernels) {
  if (GetParam() == engine::reference) GTEST_SKIP() << "its transforms are slow";
  if (leaves_out()) GTEST_SKIP() << "in make test-full";
  // Of 40 channels a GPU makes the gradient of kernels in one launch, of 8,192 values and more by
  // right angles, as it makes all rows of 8,193 values and more.
  const std::pair<std::size_t, std::size_t> sizes[] = {
      {3000, 2}, {4096, 2}, {4099, 2}, {8192, 40}, {9000, 40}, {16384, 2}, {30000, 2}};
  for (const auto& [length, channels] : sizes) {
    const long_problem problem{{.length = length,
                                .channels = channels,
                                .batch = 3,
                                .has_gate_before = true,
                                .has_skip = true,
                                .has_gradients = true}};
    const long_run run{*on, problem};
    const long double of_results = product_of(run.run(), problem.of_results);
    numbers taps = problem.kernels;
    taps.insert(taps.end(), problem.skip.begin(), problem.skip.end());
    const long double bound =
        1e-6L * norm_of(taps) * norm_of(problem.x) * norm_of(problem.of_results);
    EXPECT_NEAR(product_of(run.signal_gradient(), problem.x), of_results, bound) << length;
    EXPECT_NEAR(product_of(run.kernel_gradient(), taps), of_results, bound) << length;
  }
}

INSTANTIATE_TEST_SUITE_P(engines, long_convolution_on, all_engines(), engine_name);

std::string refused(const long_convolution_spec& spec) {
  return refusal([&] {
    const long_convolution refused_plan{queue{first_device(engine::host)}, spec};
  });
}

TEST(long_convolution, refuses_what_no_device_can_make) {
  EXPECT_EQ(refused({}),
            "length is 0; choose 1 to 134217728, so that a signal and its kernel fit rows of "
            "268435456, or cut signals into blocks and convolve those by wingbeat::convolution");
  EXPECT_THAT(refused({.length = max_length}), HasSubstr("choose 1 to 134217728, so that"));
  EXPECT_THAT(refused({.length = max_length / 2 + 1}), HasSubstr("choose 1 to 134217728,"));
  EXPECT_THAT(refused({.length = max_length, .kernel = 5}), HasSubstr("choose 1 to 268435452,"));
  EXPECT_THAT(refused({.length = max_length, .aligned = kernel_alignment::centred}),
              HasSubstr("choose 1 to 178956971,"));
  EXPECT_EQ(refused({.length = 8, .channels = 0}),
            "channels is 0 and batch is 1; make each at least 1");
  EXPECT_EQ(refused({.length = 8, .kernel = 9}),
            "kernel is 9 and length 8, so that some taps meet no signal; give a causal kernel at "
            "most 8");
  EXPECT_EQ(refused({.length = 8, .kernel = 16, .aligned = kernel_alignment::centred}),
            "kernel is 16 and length 8, so that some taps meet no signal; give a centred kernel at "
            "most 15");
  EXPECT_EQ(refused({.length = 8, .aligned = static_cast<kernel_alignment>(9)}),
            "aligned is 9, which is none of its values; choose causal or centred");
  EXPECT_EQ(refused({.length = 8, .stored = static_cast<precision>(9)}),
            "stored is 9, which is none of its values; choose fp32, fp64, fp16 or bf16");
  EXPECT_EQ(refused({.length = 8, .kernel_stored = precision::fp64}),
            "kernel_stored is fp64 and stored is fp32, and fp64 mixes with no other precision; "
            "leave kernel_stored empty");
  EXPECT_THAT(refused({.length = 1 << 20, .channels = 1 << 30, .batch = 1 << 30}),
              HasSubstr("beyond the address space"));
}

TEST(long_convolution, explains_its_functors_by_their_names) {
  for (const engine runs_on : {engine::host, engine::opencl}) {
    const auto found = devices(runs_on);
    if (found.empty()) continue;
    const long_convolution plan{queue{found.front()}, {.length = 8, .has_gradients = true}};
    EXPECT_THAT(plan.explain(),
                AllOf(HasSubstr("load"), HasSubstr("tap store"), Not(HasSubstr("your"))));
  }
}

TEST(long_convolution, refuses_views_that_no_run_can_have) {
  queue on{first_device(engine::host)};
  const long_convolution plain{on, {.length = 8}};
  const buffer kernels{on, 32}, spectra{on, plain.spectra_bytes()}, x{on, 64}, y{on, 32};
  const auto run = [&](const long_convolution& plan, buffer_view signals, buffer_view results,
                       const long_convolution_operands& given = {}) {
    return refusal([&] { plan.enqueue(on, spectra.view(), signals, results, given); });
  };
  EXPECT_EQ(run(plain, x.view(), y.view()), nothing_refused);
  EXPECT_EQ(
      run(plain, x.view(), x.view()),
      "the array of results starts 0 bytes behind the start of the array of signals, which takes "
      "32 bytes, so that they overlap; give them places apart");
  EXPECT_EQ(run(plain, x.view(), {y.view().handle, 0, 31}),
            "the array of results holds 31 bytes; this long convolution needs 32");
  EXPECT_THAT(run(plain, {x.view().handle, 2, 62}, y.view()), HasSubstr("starts at byte 2"));
  EXPECT_EQ(run(plain, x.view(), y.view(), {.gate_before = x.view()}),
            "a run has a gate before and has_gate_before is false; set it, or give none");
  EXPECT_EQ(refusal([&] { plain.enqueue_signal_gradient(on, spectra.view(), x.view(), y.view()); }),
            "a gradient is asked for and has_gradients is false; set it, so that gradients are "
            "planned");
  EXPECT_EQ(refusal([&] { plain.prepare(on, kernels.view(), spectra.view(), x.view()); }),
            "a run has a skip and has_skip is false; set it, or give none");
  const long_convolution ragged{on, {.length = 8, .has_gate_after = true, .is_ragged = true}};
  EXPECT_EQ(run(ragged, x.view(), y.view(), {.gate_after = x.view()}),
            "the table of lengths holds 0 bytes; this long convolution needs 4");
}

}  // namespace
