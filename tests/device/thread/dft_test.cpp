// SPDX-License-Identifier: Apache-2.0
// Oracle: the definition of the DFT, summed in long double.
// Bound:  log2(N) rounded additions of inputs below 1, so a few epsilons.
// Laws:   bins of real inputs and of equal ones. Operations are counted by a
// number that counts.
#include "wingbeat/device/thread/dft.hpp"

#include <gtest/gtest.h>

#include <complex>  // conj
#include <limits>   // numeric_limits
#include <vector>

#include "support/oracle.hpp"        // dft, dft_by_definition, max_error
#include "support/signal.hpp"        // length, noise
#include "support/tolerance.hpp"     // rounding_bound
#include "wingbeat/device/half.hpp"  // half_float, half_pair
#include "wingbeat/device/thread/dft/fused.hpp"
#include "wingbeat/roots.hpp"  // root

namespace {

using namespace wingbeat::test;
using wingbeat::device::direction;
using wingbeat::device::opposite;
using wingbeat::device::thread::dft;
using wingbeat::device::thread::dft_of_reals;
using wingbeat::device::thread::dft_to_reals;

/// How a DFT is made: by `dft`, or of fused multiply-adds.
struct made_plainly {
  template <direction Dir, unsigned Live, class X>
  static void transform(X& x) {
    dft<Dir, Live>(x);
  }
};
struct made_fused {
  template <direction Dir, unsigned Live, class X>
  static void transform(X& x) {
    wingbeat::device::thread::fused_dft<Dir, Live>(x);
  }
};

template <class Length>
class thread_dft : public ::testing::Test {};

using lengths =
    ::testing::Types<length<1>, length<2>, length<3>, length<4>, length<5>, length<6>, length<7>,
                     length<8>, length<9>, length<10>, length<11>, length<12>, length<13>,
                     length<14>, length<15>, length<16>, length<17>, length<18>, length<19>,
                     length<20>, length<23>, length<24>, length<25>, length<27>, length<29>,
                     length<30>, length<31>, length<32>>;
TYPED_TEST_SUITE(thread_dft, lengths);

template <class Length>
class thread_fused_dft : public ::testing::Test {};
using powers_of_two = ::testing::Types<length<2>, length<4>, length<8>, length<16>, length<32>>;
TYPED_TEST_SUITE(thread_fused_dft, powers_of_two);

template <class Real, int N, direction Dir, class Made = made_plainly>
void compare_with_the_definition() {
  exact computed,
      all_expected;  // of all seeds, because the L2 bound is that of a mean
  for (int seed = 0; seed < 100; ++seed) {
    auto x = noise<Real, N>(seed);
    const auto expected = dft_by_definition<Dir>(x);
    Made::template transform<Dir, N>(x.values);
    ASSERT_LE(max_error(x, expected), rounding_bound<Real>(N)) << "seed " << seed;
    for (int k = 0; k < N; ++k) {
      computed.push_back(widened(x.values[k]));
      all_expected.push_back(expected[k]);
    }
  }
  EXPECT_LE(relative_l2(computed, all_expected), l2_bound<Real>(N));
}

TYPED_TEST(thread_dft, agrees_with_the_definition) {
  constexpr int n = TypeParam::value;
  compare_with_the_definition<float, n, direction::forward>();
  compare_with_the_definition<float, n, direction::inverse>();
  compare_with_the_definition<double, n, direction::forward>();
  compare_with_the_definition<double, n, direction::inverse>();
}
TYPED_TEST(thread_fused_dft, agrees_with_the_definition) {
  constexpr int n = TypeParam::value;
  compare_with_the_definition<float, n, direction::forward, made_fused>();
  compare_with_the_definition<float, n, direction::inverse, made_fused>();
  compare_with_the_definition<double, n, direction::forward, made_fused>();
}

/// Known zeros are not read: NaN stands in their places. The DFT is linear, so
/// that fewer live inputs stay within the bound of all.
template <int N, direction Dir, class Made = made_plainly, int Live = 1>
void compare_with_live_inputs() {
  auto x = noise<float, N>(/*seed=*/Live);
  for (int j = Live; j < N; ++j) x.values[j] = {};
  const auto expected = dft_by_definition<Dir>(x);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (int j = Live; j < N; ++j) x.values[j] = {nan, nan};
  Made::template transform<Dir, Live>(x.values);
  const bool is_within = max_error(x, expected) <= rounding_bound<float>(N);  // false for NaN
  ASSERT_TRUE(is_within) << Live << " of " << N << ": " << max_error(x, expected);
  constexpr bool is_long = N > 16 && N < 32;  // of which every seventh number does, and the last
  constexpr int next = is_long && Live + 7 <= N ? Live + 7 : Live + 1;
  if constexpr (Live < N) compare_with_live_inputs<N, Dir, Made, next>();
}

TYPED_TEST(thread_dft, leaves_out_inputs_known_to_be_zeros) {
  compare_with_live_inputs<TypeParam::value, direction::forward>();
  compare_with_live_inputs<TypeParam::value, direction::inverse>();
}
TYPED_TEST(thread_fused_dft, leaves_out_inputs_known_to_be_zeros) {
  compare_with_live_inputs<TypeParam::value, direction::forward, made_fused>();
}

/// Of real inputs, bins k and N - k are conjugates; of equal inputs, bins but 0
/// are zeros. Exactly.
template <class Real, int N, direction Dir, class Made = made_plainly>
void expect_symmetries() {
  auto x = noise<Real, N>(/*seed=*/3);
  for (int j = 0; j < N; ++j) x.values[j].im = 0;
  Made::template transform<Dir, N>(x.values);
  for (int k = 0; k < N; ++k) {
    EXPECT_EQ(x.values[k].re, x.values[(N - k) % N].re) << k << " of " << N;
    EXPECT_EQ(x.values[k].im, -x.values[(N - k) % N].im) << k << " of " << N;
  }
  for (int j = 0; j < N; ++j) x.values[j] = {Real(0.3), Real(-0.7)};
  Made::template transform<Dir, N>(x.values);
  for (int k = 1; k < N; ++k) {
    EXPECT_EQ(x.values[k].re, 0) << k << " of " << N;
    EXPECT_EQ(x.values[k].im, 0) << k << " of " << N;
  }
}

TYPED_TEST(thread_dft, keeps_symmetries_exactly) {
  constexpr int n = TypeParam::value;
  expect_symmetries<float, n, direction::forward>();
  expect_symmetries<float, n, direction::inverse>();
  expect_symmetries<double, n, direction::forward>();
  expect_symmetries<double, n, direction::inverse>();
}
TYPED_TEST(thread_fused_dft, keeps_symmetries_exactly) {
  expect_symmetries<float, TypeParam::value, direction::forward, made_fused>();
  expect_symmetries<double, TypeParam::value, direction::inverse, made_fused>();
}

/// Inputs q times w^(q k), w of order `prior` N, in the butterflies of a stage.
template <class Real, int N, direction Dir>
void compare_twiddled() {
  constexpr unsigned prior = 12;
  constexpr std::size_t order = std::size_t{prior} * N;
  std::vector<wingbeat::device::complex<Real>> stage;  // [row][k]
  for (unsigned q = 1; q < N; q *= 2) {
    for (unsigned k = 0; k < prior; ++k) {
      const auto w = wingbeat::root(q * k, order);
      stage.push_back({Real(w.real()), Real(w.imag())});
    }
  }
  exact outputs, all_expected;
  for (unsigned k = 0; k < prior; ++k) {
    auto x = noise<Real, N>(/*seed=*/k);
    exact turned(N), expected(N);
    for (int q = 0; q < N; ++q) {
      const auto w = wingbeat::root(q * k, order);
      turned[q] = widened(x.values[q]) * (Dir == direction::forward ? w : std::conj(w));
    }
    expected = wingbeat::test::dft(turned, Dir);
    wingbeat::device::thread::fused_stage<Dir, prior, N>(x.values, stage.data(), k);
    ASSERT_LE(max_error(x, expected), rounding_bound<Real>(N)) << "k = " << k;
    for (const auto& z : x.values) outputs.push_back(widened(z));
    all_expected.insert(all_expected.end(), expected.begin(), expected.end());
  }
  // of one doubling more: inputs are rotated
  EXPECT_LE(relative_l2(outputs, all_expected), l2_bound<Real>(2 * N));
}

TYPED_TEST(thread_fused_dft, multiplies_by_the_roots_of_a_stage) {
  constexpr int n = TypeParam::value;
  compare_twiddled<float, n, direction::forward>();
  compare_twiddled<float, n, direction::inverse>();
  compare_twiddled<double, n, direction::inverse>();
}

/// Of reals the bins up to N/2, which NaN elsewhere does not reach, and the way back.
template <class Real, int N, direction Dir>
void compare_reals() {
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  auto reals = noise<Real, N>(/*seed=*/5);
  for (auto& z : reals.values) z.im = 0;
  auto x = reals;
  for (auto& z : x.values) z.im = nan;
  dft_of_reals<Dir>(x.values);
  const auto expected = dft_by_definition<Dir>(reals);
  exact bins(expected.begin(), expected.begin() + N / 2 + 1), made;
  for (int k = 0; k <= N / 2; ++k) made.push_back(widened(x.values[k]));
  ASSERT_LE(relative_l2(made, bins), l2_bound<Real>(N)) << N << " reals";
  EXPECT_EQ(x.values[0].im, 0);

  x.values[0].im = nan;
  for (int k = N / 2 + 1; k < N; ++k) x.values[k] = {nan, nan};
  dft_to_reals<opposite(Dir)>(x.values);
  exact back, times_n;
  for (int j = 0; j < N; ++j) {
    back.push_back(widened(x.values[j]));
    times_n.push_back(static_cast<long double>(N) * widened(reals.values[j]));
  }
  EXPECT_LE(relative_l2(back, times_n), 2 * l2_bound<Real>(N)) << N << " reals";
}

template <int N>
void compare_reals_of() {
  compare_reals<float, N, direction::forward>();
  compare_reals<float, N, direction::inverse>();
  compare_reals<double, N, direction::forward>();
  compare_reals<double, N, direction::inverse>();
}

TEST(thread_dft_of_reals, agrees_with_the_definition) {
  compare_reals_of<3>();
  compare_reals_of<5>();
  compare_reals_of<7>();
  compare_reals_of<11>();
  compare_reals_of<13>();
  compare_reals_of<17>();
  compare_reals_of<19>();
  compare_reals_of<23>();
  compare_reals_of<29>();
  compare_reals_of<31>();
}

/// Two signals at once in fp16, of which each number is rounded to 11 bits: as
/// float with a bound of that rounding.
TYPED_TEST(thread_dft, makes_two_transforms_at_once_in_fp16) {
  constexpr int n = TypeParam::value;
  using wingbeat::device::half_float;
  using wingbeat::device::half_pair;
  const auto first = noise<float, n>(1), second = noise<float, n>(2);
  wingbeat::device::complex<half_pair> x[n];
  for (int j = 0; j < n; ++j) {
    x[j] = {half_pair{half_float(first.values[j].re), half_float(second.values[j].re)},
            half_pair{half_float(first.values[j].im), half_float(second.values[j].im)}};
  }
  dft<direction::forward>(x);
  exact of_first, of_second;
  for (const auto& z : x) {
    of_first.emplace_back(float(z.re.first()), float(z.im.first()));
    of_second.emplace_back(float(z.re.second()), float(z.im.second()));
  }
  constexpr long double bound = n > 16 ? 1.2e-3L : 1e-3L;
  EXPECT_LT(relative_l2(of_first, dft_by_definition<direction::forward>(first)), bound);
  EXPECT_LT(relative_l2(of_second, dft_by_definition<direction::forward>(second)), bound);
}

/// A number that counts: a sum with a product is one operation, as are a sum
/// and a product alone.
struct counted {
  counted() = default;
  explicit counted(double) {}
  static inline unsigned operations = 0;
};
struct product {
  operator counted() const {
    ++counted::operations;
    return {};
  }
};
product operator*(counted, counted) {
  return {};
}
counted operator+(counted, counted) {
  return ++counted::operations, counted{};
}
counted operator-(counted, counted) {
  return ++counted::operations, counted{};
}
counted operator+(counted, product) {
  return ++counted::operations, counted{};
}
counted operator+(product, product) {
  return counted::operations += 2, counted{};
}
counted operator-(product, product) {
  return counted::operations += 2, counted{};
}
counted operator-(counted z) {
  return z;
}  // its sign joins the operation that follows

template <int N, class Made = made_plainly>
unsigned operations_of() {
  wingbeat::device::complex<counted> x[N];
  counted::operations = 0;
  Made::template transform<direction::forward, N>(x);
  return counted::operations;
}

/// Of a stage with roots.
template <int N>
unsigned twiddled_operations_of() {
  wingbeat::device::complex<counted> x[N], power[wingbeat::device::log2_of(N)];
  counted::operations = 0;
  wingbeat::device::thread::twiddled_dft<direction::forward>(x, power);
  return counted::operations;
}

TEST(thread_fused_dft_operations, are_those_that_the_header_states) {
  EXPECT_EQ((operations_of<2, made_fused>()), 4u);
  EXPECT_EQ((operations_of<4, made_fused>()), 16u);
  EXPECT_EQ((operations_of<8, made_fused>()), 52u);
  EXPECT_EQ((operations_of<16, made_fused>()), 148u);
  EXPECT_EQ((operations_of<32, made_fused>()), 388u);
  EXPECT_EQ(twiddled_operations_of<2>(), 6u);
  EXPECT_EQ(twiddled_operations_of<4>(), 24u);
  EXPECT_EQ(twiddled_operations_of<8>(), 76u);
  EXPECT_EQ(twiddled_operations_of<16>(), 208u);
  EXPECT_EQ(twiddled_operations_of<32>(), 524u);
}

TEST(thread_dft_operations, are_those_that_the_header_states) {
  EXPECT_EQ(operations_of<2>(), 4u);
  EXPECT_EQ(operations_of<3>(), 12u);
  EXPECT_EQ(operations_of<4>(), 16u);
  EXPECT_EQ(operations_of<5>(), 32u);
  EXPECT_EQ(operations_of<6>(), 36u);
  EXPECT_EQ(operations_of<7>(), 60u);
  EXPECT_EQ(operations_of<8>(), 56u);
  EXPECT_EQ(operations_of<9>(), 80u);
  EXPECT_EQ(operations_of<10>(), 84u);
  EXPECT_EQ(operations_of<11>(), 140u);
  EXPECT_EQ(operations_of<12>(), 96u);
  EXPECT_EQ(operations_of<13>(), 168u);
  EXPECT_EQ(operations_of<14>(), 148u);
  EXPECT_EQ(operations_of<15>(), 156u);
  EXPECT_EQ(operations_of<16>(), 160u);
  EXPECT_EQ(operations_of<17>(), 320u);
  EXPECT_EQ(operations_of<18>(), 196u);
  EXPECT_EQ(operations_of<19>(), 396u);
  EXPECT_EQ(operations_of<20>(), 208u);
  EXPECT_EQ(operations_of<23>(), 572u);
  EXPECT_EQ(operations_of<24>(), 264u);
  EXPECT_EQ(operations_of<25>(), 384u);
  EXPECT_EQ(operations_of<27>(), 380u);
  EXPECT_EQ(operations_of<29>(), 896u);
  EXPECT_EQ(operations_of<30>(), 372u);
  EXPECT_EQ(operations_of<31>(), 1020u);
}

TYPED_TEST(thread_dft, inverse_undoes_forward_up_to_length) {
  constexpr int n = TypeParam::value;
  const auto original = noise<float, n>(/*seed=*/1);
  auto x = original;
  dft<direction::forward>(x.values);
  dft<direction::inverse>(x.values);
  EXPECT_LE(max_error(x, n * original), n * rounding_bound<float>(n));
}

}  // namespace
