// SPDX-License-Identifier: Apache-2.0
// Timeout: 300
// Nabla and scrambled order against the long double reference, permuted by the closed forms; the
// inverse back to natural order; products of spectra in either order. One std::thread for each
// thread, so that the thread sanitizer sees a missing barrier.
#include "wingbeat/device/workgroup/in_place.hpp"

#include <gtest/gtest.h>

#include "device/workgroup/fft_probe.hpp"  // run_fft
#include "support/oracle.hpp"              // dft
#include "support/sanitizer.hpp"           // sampled_types
#include "support/signal.hpp"              // noise
#include "support/tolerance.hpp"           // is_accurate
#include "wingbeat/device/factors.hpp"     // prime_factors, digits_reversed
#include "wingbeat/device/nabla.hpp"       // index_map
#include "wingbeat/device/scrambled.hpp"   // index_map

namespace {

using namespace wingbeat::device;
using namespace wingbeat::device::workgroup;
using namespace wingbeat::test;

template <order Order, unsigned Length, unsigned Elements, unsigned Transforms = 1,
          class Real = float, trade Trade = trade::whole, lanes Lanes = lanes::along_transform,
          unsigned BankBytes = 128, twiddling Twiddles = twiddling::apart>
struct description {
  using shape_type = shape<Length, Elements, Transforms>;
  using real = Real;
  static constexpr lanes neighbours = Lanes;
  template <direction Dir>
  using fft_type = fft<shape_type, Real, Dir, Order, memory<Trade, BankBytes>, Twiddles>;

  /// The bin that element g of the spectrum is.
  static unsigned bin(unsigned g) {
    const unsigned e = log2_of(Elements), w = log2_of(Length / Elements);
    if (Order == order::nabla) return wingbeat::device::nabla::index_map{e, w}.dft_index(g);
    if (!is_power_of_two(Length))
      return schedule{Order, Length, Elements}.scrambled_map().dft_index(g);
    return wingbeat::device::scrambled::index_map{e, w}.dft_index(g);
  }
};

/// Scrambled, of butterflies with their roots in them.
template <unsigned Length, unsigned Elements, unsigned Transforms = 1, class Real = float,
          trade Trade = trade::whole, lanes Lanes = lanes::along_transform,
          unsigned BankBytes = 128>
using fused = description<order::scrambled, Length, Elements, Transforms, Real, Trade, Lanes,
                          BankBytes, twiddling::fused>;

template <class Row>
Row part(const Row& x, std::size_t number, std::size_t n) {
  return Row(x.begin() + static_cast<std::ptrdiff_t>(number * n),
             x.begin() + static_cast<std::ptrdiff_t>((number + 1) * n));
}

template <class Description>
class workgroup_in_place : public ::testing::Test {};

constexpr auto nabla = order::nabla;
constexpr auto scrambled = order::scrambled;
constexpr auto across = lanes::across_transforms;
using descriptions = sampled_types<
    ::testing::Types<description<nabla, 2, 2>, description<nabla, 16, 2>, description<nabla, 64, 2>,
                     description<nabla, 512, 8>, description<nabla, 2048, 32>,
                     description<nabla, 512, 4, 2>, description<nabla, 1024, 16, 1, double>,
                     description<nabla, 512, 8, 1, float, trade::halves>,
                     description<nabla, 256, 4, 4, float, trade::whole, across>,
                     description<nabla, 256, 4, 1, float, trade::whole, lanes::along_transform, 0>,
                     description<scrambled, 2, 2>, description<scrambled, 8, 8>,
                     description<scrambled, 32, 2>, description<scrambled, 512, 16>,
                     description<scrambled, 8192, 32>, description<scrambled, 512, 8, 4>,
                     description<scrambled, 512, 16, 2, double, trade::halves>,
                     description<scrambled, 128, 8, 8, float, trade::whole, across>,
                     description<scrambled, 256, 8, 2, float, trade::halves, across, 0>>,
    ::testing::Types<description<nabla, 4, 2>, description<nabla, 16, 4>,
                     description<nabla, 128, 4>, description<nabla, 1024, 4>,
                     description<nabla, 2048, 8>, description<nabla, 4096, 16>,
                     description<nabla, 256, 8, 4, double>, description<scrambled, 16, 4>,
                     description<scrambled, 256, 4>, description<scrambled, 4096, 16>,
                     description<scrambled, 4096, 8>, description<scrambled, 1024, 16, 2, double>>>;
/// Lengths that are no powers of two: padded and not, one stage to four, several transforms.
using mixed_descriptions = sampled_types<
    ::testing::Types<description<scrambled, 15, 15>, description<scrambled, 36, 6>,
                     description<scrambled, 81, 3>, description<scrambled, 96, 6, 2>,
                     description<scrambled, 1000, 20, 2>, description<scrambled, 2197, 13>,
                     description<scrambled, 900, 30, 2, float, trade::halves>,
                     description<scrambled, 144, 12, 4, float, trade::whole, across>,
                     description<scrambled, 250, 10, 2, double, trade::halves, across, 0>>,
    ::testing::Types<description<scrambled, 3, 3>, description<scrambled, 96, 12>,
                     description<scrambled, 100, 10>, description<scrambled, 121, 11>,
                     description<scrambled, 343, 7>, description<scrambled, 1000, 10>,
                     description<scrambled, 1215, 15>, description<scrambled, 1800, 30>,
                     description<scrambled, 3600, 30, 1, double>>>;
TYPED_TEST_SUITE(workgroup_in_place, descriptions);

/// One stage to four, the last shorter than a thread's elements or as long.
using fused_descriptions =
    ::testing::Types<fused<8, 8>, fused<16, 4>, fused<32, 2>, fused<64, 16>, fused<512, 8>,
                     fused<2048, 16>, fused<4096, 32>, fused<512, 16, 2, double, trade::halves>,
                     fused<128, 8, 8, float, trade::whole, across>,
                     fused<256, 8, 2, float, trade::halves, across, 0>>;
template <class Description>
class workgroup_in_place_fused : public workgroup_in_place<Description> {};
TYPED_TEST_SUITE(workgroup_in_place_fused, fused_descriptions);

template <class Description>
class workgroup_in_place_mixed : public workgroup_in_place<Description> {};
TYPED_TEST_SUITE(workgroup_in_place_mixed, mixed_descriptions);

template <class Description>
void compare_forward() {
  using shape_type = typename Description::shape_type;
  using real = typename Description::real;
  using forward = typename Description::template fft_type<direction::forward>;
  constexpr unsigned n = shape_type::length;
  const auto x = noise<real>(n * shape_type::transforms, 11);
  const auto y = run_fft<forward, Description::neighbours>(x);
  for (std::size_t f = 0; f < shape_type::transforms; ++f) {
    const auto natural = dft(part(x, f, n), direction::forward);
    exact expected(n);
    for (unsigned g = 0; g < n; ++g) expected[g] = natural[Description::bin(g)];
    ASSERT_TRUE(is_accurate<real>(part(y, f, n), expected, n)) << "transform " << f;
  }
}

template <class Description>
void compare_inverse() {
  using shape_type = typename Description::shape_type;
  using real = typename Description::real;
  using inverse = typename Description::template fft_type<direction::inverse>;
  constexpr unsigned n = shape_type::length;
  const auto spectrum = noise<real>(n * shape_type::transforms, 12);
  auto ordered = spectrum;
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    const auto g = static_cast<unsigned>(i % n);
    ordered[i] = spectrum[i - g + Description::bin(g)];
  }
  const auto y = run_fft<inverse, Description::neighbours>(ordered);
  for (std::size_t f = 0; f < shape_type::transforms; ++f) {
    const auto expected = dft(part(spectrum, f, n), direction::inverse);
    ASSERT_TRUE(is_accurate<real>(part(y, f, n), expected, n)) << "transform " << f;
  }
}

TYPED_TEST(workgroup_in_place, forward_leaves_each_bin_where_the_map_says) {
  compare_forward<TypeParam>();
}
TYPED_TEST(workgroup_in_place, inverse_takes_that_order_back_to_natural) {
  compare_inverse<TypeParam>();
}
TYPED_TEST(workgroup_in_place_fused, forward_leaves_each_bin_where_the_map_says) {
  compare_forward<TypeParam>();
}
TYPED_TEST(workgroup_in_place_fused, inverse_takes_that_order_back_to_natural) {
  compare_inverse<TypeParam>();
}
TYPED_TEST(workgroup_in_place_mixed, forward_leaves_each_bin_where_the_map_says) {
  compare_forward<TypeParam>();
}
TYPED_TEST(workgroup_in_place_mixed, inverse_takes_that_order_back_to_natural) {
  compare_inverse<TypeParam>();
}

template <class Description, direction Dir, unsigned Live>
void compare_padded() {
  using shape_type = typename Description::shape_type;
  using fft_type = typename Description::template fft_type<Dir>;
  constexpr unsigned n = shape_type::length;
  auto x = noise<float>(n, 13);
  for (unsigned i = Live * shape_type::threads; i < n; ++i) x[i] = {};
  const auto y = run_fft<fft_type, Description::neighbours, Live>(x);
  exact expected(n);
  if (Dir == direction::forward) {
    const auto natural = dft(x, Dir);
    for (unsigned g = 0; g < n; ++g) expected[g] = natural[Description::bin(g)];
  } else {
    auto bins = x;
    for (unsigned g = 0; g < n; ++g) bins[Description::bin(g)] = x[g];
    expected = dft(bins, Dir);
  }
  ASSERT_TRUE(is_accurate<float>(y, expected, n));
}

TEST(workgroup_in_place_padded, leaves_out_zeros) {
  compare_padded<description<scrambled, 512, 16>, direction::forward, 2>();
  compare_padded<description<scrambled, 64, 8>, direction::forward, 5>();
  compare_padded<description<nabla, 512, 8, 1, float, trade::halves>, direction::forward, 3>();
  compare_padded<description<scrambled, 512, 16>, direction::inverse, 2>();
  compare_padded<fused<512, 16>, direction::forward, 7>();
  compare_padded<fused<2048, 16>, direction::forward, 8>();
}

TEST(workgroup_in_place_impulse, every_position) {
  using some = description<nabla, 64, 4>;
  using forward = some::fft_type<direction::forward>;
  for (unsigned position = 0; position < 64; ++position) {
    const auto x = impulse<float>(64, position);
    const auto natural = dft(x, direction::forward);
    exact expected(64);
    for (unsigned g = 0; g < 64; ++g) expected[g] = natural[some::bin(g)];
    ASSERT_TRUE(is_accurate<float>(run_fft<forward>(x), expected, 64)) << position;
  }
}

/// Returns the position of element g = l T + t behind the last stage: see schedule.hpp.
unsigned last_position(const schedule& plan, unsigned g) {
  const unsigned t = g % plan.threads(), l = g / plan.threads();
  if (plan.how == order::scrambled) return t * plan.elements_per_thread + l;
  return l / 2 * (2 * plan.threads()) + 2 * t + l % 2;
}

template <class Description>
void expect_bins_of_reversed_positions() {
  const schedule plan = Description::template fft_type<direction::forward>::plan;
  wingbeat::device::radix_list primes;
  for (unsigned stage = 0; stage < plan.count(); ++stage) {
    const auto factors = wingbeat::device::prime_factors(plan.radix(stage));
    for (unsigned i = 0; i < factors.count; ++i) primes.add(factors.radices[i]);
  }
  ASSERT_EQ(primes.product(), plan.length);
  for (unsigned g = 0; g < plan.length; ++g) {
    ASSERT_EQ(Description::bin(g), digits_reversed(last_position(plan, g), primes)) << g;
  }
}

TEST(workgroup_schedule, positions_end_with_the_bin_of_their_digits_reversed) {
  expect_bins_of_reversed_positions<description<nabla, 16, 2>>();
  expect_bins_of_reversed_positions<description<nabla, 2048, 8>>();
  expect_bins_of_reversed_positions<description<scrambled, 8, 8>>();
  expect_bins_of_reversed_positions<description<scrambled, 512, 16>>();
  expect_bins_of_reversed_positions<description<scrambled, 8192, 32>>();
  expect_bins_of_reversed_positions<description<scrambled, 1800, 30>>();
}

TEST(workgroup_schedule, is_possible_in_place_where_a_thread_has_the_primes_of_the_threads) {
  const auto can = [](unsigned n, unsigned elements) {
    return schedule{order::scrambled, n, elements}.is_possible();
  };
  EXPECT_TRUE(can(1000, 10) && can(1000, 20) && can(3600, 30) && can(13, 13) && can(4096, 2));
  EXPECT_FALSE(can(1000, 8)) << "125 threads";
  EXPECT_FALSE(can(77, 11)) << "7 threads";
  EXPECT_FALSE(can(84, 14 * 3)) << "42 is no radix";
  EXPECT_FALSE(can(28 * 4, 28)) << "nor is 28";
  EXPECT_FALSE((schedule{order::nabla, 96, 2}.is_possible()));
  EXPECT_TRUE((schedule{order::natural, 77, 11}.is_possible()));
}

TEST(workgroup_schedule, in_place_orders_pass_fewer_barriers_than_natural) {
  for (unsigned bits = 6; bits <= 14; ++bits) {
    for (unsigned e = 1; e <= 5 && e + 5 <= bits; ++e) {
      const unsigned n = 1u << bits, held = 1u << e;
      if (n / held > 1024) continue;
      const schedule natural{order::natural, n, held};
      const schedule by_nabla{order::nabla, n, held};
      const schedule by_scrambled{order::scrambled, n, held};
      const schedule fused_forward{order::scrambled, n, held, twiddling::fused, direction::forward};
      EXPECT_EQ(by_scrambled.exchanges(), natural.exchanges());
      EXPECT_LE(fused_forward.exchanges_beyond(32), natural.exchanges_beyond(32));
      EXPECT_LE(by_scrambled.exchanges_beyond(32), natural.exchanges_beyond(32));
      EXPECT_LE(by_nabla.exchanges_beyond(32), natural.exchanges_beyond(32)) << n << " " << held;
      EXPECT_LE(by_nabla.exchanges(), natural.exchanges() + 1);
      EXPECT_LE(by_nabla.barriers_beyond(32), natural.barriers_beyond(32)) << n << " " << held;
      if (n / held > 64) {
        EXPECT_LT(by_scrambled.barriers_beyond(32), natural.barriers_beyond(32));
      }
    }
  }
}

}  // namespace
