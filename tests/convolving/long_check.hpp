// SPDX-License-Identifier: Apache-2.0
// Long convolutions and their gradients against their sums in long double.
#pragma once

#include <gtest/gtest.h>

#include <cmath>    // sqrt
#include <cstddef>  // size_t
#include <cstdint>  // uint32_t
#include <string>
#include <utility>  // move, pair
#include <vector>

#include "arrays/array.hpp"               // bytes_of_real
#include "functors/stored_number.hpp"     // with_stored
#include "support/signal.hpp"             // fill_noise
#include "support/tolerance.hpp"          // l2_bound
#include "wingbeat/buffer.hpp"            // buffer
#include "wingbeat/long_convolution.hpp"  // long_convolution

namespace wingbeat::test {

using numbers = std::vector<double>;

/// Calls work(stored), a value of the type.
template <class Work>
auto with_type(precision stored, const Work& work) {
  if (stored == precision::fp64) return work(double{});
  return with_stored<float>(stored, work);
}

/// Returns values in [-1, 1], as they are stored.
inline numbers stored_noise(std::size_t count, precision stored, std::uint64_t seed) {
  numbers values(count);
  fill_noise(values.data(), count, seed);
  with_type(stored, [&](auto number) {
    for (double& value : values) {
      value = static_cast<double>(decltype(number)(static_cast<float>(value)));
    }
  });
  return values;
}

inline buffer uploaded(const queue& on, const numbers& values, precision stored) {
  buffer memory{on, values.size() * bytes_of_real(stored)};
  with_type(stored, [&](auto number) {
    std::vector<decltype(number)> list;
    for (const double value : values) list.push_back(decltype(number)(value));
    memory.write(list.data(), memory.size_bytes());
  });
  return memory;
}

inline numbers read_numbers(const buffer& memory, precision stored) {
  return with_type(stored, [&](auto number) {
    std::vector<decltype(number)> list(memory.size_bytes() / sizeof number);
    memory.read(list.data(), memory.size_bytes());
    return numbers(list.begin(), list.end());
  });
}

/// The operands of a request, and the results that the definition has.
class long_problem {
 public:
  static constexpr double untouched = 7;  ///< What results are before a run.

  explicit long_problem(const long_convolution_spec& request)
      : spec(request),
        taps(spec.kernel == 0 ? spec.length : spec.kernel),
        kernel_stored(spec.kernel_stored.value_or(
            spec.stored == precision::fp64 ? precision::fp64 : precision::fp32)) {
    const std::size_t count = spec.batch * spec.channels * spec.length;
    x = stored_noise(count, spec.stored, 1);
    before = spec.has_gate_before ? stored_noise(count, spec.stored, 2) : numbers(count, 1);
    after = spec.has_gate_after ? stored_noise(count, spec.stored, 3) : numbers(count, 1);
    of_results = stored_noise(count, spec.stored, 4);
    kernels = stored_noise(spec.channels * taps, kernel_stored, 5);
    skip =
        spec.has_skip ? stored_noise(spec.channels, kernel_stored, 6) : numbers(spec.channels, 0);
    for (std::size_t b = 0; b < spec.batch; ++b) {
      const std::size_t shorter = b == 0 ? 0 : (b * 5 + 1) % (spec.length + 1);
      lengths.push_back(static_cast<std::uint32_t>(spec.length - (spec.is_ragged ? shorter : 0)));
    }
  }

  [[nodiscard]] std::size_t origin() const {
    return spec.aligned == kernel_alignment::causal ? 0 : (taps - 1) / 2;
  }

  /// Calls visit(place of a result, place of a signal's value, place of a tap) for each product of
  /// the sums, the skip's among them as the tap at `kernels.size() + channel`.
  template <class Visit>
  void each_product(const Visit& visit) const {
    for (std::size_t b = 0; b < spec.batch; ++b) {
      for (std::size_t c = 0; c < spec.channels; ++c) {
        const std::size_t first = (b * spec.channels + c) * spec.length;
        for (std::size_t i = 0; i < lengths[b]; ++i) {
          visit(first + i, first + i, kernels.size() + c);
          for (std::size_t j = 0; j < taps; ++j) {
            const std::size_t n = i + origin() - j;  // wraps below 0
            if (n < lengths[b]) visit(first + i, first + n, c * taps + j);
          }
        }
      }
    }
  }
  [[nodiscard]] double tap(std::size_t place) const {
    return place < kernels.size() ? kernels[place] : skip[place - kernels.size()];
  }
  [[nodiscard]] bool is_there(std::size_t place) const {
    return place % spec.length < lengths[place / (spec.channels * spec.length)];
  }

  long_convolution_spec spec;
  std::size_t taps;
  precision kernel_stored;
  numbers x, before, after, of_results, kernels, skip;
  std::vector<std::uint32_t> lengths;
};

/// A problem on a device.
class long_run {
 public:
  long_run(queue& queue_of_device, const long_problem& given)
      : on(queue_of_device),
        problem(given),
        plan(on, given.spec),
        spectra(on, plan.spectra_bytes()),
        x(uploaded(on, given.x, given.spec.stored)),
        before(uploaded(on, given.before, given.spec.stored)),
        after(uploaded(on, given.after, given.spec.stored)),
        of_results(uploaded(on, given.of_results, given.spec.stored)),
        lengths(on, given.lengths.size() * sizeof(std::uint32_t)) {
    lengths.write(given.lengths.data(), lengths.size_bytes());
    prepare(given.kernels, given.skip);
  }

  void prepare(const numbers& kernels, const numbers& skip) {
    const buffer taps = uploaded(on, kernels, problem.kernel_stored);
    const buffer skips = uploaded(on, skip, problem.kernel_stored);
    plan.prepare(on, taps.view(), spectra.view(),
                 problem.spec.has_skip ? skips.view() : buffer_view{});
    on.wait();
  }

  [[nodiscard]] long_convolution_operands operands() const {
    long_convolution_operands given;
    if (problem.spec.has_gate_before) given.gate_before = before.view();
    if (problem.spec.has_gate_after) given.gate_after = after.view();
    if (problem.spec.is_ragged) given.lengths = lengths.view();
    return given;
  }

  [[nodiscard]] buffer results() const {
    return uploaded(on, numbers(problem.x.size(), long_problem::untouched), problem.spec.stored);
  }
  [[nodiscard]] numbers run(const buffer& signals) const {
    const buffer y = results();
    plan.enqueue(on, spectra.view(), signals.view(), y.view(), operands());
    on.wait();
    return read_numbers(y, problem.spec.stored);
  }
  [[nodiscard]] numbers run() const { return run(x); }
  [[nodiscard]] numbers signal_gradient() const {
    const buffer gradient = results();
    plan.enqueue_signal_gradient(on, spectra.view(), of_results.view(), gradient.view(),
                                 operands());
    on.wait();
    return read_numbers(gradient, problem.spec.stored);
  }
  /// Of all taps, and behind them of the skips.
  [[nodiscard]] numbers kernel_gradient() const {
    return of_taps([&](buffer_view of_kernels, buffer_view of_skip) {
      plan.enqueue_kernel_gradient(on, x.view(), of_results.view(), of_kernels, of_skip,
                                   operands());
    });
  }
  /// Those of signals and of taps, made at once.
  [[nodiscard]] std::pair<numbers, numbers> gradients() const {
    const buffer gradient = results();
    numbers taps = of_taps([&](buffer_view of_kernels, buffer_view of_skip) {
      plan.enqueue_gradients(on, spectra.view(), x.view(), of_results.view(), gradient.view(),
                             of_kernels, of_skip, operands());
    });
    return {read_numbers(gradient, problem.spec.stored), std::move(taps)};
  }

  /// Returns what make(gradient of kernels, of skips) writes.
  template <class Make>
  [[nodiscard]] numbers of_taps(const Make& make) const {
    const buffer of_kernels{on, plan.kernel_bytes()};
    const buffer of_skip{on, std::max<std::size_t>(plan.skip_bytes(), 8)};
    make(of_kernels.view(), problem.spec.has_skip ? of_skip.view() : buffer_view{});
    on.wait();
    numbers gradient = read_numbers(of_kernels, problem.kernel_stored);
    if (!problem.spec.has_skip) return gradient;
    const numbers skips = read_numbers(of_skip, problem.kernel_stored);
    gradient.insert(gradient.end(), skips.begin(),
                    skips.begin() + static_cast<std::ptrdiff_t>(problem.spec.channels));
    return gradient;
  }

  queue& on;
  const long_problem& problem;
  long_convolution plan;
  buffer spectra, x, before, after, of_results, lengths;
};

/// Returns half the distance from 1 to the next number.
inline long double roundoff_of(precision stored) {
  switch (stored) {
    case precision::fp64: return unit_roundoff<double>;
    case precision::fp16: return 0x1p-11L;
    case precision::bf16: return 0x1p-8L;
    default: return unit_roundoff<float>;
  }
}

/// Expects values within the rounding of three transforms and of the store, as norms; `scale` is
/// what the sums' factors have as norms.
inline void expect_near(const numbers& got, const std::vector<long double>& expected,
                        long double scale, std::size_t padded, precision stored) {
  ASSERT_EQ(got.size(), expected.size());
  long double error = 0, norm = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const long double difference = got[i] - expected[i];
    error += difference * difference;
    norm += expected[i] * expected[i];
  }
  const bool is_wide = stored == precision::fp64;
  const long double of_transforms =
      3 * (is_wide ? l2_bound<double>(padded) : l2_bound<float>(padded));
  EXPECT_LE(std::sqrt(error), of_transforms * scale + roundoff_of(stored) * std::sqrt(norm));
}

/// Expects what tensor cores leave: beside the rounding of the store, 1e-3 of the norm.
inline void expect_near_by_tensor(const numbers& got, const std::vector<long double>& expected,
                                  precision stored) {
  ASSERT_EQ(got.size(), expected.size());
  long double error = 0, rounding = 0, norm = 0;
  with_type(stored, [&](auto number) {
    for (std::size_t i = 0; i < got.size(); ++i) {
      const decltype(number) rounded(static_cast<float>(expected[i]));
      const long double off = static_cast<long double>(static_cast<double>(rounded)) - expected[i];
      const long double difference = got[i] - expected[i];
      error += difference * difference;
      rounding += off * off;
      norm += expected[i] * expected[i];
    }
  });
  EXPECT_LE(std::sqrt(error), std::sqrt(rounding + 1e-6L * norm));
}

inline long double norm_of(const numbers& values) {
  long double sum = 0;
  for (const double value : values) sum += static_cast<long double>(value) * value;
  return std::sqrt(sum);
}

/// Runs a request on a queue's device, and compares all that it makes with the sums.
inline void check_long(queue& on, const long_convolution_spec& spec) {
  SCOPED_TRACE(::testing::Message()
               << spec.length << " values, " << spec.kernel << " taps, " << name_of(spec.aligned)
               << ", " << spec.batch << " x " << spec.channels << ", " << name_of(spec.stored));
  const long_problem problem{spec};
  const long_run run{on, problem};
  std::vector<long double> y(problem.x.size()), of_x(y),
      of_taps(problem.kernels.size() + problem.skip.size());
  const auto u = [&](std::size_t n) {
    return static_cast<long double>(problem.x[n]) * problem.before[n];
  };
  const auto v = [&](std::size_t i) {
    return static_cast<long double>(problem.of_results[i]) * problem.after[i];
  };
  problem.each_product([&](std::size_t i, std::size_t n, std::size_t tap) {
    y[i] += problem.after[i] * problem.tap(tap) * u(n);
    of_x[n] += problem.before[n] * problem.tap(tap) * v(i);
    of_taps[tap] += v(i) * u(n);
  });
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (!problem.is_there(i)) y[i] = of_x[i] = long_problem::untouched;
  }
  const std::size_t padded = run.plan.padded();
  EXPECT_GE(2 * padded, spec.length + problem.taps - 1 - problem.origin()) << "by right angles";
  const long double taps = norm_of(problem.kernels) + norm_of(problem.skip);
  const bool is_by_tensor = run.plan.explain().find("tensor cores") != std::string::npos;
  const auto expect = [&](const numbers& got, const std::vector<long double>& expected,
                          long double scale) {
    if (is_by_tensor) return expect_near_by_tensor(got, expected, spec.stored);
    expect_near(got, expected, scale, padded, spec.stored);
  };
  const numbers result = run.run();
  expect(result, y, taps * norm_of(problem.x));
  EXPECT_EQ(run.run(), result) << "a second run has other bits";
  if (!spec.has_gradients) return;
  expect(run.signal_gradient(), of_x, taps * norm_of(problem.of_results));
  if (!spec.has_skip) of_taps.resize(problem.kernels.size());
  const long double signals = norm_of(problem.x) * norm_of(problem.of_results);
  expect_near(run.kernel_gradient(), of_taps, signals, padded, problem.kernel_stored);
  const auto [both_x, both_taps] = run.gradients();
  expect(both_x, of_x, taps * norm_of(problem.of_results));
  expect_near(both_taps, of_taps, signals, padded, problem.kernel_stored);
}

}  // namespace wingbeat::test
