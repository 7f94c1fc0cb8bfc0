// SPDX-License-Identifier: Apache-2.0
// What each example kernel is given, and what the definition of the DFT says must come out.
#pragma once

#include <cmath>    // cos, sqrt
#include <complex>  // complex
#include <cstddef>  // size_t
#include <cstdio>   // printf
#include <string>
#include <vector>

#include "kernels/columns.hpp"
#include "kernels/convolve.hpp"
#include "kernels/nabla_filter.hpp"
#include "kernels/padded_rows.hpp"
#include "kernels/spectrogram.hpp"
#include "kernels/two_real_rows.hpp"
#include "kernels/window_magnitude.hpp"
#include "wingbeat/device/scrambled.hpp"  // index_map

namespace example {

using row = std::vector<std::complex<double>>;

/// Everything the host knows of one run. Numbers are floats, complex ones two of them.
struct job {
  std::string name;  // of the struct and of its file
  std::size_t batch = 0, workgroups = 0;
  std::vector<float> in;
  std::vector<float> expected;
};

inline std::vector<float> noise(std::size_t count) {
  std::vector<float> x(count);
  unsigned state = 12345;
  for (float& value : x) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(state >> 8) / 8388608.0f - 1.0f;
  }
  return x;
}

inline row dft(const row& x) {
  const std::size_t n = x.size();
  row roots(n), y(n);
  for (std::size_t k = 0; k < n; ++k) {
    roots[k] = std::polar(1.0, -2 * 3.14159265358979323846 * double(k) / double(n));
  }
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t j = 0; j < n; ++j) y[k] += x[j] * roots[j * k % n];
  }
  return y;
}

inline std::complex<double> at(const std::vector<float>& x, std::size_t i) {
  return {x[2 * i], x[2 * i + 1]};
}

inline void append(std::vector<float>& values, std::complex<double> z) {
  values.push_back(float(z.real()));
  values.push_back(float(z.imag()));
}

inline double welch(std::size_t i, std::size_t n) {
  const double x = 2.0 * double(i) / double(n) - 1.0;
  return 1.0 - x * x;
}

inline job job_of(window_magnitude) {
  constexpr std::size_t n = window_magnitude::n, batch = 3;
  job result{"window_magnitude", batch, batch, noise(n * batch), {}};
  for (std::size_t b = 0; b < batch; ++b) {
    row x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = result.in[b * n + i] * welch(i, n);
    const row y = dft(x);
    for (std::size_t k = 0; k < window_magnitude::bins; ++k) {
      result.expected.push_back(float(std::abs(y[k])));
    }
  }
  return result;
}

/// Rows behind a filter's spectrum divided by n, of which bin(g) lies at g; and what the filter
/// makes of them, by the sum that defines a circular convolution.
template <class Bin>
job convolution(const char* name, std::size_t n, std::size_t batch, const Bin& bin) {
  const std::vector<float> filter = noise(2 * n);
  row h(n);
  for (std::size_t i = 0; i < n; ++i) h[i] = at(filter, i);
  const row spectrum = dft(h);
  job result{name, batch, batch, {}, {}};
  for (unsigned g = 0; g < n; ++g) append(result.in, spectrum[bin(g)] / double(n));
  const std::vector<float> rows = noise(2 * n * (batch + 1));
  result.in.insert(result.in.end(), rows.begin() + long(2 * n), rows.end());
  for (std::size_t b = 0; b < batch; ++b) {
    for (std::size_t i = 0; i < n; ++i) {
      std::complex<double> sum = 0;
      for (std::size_t j = 0; j < n; ++j) {
        sum += h[j] * at(result.in, (b + 1) * n + (i + n - j) % n);
      }
      append(result.expected, sum);
    }
  }
  return result;
}

inline job job_of(convolve) {
  constexpr unsigned threads = convolve::fft::threads;
  const scrambled::index_map map{log2_of(convolve::n / threads), log2_of(threads)};
  job result =
      convolution("convolve", convolve::n, 3, [&](unsigned g) { return map.dft_index(g); });
  result.workgroups = 2;
  return result;
}

inline job job_of(nabla_filter) {
  return convolution("nabla_filter", nabla_filter::n, 3, [](unsigned g) { return g; });
}

inline job job_of(padded_rows) {
  constexpr std::size_t n = padded_rows::n, valid = padded_rows::valid, batch = 6;
  job result{"padded_rows", batch, (batch + 3) / 4, noise(2 * valid * batch), {}};
  for (std::size_t b = 0; b < batch; ++b) {
    row x(n);
    for (std::size_t i = 0; i < valid; ++i) x[i] = at(result.in, b * valid + i);
    for (const auto z : dft(x)) append(result.expected, z);
  }
  return result;
}

inline job job_of(columns) {
  constexpr std::size_t n = columns::n, batch = columns::n_columns;
  job result{"columns", batch, (batch + 7) / 8, noise(2 * n * batch), {}};
  result.expected.resize(result.in.size());
  for (std::size_t c = 0; c < batch; ++c) {
    row x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = at(result.in, i * batch + c);
    const row y = dft(x);
    for (std::size_t k = 0; k < n; ++k) {
      result.expected[2 * (k * batch + c)] = float(y[k].real());
      result.expected[2 * (k * batch + c) + 1] = float(y[k].imag());
    }
  }
  return result;
}

inline job job_of(two_real_rows) {
  constexpr std::size_t n = two_real_rows::n, batch = 4;
  job result{"two_real_rows", batch, batch / 2, noise(n * batch), {}};
  for (std::size_t b = 0; b < batch; ++b) {
    const row y = dft(row(result.in.begin() + long(b * n), result.in.begin() + long((b + 1) * n)));
    append(result.expected, {y[0].real(), y[n / 2].real()});
    for (unsigned j = 1; j < n / 2; ++j) append(result.expected, y[two_real_rows::fft::bin_of(j)]);
  }
  return result;
}

inline job job_of(spectrogram) {
  constexpr std::size_t n = spectrogram::n, batch = 5;
  job result{"spectrogram", batch, (batch + 1) / 2, noise(spectrogram::hop * (batch - 1) + n), {}};
  for (std::size_t b = 0; b < batch; ++b) {
    row x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = result.in[b * spectrogram::hop + i] * welch(i, n);
    const row y = dft(x);
    for (std::size_t k = 0; k < spectrogram::bins; ++k) {
      result.expected.push_back(float(10 * std::log10(std::norm(y[k]) + 1e-12)));
    }
  }
  return result;
}

/// Returns the root of summed squared errors over that of summed squared values.
inline double relative_error(const job& reference, const std::vector<float>& got) {
  double error = 0, size = 0;
  for (std::size_t i = 0; i < reference.expected.size(); ++i) {
    const double off = double(got[i]) - double(reference.expected[i]);
    error += off * off;
    size += double(reference.expected[i]) * double(reference.expected[i]);
  }
  return std::sqrt(error / size);
}

/// Calls run(kernel, job) for every kernel; returns 1 and says so if any result is wrong.
template <class Run>
int check_all(const Run& run) {
  int code = 0;
  const auto check = [&](auto kernel) {
    const job given = job_of(kernel);
    const double error = relative_error(given, run(kernel, given));
    std::printf("%-16s off by %.1e\n", given.name.c_str(), error);
    if (!(error < 1e-6)) code = 1;
  };
  check(window_magnitude{});
  check(convolve{});
  check(nabla_filter{});
  check(padded_rows{});
  check(columns{});
  check(two_real_rows{});
  check(spectrogram{});
  return code;
}

}  // namespace example
