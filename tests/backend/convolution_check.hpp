// SPDX-License-Identifier: Apache-2.0
// Programs that convolve rows in one launch, on an engine that compiles kernels, against the sum
// that defines a convolution.
#pragma once

#include <gtest/gtest.h>

#include <complex>
#include <vector>

#include "programs/convolved_rows.hpp"    // program_of_rows
#include "programs/prepared_program.hpp"  // prepared_program
#include "support/full_run.hpp"           // cases_on, runs_all_on
#include "support/oracle.hpp"             // exact, relative_l2
#include "support/signal.hpp"             // noise
#include "support/tolerance.hpp"          // l2_bound
#include "wingbeat/wingbeat.hpp"

namespace wingbeat::test {

/// Signals of `taken` samples, filters of `taps`, padded to n; outputs `first` .. `end` - 1 wanted.
struct convolution_case {
  std::size_t n, taken, taps, signals, filters;
  index_range wanted;
};

template <class Real>
class convolution_run {
  using complexes = std::vector<std::complex<Real>>;

 public:
  convolution_run(const backend::kernel_compiler& compiler, queue on, const convolution_case& given)
      : compiler_(compiler), on_(std::move(on)), of_(given) {}

  void check() {
    const complexes x = random(of_.signals * of_.taken, 1), h = random(of_.filters * of_.taps, 2);
    const complexes y = convolved(memory(x), spectra(memory(h)));
    for (std::size_t s = 0; s < of_.signals; ++s) {
      for (std::size_t f = 0; f < of_.filters; ++f) {
        const auto* row = y.data() + (s * of_.filters + f) * of_.n;
        expect_row(row, x.data() + s * of_.taken, h.data() + f * of_.taps);
      }
    }
  }

 private:
  static constexpr precision real = sizeof(Real) == 4 ? precision::fp32 : precision::fp64;
  static constexpr Real poison = 12345;

  static complexes random(std::size_t count, unsigned seed) {
    complexes result;
    for (const auto& z : noise<Real>(count, seed)) result.emplace_back(z.re, z.im);
    return result;
  }
  buffer memory(const complexes& values) const {
    buffer result{on_, values.size() * sizeof values[0]};
    result.write(values.data(), result.size_bytes());
    return result;
  }
  void run(programs::program steps, const backend::run& memory) const {
    const programs::prepared_program ready{compiler_, on_.impl(), std::move(steps)};
    ready.enqueue(*on_.impl(), memory);
    on_.impl()->wait();
  }

  /// Returns the filters' spectra, in the order of a convolution's registers.
  buffer spectra(const buffer& filters) {
    plan_spec spec{.lengths = {of_.n}, .batch = of_.filters, .real = real};
    spec.in.distances = {of_.taps};
    spec.valid_in = {{0, of_.taps}};
    buffer out = memory(complexes(of_.n * of_.filters, poison));
    run(programs::program_of_rows(backend::spectra_of_rows{spec}, on_.device()).value(),
        {.in = filters.view(), .out = out.view(), .workspace = {}});
    return out;
  }

  /// Returns each signal with each filter, rows of n.
  complexes convolved(const buffer& signals, const buffer& spectra) {
    plan_spec spec{.lengths = {of_.n},
                   .batch = {of_.signals, of_.filters},
                   .real = real,
                   .scale = scaling::by_length};
    spec.in = {.strides = {1}, .distances = {of_.taken, 0}};
    spec.valid_in = {{0, of_.taken}};
    spec.valid_out = {of_.wanted};
    const backend::convolution_of_rows rows{spec, {.stored = real, .distances = {0, of_.n}}};
    const auto program = programs::program_of_rows(rows, on_.device()).value();
    EXPECT_EQ(program.steps.size(), 1U) << "one launch";
    complexes y(of_.n * of_.signals * of_.filters, poison);
    const buffer out = memory(y);
    run(program,
        {.in = signals.view(), .out = out.view(), .workspace = {}, .filter = spectra.view()});
    out.read(y.data(), out.size_bytes());
    return y;
  }

  void expect_row(const std::complex<Real>* row, const std::complex<Real>* x,
                  const std::complex<Real>* h) const {
    exact got, expected;
    for (std::size_t i = 0; i < of_.n; ++i) {
      if (i < of_.wanted.first || i >= of_.wanted.end) {
        ASSERT_EQ(row[i], std::complex<Real>{poison}) << "output " << i << " is not wanted";
        continue;
      }
      std::complex<long double> sum = 0;
      for (std::size_t j = 0; j < of_.taps; ++j) {
        const std::size_t k = (i + of_.n - j) % of_.n;
        if (k < of_.taken) sum += std::complex<long double>{x[k]} * std::complex<long double>{h[j]};
      }
      got.emplace_back(row[i]);
      expected.push_back(sum);
    }
    EXPECT_LE(relative_l2(got, expected), 4 * l2_bound<Real>(of_.n));
  }

  const backend::kernel_compiler& compiler_;
  queue on_;
  convolution_case of_;
};

/// Lengths of one workgroup, with signals and filters of any length and all ways to pair them.
inline void check_convolutions(const backend::kernel_compiler& compiler, const queue& on) {
  const std::vector<convolution_case> first{
      {64, 40, 9, 1, 7, {8, 40}},
      {256, 100, 100, 2, 3, {0, 199}},
      // No powers of two, of which engines have spectra in natural order.
      {6, 6, 6, 3, 1, {0, 6}},  // circular
      {77, 40, 38, 1, 7, {8, 77}},
  };
  const std::vector<convolution_case> others{
      {8, 8, 8, 3, 1, {0, 8}},  // circular
      {64, 40, 9, 5, 1, {0, 48}},       {1024, 1000, 25, 2, 2, {24, 1000}},
      {60, 40, 9, 5, 1, {0, 48}},       {240, 100, 100, 2, 3, {0, 199}},
      {1000, 980, 21, 2, 2, {20, 980}},
  };
  for (const convolution_case& given : cases_on(on.device().runs_on, first, others)) {
    SCOPED_TRACE(given.n);
    convolution_run<float>{compiler, on, given}.check();
  }
  if (on.device().has_fp64) {
    convolution_run<double>{compiler, on, {512, 300, 200, 2, 2, {0, 499}}}.check();
    if (!runs_all_on(on.device().runs_on)) return;
    convolution_run<double>{compiler, on, {500, 300, 200, 2, 2, {0, 499}}}.check();
  }
}

}  // namespace wingbeat::test
