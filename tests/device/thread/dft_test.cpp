// SPDX-License-Identifier: Apache-2.0
// Oracle: the definition of the DFT, summed in long double.
// Bound:  log2(N) rounded additions of inputs below 1, so a few epsilons.
#include "wingbeat/device/thread/dft.hpp"

#include <gtest/gtest.h>

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

TYPED_TEST(thread_dft, inverse_undoes_forward_up_to_length) {
  constexpr int n = TypeParam::value;
  const auto original = noise<float, n>(/*seed=*/1);
  auto x = original;
  dft<direction::forward>(x.at);
  dft<direction::inverse>(x.at);
  EXPECT_LE(max_error(x, n * original), n * rounding_bound<float>(n));
}

}  // namespace
