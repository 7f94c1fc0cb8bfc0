// SPDX-License-Identifier: Apache-2.0
// Rows convolved by matrix products, emulated, against their sums in long double.
#include "wingbeat/device/tensor/convolve.hpp"

#include <gtest/gtest.h>

#include <cmath>  // sqrt
#include <vector>

#include "convolving/tensor_table.hpp"         // tensor_table
#include "device/workgroup/fft_probe.hpp"      // local_memory
#include "support/signal.hpp"                  // fill_noise
#include "wingbeat/device/tensor/spectra.hpp"  // spectra
#include "wingbeat/emulate.hpp"                // run_workgroup
#include "wingbeat/roots.hpp"                  // root

namespace {

using namespace wingbeat;
using namespace wingbeat::device;
using group_type = emulated_group_of<32>;
template <class Stored>
using row_numbers = tensor::convolution_numbers<Stored>;
using wingbeat::test::local_memory;

std::vector<float> noise(std::size_t count, std::uint64_t seed) {
  std::vector<double> values(count);
  test::fill_noise(values.data(), count, seed);
  return {values.begin(), values.end()};
}

/// Signals [batch][channel][i], kernels [channel][tap], and what the kernels of a workgroup make.
template <class Policy>
class problem {
  static constexpr auto n = Policy::numbers();
  using stored = typename decltype(Policy::numbers())::stored;
  static constexpr std::size_t points = 256 * n.outer;

 public:
  problem()
      : kernels(noise(n.channels * n.length, 3)),
        x(rounded(noise(count(), 1))),
        before(rounded(noise(count(), 2))),
        after(rounded(noise(count(), 4))) {
    for (std::size_t b = 0; b < n.batch; ++b)
      lengths.push_back(static_cast<unsigned>(n.length - (n.is_ragged ? 7 * b : 0)));
  }

  [[nodiscard]] std::vector<float> run() const {
    const auto table = convolving::tensor_table(n.outer);
    const auto spectra = spectra_of();
    std::vector<stored> out(count(), stored(7.0f));
    const tensor::convolution_memory<stored> memory{x.data(),      spectra.data(), table.data(),
                                                    out.data(),    before.data(),  after.data(),
                                                    lengths.data()};
    const std::size_t bytes =
        n.local_bytes() + n.subgroups() * tensor::matrices<group_type>::exchange_bytes;
    for (std::size_t index = 0; index < n.channels * n.groups(); ++index) {
      const auto local = local_memory(bytes);
      run_workgroup<32>(
          n.threads(),
          [&](group_type group) {
            tensor::convolve<Policy, group_type>{memory, local.get(), group}.run();
          },
          index);
    }
    return {out.begin(), out.end()};
  }

  [[nodiscard]] std::vector<long double> expected() const {
    std::vector<long double> y(count(), 7);
    for (std::size_t row = 0; row < n.batch * n.channels; ++row) {
      const std::size_t first = row * n.length, channel = row % n.channels;
      const std::size_t length = lengths[row / n.channels];
      for (std::size_t i = 0; i < length; ++i) y[first + i] = 0;
      for (std::size_t m = 0; m < length; ++m) {
        long double value = x[first + m];
        if (n.has_gate_before) value *= before[first + m];
        if (value == 0) continue;
        for (std::size_t i = 0; i < length; ++i) {
          const std::size_t tap = n.conjugates ? m - i : i - m;  // wraps below 0
          if (tap < n.length) y[first + i] += kernels[channel * n.length + tap] * value;
        }
      }
      for (std::size_t i = 0; i < length && n.has_gate_after; ++i) y[first + i] *= after[first + i];
    }
    return y;
  }

  std::vector<float> kernels;
  std::vector<stored> x, before, after;
  std::vector<unsigned> lengths;

 private:
  static constexpr std::size_t count() { return n.batch * n.channels * n.length; }
  static std::vector<stored> rounded(const std::vector<float>& values) {
    return {values.begin(), values.end()};
  }
  struct spectra_policy {
    static constexpr tensor::spectra_numbers numbers() { return {n.channels, n.outer, 0, 64}; }
  };
  [[nodiscard]] std::vector<tensor::quad> spectra_of() const {
    std::vector<complex<float>> bins(n.channels * points);
    for (std::size_t c = 0; c < n.channels; ++c) {
      for (std::size_t k = 0; k < points; ++k) {
        std::complex<long double> sum = 0;
        for (std::size_t j = 0; j < n.length; ++j)
          sum += std::complex<long double>(root(j * k % points, points)) *
                 static_cast<long double>(kernels[c * n.length + j]);
        bins[c * points + k] = {static_cast<float>(sum.real()), static_cast<float>(sum.imag())};
      }
    }
    std::vector<tensor::quad> out(n.channels * 64 * n.outer + n.channels);
    const std::size_t bytes = 64 + 2 * tensor::matrices<group_type>::exchange_bytes;
    for (std::size_t c = 0; c < n.channels; ++c) {
      const auto local = local_memory(bytes);
      run_workgroup<32>(
          64,
          [&](group_type group) {
            tensor::spectra<spectra_policy, group_type>{
                {bins.data(), out.data()}, local.get(), group}
                .run();
          },
          c);
    }
    return out;
  }
};

/// Expects, of each signal, no more than 1e-3 of its norm beside the rounding of the results.
template <class Policy>
void check(const problem<Policy>& given) {
  constexpr auto n = Policy::numbers();
  using stored = typename decltype(Policy::numbers())::stored;
  const auto got = given.run();
  const auto expected = given.expected();
  for (std::size_t row = 0; row < n.batch * n.channels; ++row) {
    long double error = 0, rounding = 0, norm = 0;
    for (std::size_t i = row * n.length; i < (row + 1) * n.length; ++i) {
      const long double right = expected[i], off = got[i] - right;
      const long double rounded = stored(static_cast<float>(right)) - right;
      error += off * off;
      rounding += rounded * rounded;
      norm += right * right;
    }
    EXPECT_LE(std::sqrt(error), std::sqrt(rounding + 1e-6L * norm)) << "signal " << row;
    EXPECT_GT(error, 0) << "signal " << row;
  }
}

struct plain {
  static constexpr auto numbers() {
    row_numbers<bfloat> n;
    n.length = 250;
    n.channels = 2;
    n.batch = 3;
    return n;
  }
};
TEST(tensor_convolve, convolves_pairs_of_signals) {
  check(problem<plain>{});
}

/// An odd batch: the last signal has none beside it, which counts as 0.
struct in_fp16 {
  static constexpr auto numbers() {
    row_numbers<half_float> n;
    n.length = 129;
    n.batch = 3;
    n.at_once = 2;
    return n;
  }
};
TEST(tensor_convolve, takes_fp16) {
  check(problem<in_fp16>{});
}

struct rich {
  static constexpr auto numbers() {
    row_numbers<bfloat> n = plain::numbers();
    n.length = 301;
    n.channels = 1;
    n.has_gate_before = n.has_gate_after = n.is_ragged = n.conjugates = true;
    n.at_once = 2;
    return n;
  }
};
TEST(tensor_convolve, takes_gates_and_lengths) {
  check(problem<rich>{});
}

struct folded {
  static constexpr auto numbers() {
    row_numbers<bfloat> n = plain::numbers();
    n.length = 400;
    n.channels = 1;
    n.batch = 1;
    n.outer = 32;
    return n;
  }
};
TEST(tensor_convolve, folds_the_first_stage) {
  check(problem<folded>{});
}

}  // namespace
