// SPDX-License-Identifier: Apache-2.0
// Whether a row has the same bits alone and among others.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>  // equal
#include <cstddef>    // byte, size_t
#include <span>       // as_bytes
#include <vector>

#include "request/traits.hpp"     // kinds
#include "support/signal.hpp"     // fill_noise
#include "wingbeat/wingbeat.hpp"  // buffer, plan, queue

namespace wingbeat::test {

/// Returns the output bytes of one run.
inline std::vector<std::byte> output_of(queue& on, const plan_spec& spec, const std::byte* input) {
  const plan planned{on, spec};
  buffer in{on, input_bytes(spec)}, out{on, output_bytes(spec)};
  in.write(input, in.size_bytes());
  planned.enqueue(on, in.view(), out.view());
  std::vector<std::byte> bytes(out.size_bytes());
  out.read(bytes.data(), bytes.size());
  return bytes;
}

template <class Real>
std::vector<std::byte> noise_bytes(std::size_t n_bytes) {
  std::vector<Real> numbers(n_bytes / sizeof(Real));
  fill_noise(numbers.data(), numbers.size(), /*seed=*/42);
  const auto bytes = std::as_bytes(std::span<const Real>{numbers});
  return {bytes.begin(), bytes.end()};
}

/// Returns how many of the first, the middle and the last transform of a batch have other bits
/// alone.
inline std::size_t n_other_alone(queue& on, plan_spec spec) {
  const std::size_t batch = spec.batch;
  const auto input = spec.real == precision::fp64 ? noise_bytes<double>(input_bytes(spec))
                                                  : noise_bytes<float>(input_bytes(spec));
  const auto together = output_of(on, spec, input.data());
  spec.batch = 1;
  const std::size_t in_bytes = input_bytes(spec), out_bytes = output_bytes(spec);
  std::size_t n_other = 0;
  for (const std::size_t row : {std::size_t{0}, batch / 2, batch - 1}) {
    const auto alone = output_of(on, spec, input.data() + row * in_bytes);
    n_other += std::equal(alone.begin(), alone.end(), together.data() + row * out_bytes) ? 0 : 1;
  }
  return n_other;
}

/// Expects equal bits of every kind in both precisions.
inline void expect_same_bits(const device_info& device, const std::vector<std::size_t>& lengths,
                             const std::vector<std::size_t>& batches) {
  queue on{device};
  for (const request::traits& kind : request::kinds) {
    for (const precision real : {precision::fp32, precision::fp64}) {
      for (const std::size_t n : lengths) {
        for (const std::size_t batch : batches) {
          const plan_spec spec{.lengths = {n}, .batch = batch, .kind = kind.kind, .real = real};
          EXPECT_EQ(n_other_alone(on, spec), 0U)
              << kind.name << " " << n << " x" << batch << ", " << name_of(real);
        }
      }
    }
  }
}

}  // namespace wingbeat::test
