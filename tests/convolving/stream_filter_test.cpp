// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 300
// A signal in pieces, cut in many ways: always the same bits, and the sums of the definition.
#include "wingbeat/stream_filter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>  // min
#include <cmath>      // abs
#include <random>

#include "convolving/blocks.hpp"  // hop_of
#include "support/on_engine.hpp"  // on_engine, all_engines, engine_name
#include "support/signal.hpp"     // fill_noise
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using wingbeat::test::fill_noise;

template <class Value>
std::vector<Value> noise(std::size_t count, std::uint64_t seed) {
  using real = typename std::conditional_t<std::is_floating_point_v<Value>, std::complex<Value>,
                                           Value>::value_type;
  std::vector<Value> x(count);
  fill_noise(reinterpret_cast<real*>(x.data()), count * sizeof(Value) / sizeof(real), seed);
  return x;
}

template <class Value>
void append(std::vector<Value>& target, const std::vector<Value>& values) {
  target.insert(target.end(), values.begin(), values.end());
}

/// Pushes pieces of the lengths that `next` returns.
template <class Value, class Next>
std::vector<Value> filtered(stream_filter<Value>& filter, const std::vector<Value>& x, Next next) {
  std::vector<Value> y;
  for (std::size_t i = 0; i < x.size();) {
    const std::size_t count = std::min<std::size_t>(next(), x.size() - i);
    append(y, filter.push({x.data() + i, count}));
    EXPECT_EQ(y.size() % filter.step(), 0);
    EXPECT_LT(i + count - y.size(), filter.step()) << "complete outputs are returned at once";
    i += count;
  }
  append(y, filter.flush());
  return y;
}

template <class Value>
void expect_sums(const std::vector<Value>& y, const std::vector<Value>& x,
                 const std::vector<Value>& taps, double bound) {
  ASSERT_EQ(y.size(), x.size() + taps.size() - 1);
  for (std::size_t n = 0; n < y.size(); ++n) {
    std::complex<long double> sum = 0;
    for (std::size_t j = n < x.size() ? 0 : n + 1 - x.size(); j < taps.size() && j <= n; ++j) {
      sum += std::complex<long double>(taps[j]) * std::complex<long double>(x[n - j]);
    }
    ASSERT_LE(std::abs(std::complex<long double>(y[n]) - sum), bound) << n;
  }
}

template <class Value>
void check(const queue& on, std::size_t n_taps, std::size_t n_samples, std::size_t min_step,
           double bound) {
  SCOPED_TRACE(n_taps);
  const auto taps = noise<Value>(n_taps, 1), x = noise<Value>(n_samples, 2);
  stream_filter<Value> filter{on, taps, min_step};
  EXPECT_GE(filter.step(), min_step);
  const auto whole = filtered(filter, x, [&] { return x.size(); });
  expect_sums(whole, x, taps, bound);
  std::mt19937 random{3};
  for (const std::size_t longest : {std::size_t{7}, std::size_t{500}, 3 * filter.step()}) {
    EXPECT_EQ(filtered(filter, x, [&] { return random() % (longest + 1); }), whole)
        << "pieces of up to " << longest;
  }
}

class stream_filter_on : public test::on_engine {
 protected:
};

TEST_P(stream_filter_on, has_the_same_bits_however_the_signal_is_cut) {
  check<float>(*on, 31, 5000, 100, 2e-5);
  if (leaves_out()) return;
  check<std::complex<float>>(*on, 31, 5000, 100, 2e-5);
}

TEST_P(stream_filter_on, makes_steps_of_whole_rows) {
  if (leaves_out()) GTEST_SKIP() << "the same on every engine";
  for (const std::size_t n_taps : {5, 255, 600}) {
    const stream_filter filter{*on, noise<float>(n_taps, 1)};
    const std::size_t image = filter.step() + n_taps - 1;
    EXPECT_EQ(filter.step() % (2 * convolving::hop_of(image, n_taps, filter.block())), 0) << n_taps;
  }
}

TEST_P(stream_filter_on, takes_one_tap_and_many) {
  if (!leaves_out()) check<float>(*on, 1, 700, 1, 1e-6);
  check<float>(*on, 600, 4000, 2000, 1e-4);
}

TEST_P(stream_filter_on, computes_in_fp64) {
  if (!on->device().has_fp64) GTEST_SKIP() << on->device().name << " has no fp64";
  if (!leaves_out()) check<double>(*on, 31, 3000, 100, 1e-13);
  check<std::complex<double>>(*on, 31, 3000, 100, 1e-13);
}

TEST_P(stream_filter_on, begins_anew_after_a_flush) {
  const std::vector<float> taps{1, 2, 3}, x{1, 0, 0, 0, 5};
  stream_filter filter{*on, taps};
  EXPECT_TRUE(filter.flush().empty()) << "no samples, no outputs";
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(filter.push(x).empty());
    EXPECT_THAT(filter.flush(), ::testing::Pointwise(::testing::FloatNear(1e-5F),
                                                     {1.F, 2.F, 3.F, 0.F, 5.F, 10.F, 15.F}));
  }
}

INSTANTIATE_TEST_SUITE_P(engines, stream_filter_on, test::all_engines(), test::engine_name);

TEST(stream_filter, refuses_taps_that_it_cannot_take) {
  const queue on{first_device(engine::host)};
  EXPECT_THAT(
      [&] {
        (stream_filter<float>{on, std::span<const float>{}});
      },
      ::testing::ThrowsMessage<plan_error>("taps has 0 values; give 1 to 65536"));
  const std::vector<float> taps(65537);
  EXPECT_THAT(
      [&] {
        (stream_filter{on, taps});
      },
      ::testing::ThrowsMessage<plan_error>("taps has 65537 values; give 1 to 65536"));
}

TEST(stream_filter, equals_the_full_convolution) {
  queue on{first_device(engine::host)};
  const auto taps = noise<float>(255, 1), x = noise<float>(100000, 2);
  const convolution full{
      on, {.image = {x.size()}, .kernel = {taps.size()}, .prepared = operand_role::kernel}};
  buffer kernel{on, full.kernel_bytes()}, spectra{on, full.spectra_bytes()};
  buffer image{on, full.image_bytes()}, out{on, full.output_bytes()};
  kernel.write(taps.data(), kernel.size_bytes());
  image.write(x.data(), image.size_bytes());
  full.prepare(on, kernel.view(), spectra.view());
  full.enqueue(on, spectra.view(), image.view(), out.view());
  std::vector<float> expected(full.result()[0]);
  out.read(expected.data(), out.size_bytes());
  stream_filter filter{on, taps};
  auto y = filter.push(x);
  append(y, filter.flush());
  ASSERT_EQ(y.size(), expected.size());
  for (std::size_t n = 0; n < y.size(); ++n) ASSERT_NEAR(y[n], expected[n], 1e-4) << n;
}

}  // namespace
