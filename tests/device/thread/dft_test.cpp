// SPDX-License-Identifier: Apache-2.0
// Oracle: the definition of the DFT, summed in long double.
// Bound:  log2(N) rounded additions of inputs below 1, so a few epsilons.
#include "wingbeat/device/thread/dft.hpp"

#include <gtest/gtest.h>

#include <limits>  // numeric_limits

#include "support/oracle.hpp"     // dft_by_definition, max_error
#include "support/signal.hpp"     // length, noise
#include "support/tolerance.hpp"  // rounding_bound

namespace {

using namespace wingbeat::test;
using wingbeat::device::direction;
using wingbeat::device::thread::dft;

template <class Length>
class thread_dft : public ::testing::Test {};

using lengths =
    ::testing::Types<length<1>, length<2>, length<4>, length<8>, length<16>, length<32>>;
TYPED_TEST_SUITE(thread_dft, lengths);

template <class Real, int N, direction Dir>
void compare_with_the_definition() {
  for (int seed = 0; seed < 100; ++seed) {
    auto x = noise<Real, N>(seed);
    const auto expected = dft_by_definition<Dir>(x);
    dft<Dir>(x.at);
    ASSERT_LE(max_error(x, expected), rounding_bound<Real>(N)) << "seed " << seed;
  }
}

TYPED_TEST(thread_dft, agrees_with_the_definition) {
  constexpr int n = TypeParam::value;
  compare_with_the_definition<float, n, direction::forward>();
  compare_with_the_definition<float, n, direction::inverse>();
  compare_with_the_definition<double, n, direction::forward>();
  compare_with_the_definition<double, n, direction::inverse>();
}

/// Known zeros are not read: NaN stands in their places. The DFT is linear, so that fewer live
/// inputs stay within the bound of all.
template <int N, direction Dir, int Live = 1>
void compare_with_live_inputs() {
  auto x = noise<float, N>(/*seed=*/Live);
  for (int j = Live; j < N; ++j) x.at[j] = {};
  const auto expected = dft_by_definition<Dir>(x);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (int j = Live; j < N; ++j) x.at[j] = {nan, nan};
  dft<Dir, Live>(x.at);
  const bool is_within = max_error(x, expected) <= rounding_bound<float>(N);  // false for NaN
  ASSERT_TRUE(is_within) << Live << " of " << N << ": " << max_error(x, expected);
  if constexpr (Live < N) compare_with_live_inputs<N, Dir, Live + 1>();
}

TYPED_TEST(thread_dft, leaves_out_inputs_known_to_be_zeros) {
  compare_with_live_inputs<TypeParam::value, direction::forward>();
  compare_with_live_inputs<TypeParam::value, direction::inverse>();
}

TYPED_TEST(thread_dft, inverse_undoes_forward_up_to_length) {
  constexpr int n = TypeParam::value;
  const auto original = noise<float, n>(/*seed=*/1);
  auto x = original;
  dft<direction::forward>(x.at);
  dft<direction::inverse>(x.at);
  EXPECT_LE(max_error(x, n * original), n * rounding_bound<float>(n));
}

}  // namespace
