// SPDX-License-Identifier: Apache-2.0
// Lengths that are no powers of two, each kind, with every instruction set, against long double:
// in lanes, as matrices, longer than the cache. Memory is guarded and poisoned with NaN.
// Timeout: 300
#include "backend/host/rows/matrix_transform.hpp"

#include <gtest/gtest.h>

#include <algorithm>  // equal
#include <bit>        // has_single_bit

#include "backend/host/accurate_run.hpp"  // check_all_rows, check_kinds, check_impulses
#include "support/full_run.hpp"           // is_full_run
#include "wingbeat/good_length.hpp"       // good_length

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

/// Returns good lengths from `first` to `last` that are no powers of two; of those `every` one.
std::vector<std::size_t> mixed_lengths(std::size_t first, std::size_t last, std::size_t every = 1) {
  std::vector<std::size_t> lengths;
  std::size_t count = 0;
  for (std::size_t n = good_length(first); n <= last; n = good_length(n + 1)) {
    if (!std::has_single_bit(n) && count++ % every == 0) lengths.push_back(n);
  }
  return lengths;
}

template <class Real>
class mixed_lengths_on_host : public ::testing::Test {};
using reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(mixed_lengths_on_host, reals);

TYPED_TEST(mixed_lengths_on_host, agree_with_the_definition) {
  const std::size_t last = is_full_run() ? 4096 : 512;
  for (const std::size_t n : mixed_lengths(3, last, has_thread_sanitizer ? 16 : 1)) {
    check_kinds<TypeParam>(n, 1 + 256 / n);
  }
}

TYPED_TEST(mixed_lengths_on_host, agree_with_the_definition_beyond_the_caches) {
  const std::size_t last = is_full_run() ? 70000 : 40000;
  for (const std::size_t n : mixed_lengths(513, last, is_full_run() ? 3 : 67)) {
    check_kinds<TypeParam>(n, 1 + 256 / n);
  }
}

TYPED_TEST(mixed_lengths_on_host, may_have_larger_primes) {
  for (const std::size_t n : {187, 289, 434, 1271, 2032, 9248, 37888})
    check_kinds<TypeParam>(n, 1 + 256 / n);
}

TYPED_TEST(mixed_lengths_on_host, transform_each_row_of_a_batch) {
  for (const std::size_t batch : {2, 7, 33}) {
    for (const std::size_t n : {3, 15, 26, 100, 375, 1000}) {
      for (const transform kind : kinds) {
        check_all_rows<TypeParam>({.lengths = {n},
                                   .batch = batch,
                                   .kind = kind,
                                   .real = precision_of<TypeParam>,
                                   .scale = scaling::by_length},
                                  batch % 4);
      }
    }
  }
}

TYPED_TEST(mixed_lengths_on_host, give_a_row_the_same_bits_among_any_number_of_rows) {
  constexpr std::size_t batch = 19;  // whole vectors, and some rows beside them
  for (std::size_t n = 2; n <= (is_full_run() ? 1024 : 256); n = good_length(n + 1)) {
    for (const transform kind : {transform::forward, transform::inverse}) {
      plan_spec spec{.lengths = {n}, .batch = batch, .kind = kind, .real = precision_of<TypeParam>};
      const auto input = input_noise<TypeParam>(spec);
      for (const auto& set : checked_sets()) {
        spec.batch = batch;
        const auto whole = guarded_run(set, spec, input);
        for (const std::size_t count : {1, 2, 3, 7, 8, 12}) {
          spec.batch = count;
          const auto behind = static_cast<std::ptrdiff_t>(2 * n * (batch - count));
          const std::vector<TypeParam> last(input.begin() + behind, input.end());
          const auto rows = guarded_run(set, spec, last);
          ASSERT_TRUE(std::equal(rows.begin(), rows.end(), whole.begin() + behind))
              << described(set, spec);
        }
      }
    }
  }
}

TYPED_TEST(mixed_lengths_on_host, repeat_themselves_bit_for_bit) {
  for (const std::size_t n : {6, 143, 1000, 10125, 30030}) check_repeated<TypeParam>(n);
}

TYPED_TEST(mixed_lengths_on_host, transform_an_impulse_at_any_position) {
  if (has_thread_sanitizer) GTEST_SKIP() << "a test of values alone";
  for (const std::size_t n : {12, 77, 360, 1001}) check_impulses<TypeParam>(n, n < 100 ? 1 : 7);
}

}  // namespace
