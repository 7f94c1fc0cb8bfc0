// SPDX-License-Identifier: Apache-2.0
// The four radix-2 variants, two of which take any length. Oracle: the definition. Bound: a few
// roundings of each stage.
#include <gtest/gtest.h>

#include <array>
#include <limits>  // numeric_limits
#include <set>

#include "reference/dft_by_definition.hpp"
#include "reference/iterative.hpp"
#include "reference/one_butterfly_per_thread.hpp"
#include "reference/recursive.hpp"
#include "reference/stage_vectorised.hpp"
#include "support/oracle.hpp"   // relative_l2
#include "support/refusal.hpp"  // refusal
#include "support/signal.hpp"   // fill_noise

namespace {

using namespace wingbeat::reference;
using wingbeat::test::refusal;

template <class Real>
row<Real> noise_row(std::size_t n) {
  row<Real> x(n);
  wingbeat::test::fill_noise(reinterpret_cast<Real*>(x.data()), 2 * n, /*seed=*/n);
  return x;
}

/// Checks one variant, `transform(x, roots)` in place, at one length.
template <class Real, class Transform>
void expect_agreement_at(std::size_t n, Transform transform) {
  for (const direction dir : {direction::forward, direction::inverse}) {
    const row<Real> x = noise_row<Real>(n);
    row<Real> got = x;
    transform(got, roots_of_unity<Real>(n_roots_of(n), n, dir));
    const long double error = wingbeat::test::relative_l2(got, dft_by_definition(x, dir));
    EXPECT_LE(error, 4 * std::numeric_limits<Real>::epsilon()) << "length " << n;
  }
}

/// The same at every power of two up to 2^9.
template <class Real, class Transform>
void expect_agreement(Transform transform) {
  for (std::size_t n = 2; n <= 512; n *= 2) expect_agreement_at<Real>(n, transform);
}

/// The same at lengths of all sorts, a prime and its square among them.
template <class Real, class Transform>
void expect_agreement_at_any_length(Transform transform) {
  for (const std::size_t n : {3, 5, 6, 7, 9, 12, 15, 17, 30, 49, 77, 91, 100, 169, 210, 289, 486}) {
    expect_agreement_at<Real>(n, transform);
  }
}

template <class Real>
class textbook : public ::testing::Test {};
using reals = ::testing::Types<float, double, long double>;
TYPED_TEST_SUITE(textbook, reals);

TYPED_TEST(textbook, recursive_agrees_with_the_definition) {
  expect_agreement<TypeParam>([](auto& x, const auto& roots) { x = recursive(x, roots); });
  expect_agreement_at_any_length<TypeParam>(
      [](auto& x, const auto& roots) { x = recursive(x, roots); });
}

TYPED_TEST(textbook, iterative_agrees_with_the_definition) {
  expect_agreement<TypeParam>([](auto& x, const auto& roots) { iterative(x, roots); });
  expect_agreement_at_any_length<TypeParam>(
      [](auto& x, const auto& roots) { iterative(x, roots); });
}

TYPED_TEST(textbook, stage_vectorised_agrees_with_the_definition) {
  expect_agreement<TypeParam>([](auto& x, const auto& roots) { stage_vectorised(x, roots); });
}

TYPED_TEST(textbook, one_butterfly_per_thread_agrees_with_the_definition) {
  expect_agreement<TypeParam>(
      [](auto& x, const auto& roots) { one_butterfly_per_thread(x, roots); });
}

TEST(textbook_radix_2, refuses_what_is_no_power_of_two) {
  row<double> x(12);
  const auto roots = roots_of_unity<double>(12, 12, direction::forward);
  EXPECT_EQ(refusal([&] { stage_vectorised(x, roots); }),
            "stage_vectorised takes powers of two alone and the row has 12 values; transform it by "
            "iterative, recursive or dft_by_definition");
  EXPECT_NE(refusal([&] { one_butterfly_per_thread(x, roots); }), "nothing was refused");
}

TEST(reverse_digits, orders_six_as_the_head_of_the_file_shows) {
  row<float> x;
  for (int j = 0; j < 6; ++j) x.emplace_back(j);
  reverse_digits(x, {2, 3});
  EXPECT_EQ(x, (row<float>{0, 2, 4, 1, 3, 5}));
}

TEST(reverse_bits, orders_eight_as_the_diagram_shows) {
  row<float> x;
  for (int j = 0; j < 8; ++j) x.emplace_back(j);
  reverse_bits(x);
  EXPECT_EQ(x, (row<float>{0, 4, 2, 6, 1, 5, 3, 7}));
}

TEST(butterfly_of, gives_eight_points_the_pairs_of_the_diagram) {
  const auto pair = [](std::size_t thread, std::size_t span) {
    const auto [home, target, root] = butterfly_of(thread, /*n_threads=*/4, span);
    return std::array{home, target, root};
  };
  using triple = std::array<std::size_t, 3>;
  EXPECT_EQ(pair(1, 1), (triple{2, 3, 0}));
  EXPECT_EQ(pair(1, 2), (triple{1, 3, 2}));
  EXPECT_EQ(pair(2, 2), (triple{4, 6, 0}));
  EXPECT_EQ(pair(3, 4), (triple{3, 7, 3}));
}

TEST(butterfly_of, touches_each_value_once_in_a_stage) {
  constexpr std::size_t n_threads = 64;
  for (std::size_t span = 1; span <= n_threads; span *= 2) {
    std::set<std::size_t> touched;
    for (std::size_t thread = 0; thread < n_threads; ++thread) {
      const auto [home, target, root] = butterfly_of(thread, n_threads, span);
      touched.insert({home, target});
      EXPECT_LT(root, n_threads);
    }
    EXPECT_EQ(touched.size(), 2 * n_threads);
    EXPECT_EQ(*touched.rbegin(), 2 * n_threads - 1);
  }
}

}  // namespace
