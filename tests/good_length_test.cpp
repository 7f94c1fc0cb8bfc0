// SPDX-License-Identifier: Apache-2.0
// Good lengths, and the next one, against a search by trial division.
#include "wingbeat/good_length.hpp"

#include <gtest/gtest.h>

#include "support/refusal.hpp"  // refusal

namespace {

using namespace wingbeat;
using test::refusal;

static_assert(good_length(1002) == 1008);
static_assert(good_length(1001) == 1001, "7 x 11 x 13");
static_assert(good_length(1001, transform::forward_from_real) == 1008);
static_assert(good_length(0) == 2 && good_length(3, transform::inverse_to_real) == 4);
static_assert(good_length(max_length - 1) == max_length);
static_assert(good_length(37, transform::dct1) == 37 && good_length(1023, transform::dst1) == 1023);
static_assert(good_length(38, transform::dct1) == 40 && good_length(1024, transform::dst1) == 1028);
static_assert(good_length(0, transform::dct1) == 3 && good_length(0, transform::dst1) == 1);
static_assert(good_length(max_length, transform::dct1) == max_length, "2^28 + 1 is too long");
static_assert(good_length(max_length - 1, transform::dst1) == max_length - 1);
static_assert(good_length(max_length, transform::dst1) == max_length, "which no plan takes");
static_assert(is_good_length(2) && !is_good_length(1) && !is_good_length(0));
static_assert(!is_good_length(34) && !is_good_length(2 * max_length));

/// Returns whether n is a product of 2, 3, 5, 7, 11 and 13.
bool has_small_factors(std::size_t n) {
  for (const std::size_t prime : {2, 3, 5, 7, 11, 13}) {
    while (n % prime == 0) n /= prime;
  }
  return n == 1;
}

TEST(good_length, is_the_next_product_of_small_primes) {
  std::size_t next = 2, next_even = 2;
  for (std::size_t n = 2; n < 300'000; ++n) {
    next = std::max(next, n);
    next_even = std::max(next_even, n + n % 2);
    while (!has_small_factors(next)) ++next;
    while (!has_small_factors(next_even)) next_even += 2;
    ASSERT_EQ(good_length(n), next) << n;
    ASSERT_EQ(good_length(n, transform::inverse), next) << n;
    ASSERT_EQ(good_length(n, transform::forward_from_real), next_even) << n;
    ASSERT_EQ(is_good_length(n), next == n) << n;
    ASSERT_EQ(good_length(n + 1, transform::dct1), next + 1) << n;
    ASSERT_EQ(good_length(n - 1, transform::dst1), next - 1) << n;
    ASSERT_EQ(is_good_length(n + 1, transform::dct1), next == n) << n;
    ASSERT_EQ(is_good_length(n - 1, transform::dst1), next == n) << n;
  }
}

TEST(good_length, refuses_what_is_longer_than_any) {
  EXPECT_EQ(refusal([] { static_cast<void>(good_length(max_length + 1)); }),
            "good_length was given more than max_length, 2^28; choose a shorter length");
}

}  // namespace
