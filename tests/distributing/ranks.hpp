// SPDX-License-Identifier: Apache-2.0
// A run on ranks beside one on one device.
#pragma once

#include <algorithm>  // max
#include <cmath>      // abs
#include <cstring>    // memcpy
#include <vector>

#include "distributing/whole_run.hpp"  // whole_run
#include "support/signal.hpp"          // fill_noise

namespace wingbeat::test {

inline void fill_numbers(std::vector<std::byte>& bytes, precision real) {
  if (real == precision::fp64) {
    fill_noise(reinterpret_cast<double*>(bytes.data()), bytes.size() / sizeof(double), 1);
  } else {
    fill_noise(reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float), 1);
  }
}

/// Returns the largest difference of two arrays of numbers, relative to the largest number.
template <class Real>
double difference(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  std::vector<Real> x(a.size() / sizeof(Real)), y(x.size());
  std::memcpy(x.data(), a.data(), a.size());
  std::memcpy(y.data(), b.data(), a.size());
  double most = 0, largest = 1e-30;
  for (std::size_t i = 0; i < x.size(); ++i) {
    most = std::max(most, std::abs(static_cast<double>(x[i]) - static_cast<double>(y[i])));
    largest = std::max(largest, std::abs(static_cast<double>(y[i])));
  }
  return most / largest;
}

/// Runs a transform on ranks twice, and on the device of rank 0; returns how far they differ.
inline double difference_on(const domain& ranks, distributed_spec spec) {
  spec.may_use_one_device = false;
  distributing::whole_run cut{ranks, spec};
  queue on = ranks.at(0);
  const plan alone{on, spec.transform};
  std::vector<std::byte> in(input_bytes(spec.transform)), expected(output_bytes(spec.transform));
  fill_numbers(in, spec.transform.real);
  buffer alone_in{on, in.size()};
  const buffer alone_out{on, expected.size()};
  alone_in.write(in.data(), in.size());
  alone.enqueue(on, alone_in.view(), alone_out.view());
  alone_out.read(expected.data(), expected.size());
  cut.write(in);
  for (int repeat = 0; repeat < 2; ++repeat) cut.enqueue();
  cut.wait();
  return spec.transform.real == precision::fp64 ? difference<double>(cut.read(), expected)
                                                : difference<float>(cut.read(), expected);
}

}  // namespace wingbeat::test
