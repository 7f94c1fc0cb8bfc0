// SPDX-License-Identifier: Apache-2.0
// Functors on transforms of several axes: they get the elements that plain memory would have held,
// numbered flat, in whatever runs, and the result has the bits of the plain plan.
#include <gtest/gtest.h>

#include <atomic>
#include <complex>
#include <vector>

#include "backend/host/guarded_run.hpp"  // guarded_run, described
#include "request/resolved.hpp"          // resolved_spec

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

/// A load that copies packed memory, as a plan without functors reads it.
template <class Value>
fused_load copying_load(const plan_spec& spec, std::size_t n) {
  fused_load load;
  load.in_bytes = input_bytes(spec);
  load.element_bytes = sizeof(Value);
  load.callable = [n](const void* in, std::size_t row, std::size_t first, std::span<Value> into) {
    EXPECT_LE(first + into.size(), n) << "a run beyond its transform";
    const auto* const source = static_cast<const Value*>(in) + row * n + first;
    std::copy(source, source + into.size(), into.begin());
  };
  return load;
}

/// A store that copies, and counts how often it was given each element.
template <class Value>
fused_store copying_store(const plan_spec& spec, std::size_t n,
                          std::vector<std::atomic<int>>& stored) {
  fused_store store;
  store.out_bytes = output_bytes(spec);
  store.element_bytes = sizeof(Value);
  store.callable = [n, &stored](void* out, std::size_t row, std::size_t first,
                                std::span<const Value> values) {
    EXPECT_LE(first + values.size(), n) << "a run beyond its transform";
    std::copy(values.begin(), values.end(), static_cast<Value*>(out) + row * n + first);
    for (std::size_t i = 0; i < values.size(); ++i) ++stored[row * n + first + i];
  };
  return store;
}

template <class Real>
void check(const plan_spec& plain) {
  const std::size_t n_in = request::input_array(plain).elements();
  const std::size_t n_out = request::output_array(plain).elements();
  std::vector<std::atomic<int>> stored(n_out * plain.batch);
  plan_spec fused = plain;
  if (plain.kind == transform::forward_from_real) {
    fused.load = copying_load<Real>(plain, n_in);
  } else {
    fused.load = copying_load<std::complex<Real>>(plain, n_in);
  }
  if (plain.kind == transform::inverse_to_real) {
    fused.store = copying_store<Real>(plain, n_out, stored);
  } else {
    fused.store = copying_store<std::complex<Real>>(plain, n_out, stored);
  }
  std::vector<Real> input(input_bytes(plain) / sizeof(Real));
  fill_noise(input.data(), input.size(), 1);
  for (const auto& set : backend::host::supported_sets()) {
    SCOPED_TRACE(described(set, plain));
    for (auto& count : stored) count = 0;
    EXPECT_EQ(guarded_run(set, fused, input), guarded_run(set, plain, input));
    for (const auto& count : stored) ASSERT_EQ(count, 1) << "times an element was stored";
  }
}

TEST(host_fused_axes, give_the_bits_of_plain_memory) {
  for (const transform kind : {transform::forward, transform::inverse, transform::forward_from_real,
                               transform::inverse_to_real}) {
    for (const auto& lengths :
         std::vector<std::vector<std::size_t>>{{64}, {8, 32}, {128, 16}, {4, 8, 16}, {2, 2, 2}}) {
      check<float>({.lengths = lengths, .batch = {3, 7}, .kind = kind});
      check<double>({.lengths = lengths, .batch = 5, .kind = kind, .real = precision::fp64});
    }
    check<float>({.lengths = {16384, 4}, .kind = kind});
    check<float>({.lengths = {4, 32768}, .kind = kind});
  }
}

/// The plan is of fp16, its functors speak of fp32.
TEST(host_fused_axes, speak_of_fp32_where_numbers_are_narrow) {
  plan_spec spec{.lengths = {8, 16}, .batch = 3, .real = precision::fp32};
  const auto load = copying_load<std::complex<float>>(spec, 8 * 16);
  std::vector<float> input(input_bytes(spec) / 4);
  fill_noise(input.data(), input.size(), 1);
  const auto& set = backend::host::supported_sets().back();
  const auto expected = guarded_run(set, spec, input);
  std::vector<std::atomic<int>> stored(3 * 8 * 16);
  plan_spec narrow = spec;
  narrow.load = load;
  narrow.store = copying_store<std::complex<float>>(spec, 8 * 16, stored);
  narrow.real = precision::fp16;
  EXPECT_EQ(guarded_run(set, narrow, input), expected);
}

}  // namespace
