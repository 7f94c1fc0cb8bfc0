// SPDX-License-Identifier: Apache-2.0
// Lengths with large prime factors, each kind, with every instruction set, against long double: by
// the definition, convolved one by one, in lanes, as columns. Memory is guarded and poisoned.
// Timeout: 300
#include "backend/host/rows/chirp_transform.hpp"

#include <gtest/gtest.h>

#include "backend/host/accurate_run.hpp"  // check_kinds, check_impulses
#include "backend/host/placed_run.hpp"    // check_kinds_and_precisions
#include "support/full_run.hpp"           // sampled
#include "wingbeat/good_length.hpp"       // is_good_length

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

template <class Real>
class large_primes_on_host : public ::testing::Test {};
using reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(large_primes_on_host, reals);

TYPED_TEST(large_primes_on_host, agree_with_the_definition) {
  for (std::size_t n = 17; n < 150; n += n < 64 ? 1 : 3) {
    if (!is_good_length(n)) check_kinds<TypeParam>(n, 1 + 100 / n, scaling::by_sqrt_length);
  }
}

TYPED_TEST(large_primes_on_host, agree_with_the_definition_alone_and_in_lanes) {
  for (const std::size_t n : sampled<std::size_t>({131, 524}, {211, 1021})) {
    for (const std::size_t batch : {1, 2, 19})
      check_kinds<TypeParam>(n, batch, scaling::by_sqrt_length);
  }
  for (const std::size_t n : sampled<std::size_t>({1031, 2017, 4099}, {10007})) {
    check_kinds<TypeParam>(n, 1, scaling::by_sqrt_length);
  }
}

TYPED_TEST(large_primes_on_host, transform_an_impulse_at_any_position) {
  for (const std::size_t n : {17, 34, 127, 131}) {
    check_impulses<TypeParam>(n, 1 + n / 64, 4 * element_bound<TypeParam>);
  }
}

TEST(large_primes, are_convolved_by_rader_where_that_costs_less) {
  const auto& set = backend::host::supported_sets().back();
  const auto words_of = [&](std::size_t n) {
    return backend::host::chirp_transform<float>{set.kernels->fp32, n, 1}.explain();
  };
  EXPECT_NE(words_of(2017).find("by Rader's algorithm within 2016"), std::string::npos);
  EXPECT_NE(words_of(2027).find("by Bluestein's chirp"), std::string::npos);  // 2,026 = 2 x 1,013
}

TEST(large_primes_in_columns, are_lengths_of_columns) {
  for (const std::size_t n : {17, 131}) {
    for (const std::size_t batch : {3, 35}) {
      const memory_layout interleaved{.strides = {batch}, .distances = {1}};
      plan_spec spec{.lengths = {n}, .batch = batch};
      spec.in = interleaved;
      check_kinds_and_precisions(spec);
      spec.out = interleaved;
      check_kinds_and_precisions(spec);
    }
  }
}

}  // namespace
