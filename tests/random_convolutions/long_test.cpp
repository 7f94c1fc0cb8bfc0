// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 600
// Random long convolutions and their gradients against their sums. Variables of the environment are
// those of expect_right.hpp: request i is drawn from seed WINGBEAT_RANDOM_SEED + i.
#include <gtest/gtest.h>

#include <cstdint>  // uint64_t
#include <cstdio>   // printf

#include "convolving/long_check.hpp"  // check_long
#include "support/dice.hpp"           // dice
#include "support/environment.hpp"    // from_environment
#include "support/on_engine.hpp"      // on_engine, all_engines, engine_name
#include "support/share.hpp"          // has_time

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

/// Returns a request that every engine must accept. The same seed gives the same one everywhere.
long_convolution_spec random_request(std::uint64_t seed, bool has_fp64) {
  constexpr precision precisions[] = {precision::fp32, precision::fp16, precision::bf16,
                                      precision::fp64};
  constexpr std::size_t lengths[] = {9, 300, 300, 9000};
  dice roll{seed};
  long_convolution_spec spec;
  spec.length = roll.between(1, roll.one_of(lengths));
  const bool is_causal = roll.one_in(2);
  spec.aligned = is_causal ? kernel_alignment::causal : kernel_alignment::centred;
  const std::size_t most = is_causal ? spec.length : 2 * spec.length - 1;
  if (!roll.one_in(3)) spec.kernel = roll.between(1, roll.one_in(2) ? (most + 9) / 10 : most);
  spec.channels = roll.between(1, 3);
  spec.batch = roll.between(1, 5);
  spec.stored = precisions[roll.below(has_fp64 ? 4 : 3)];
  if (spec.stored != precision::fp64 && roll.one_in(2))
    spec.kernel_stored = precisions[roll.below(3)];
  spec.has_gate_before = roll.one_in(2);
  spec.has_gate_after = roll.one_in(2);
  spec.has_skip = roll.one_in(2);
  spec.is_ragged = roll.one_in(2);
  spec.has_gradients = !roll.one_in(3);
  spec.is_paired = !roll.one_in(3);
  if (spec.stored == precision::fp16 && roll.one_in(2)) spec.arithmetic = arithmetic::tensor;
  if (spec.stored == precision::bf16 && roll.one_in(4)) spec.arithmetic = arithmetic::plain;
  return spec;
}

class random_long_convolutions : public on_engine {};

TEST_P(random_long_convolutions, are_right) {
  const std::uint64_t count = GetParam() == engine::opencl ? 1 : 60;
  const std::uint64_t n_requests = from_environment("WINGBEAT_RANDOM_PLANS", count);
  const std::uint64_t first = from_environment("WINGBEAT_RANDOM_SEED", 1);
  std::uint64_t seed = first;
  for (; seed < first + n_requests && !HasFailure() && has_time(); ++seed) {
    SCOPED_TRACE(::testing::Message() << "WINGBEAT_RANDOM_SEED=" << seed);
    check_long(*on, random_request(seed, on->device().has_fp64));
  }
  std::printf("%s: long convolutions of seeds %llu to %llu\n", on->device().name.c_str(),
              static_cast<unsigned long long>(first), static_cast<unsigned long long>(seed - 1));
}

INSTANTIATE_TEST_SUITE_P(engines, random_long_convolutions, all_engines(), engine_name);

}  // namespace
