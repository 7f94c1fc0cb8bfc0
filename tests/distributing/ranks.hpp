// SPDX-License-Identifier: Apache-2.0
// A run on ranks beside one on one device.
#pragma once

#include <algorithm>    // max
#include <cmath>        // abs
#include <cstring>      // memcpy
#include <iterator>     // size
#include <type_traits>  // conditional_t
#include <vector>

#include "distributing/boxes.hpp"      // distances_of
#include "distributing/whole_run.hpp"  // whole_run
#include "support/signal.hpp"          // fill_noise
#include "wingbeat/device/bfloat.hpp"  // bfloat
#include "wingbeat/device/half.hpp"    // half_float

namespace wingbeat::test {

inline void fill_numbers(std::vector<std::byte>& bytes, precision real) {
  if (real == precision::fp16 || real == precision::bf16) {
    // Any bits of small numbers.
    constexpr unsigned bits[] = {0x3800, 0x3a40, 0xb900, 0x3bc0, 0xbaa0, 0x3100, 0xb4c0};
    std::size_t next = 0;
    for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
      next = (next * 5 + i + 3) % std::size(bits);
      bytes[i] = static_cast<std::byte>(bits[next] & 0xff);
      bytes[i + 1] = static_cast<std::byte>(bits[next] >> 8);
    }
  } else if (real == precision::fp64) {
    fill_noise(reinterpret_cast<double*>(bytes.data()), bytes.size() / sizeof(double), 1);
  } else {
    fill_noise(reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float), 1);
  }
}

/// Returns the largest difference of two arrays of numbers, relative to the largest number.
template <class Stored>
double difference(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  std::vector<Stored> x(a.size() / sizeof(Stored)), y(x.size());
  std::memcpy(x.data(), a.data(), a.size());
  std::memcpy(y.data(), b.data(), a.size());
  double most = 0, largest = 1e-30;
  using real = std::conditional_t<sizeof(Stored) == 2, float, Stored>;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double found = static_cast<real>(x[i]), wanted = static_cast<real>(y[i]);
    most = std::max(most, std::abs(found - wanted));
    largest = std::max(largest, std::abs(wanted));
  }
  return most / largest;
}

/// Returns the request whose input and output are packed elements within the ranges.
inline plan_spec packed_ranges(plan_spec spec, const distributed_plan& cut) {
  const auto pack = [](memory_layout& layout, const box& whole) {
    const std::vector<std::size_t> distances = distributing::distances_of(whole);
    layout.strides = {distances.begin() + 1, distances.end()};
    layout.origin = {whole.lower.begin() + 1, whole.lower.end()};
    layout.distances = {distances.front()};
  };
  if (!spec.valid_in.empty()) pack(spec.in, distributing::whole_box(cut.in_boxes()));
  if (!spec.valid_out.empty()) pack(spec.out, distributing::whole_box(cut.out_boxes()));
  return spec;
}

/// Runs a transform on ranks twice, and on the device of rank 0; returns how far they differ.
inline double difference_on(const domain& ranks, distributed_spec spec) {
  spec.may_use_one_device = false;
  distributing::whole_run cut{ranks, spec};
  queue on = ranks.at(0);
  const plan_spec& asked = spec.transform;
  const plan alone{on, packed_ranges(asked, cut.transforms())};
  std::vector<std::byte> in(input_bytes(alone.spec())), expected(output_bytes(alone.spec()));
  fill_numbers(in, asked.in.stored.value_or(asked.real));
  buffer alone_in{on, in.size()};
  const buffer alone_out{on, expected.size()};
  alone_in.write(in.data(), in.size());
  alone.enqueue(on, alone_in.view(), alone_out.view());
  alone_out.read(expected.data(), expected.size());
  cut.write(in);
  for (int repeat = 0; repeat < 2; ++repeat) cut.enqueue();
  cut.wait();
  switch (asked.out.stored.value_or(asked.real)) {
    case precision::fp64: return difference<double>(cut.read(), expected);
    case precision::fp16: return difference<device::half_float>(cut.read(), expected);
    case precision::bf16: return difference<device::bfloat>(cut.read(), expected);
    default: return difference<float>(cut.read(), expected);
  }
}

}  // namespace wingbeat::test
