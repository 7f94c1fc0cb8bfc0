// SPDX-License-Identifier: Apache-2.0
// Natural order of lengths that are no powers of two: every length up to 128 whose primes are 13 at
// most, of advised shapes, and shapes in which threads are idle, hold more numbers than elements or
// return elements in the end; against the long double definition.
#include "wingbeat/device/workgroup/stockham.hpp"

#include <gtest/gtest.h>

#include <limits>   // numeric_limits
#include <utility>  // index_sequence

#include "device/workgroup/fft_probe.hpp"  // run_fft
#include "support/oracle.hpp"              // dft
#include "support/sanitizer.hpp"           // has_sanitizer
#include "support/signal.hpp"              // noise
#include "support/tolerance.hpp"           // is_accurate
#include "wingbeat/device/workgroup/advise.hpp"

namespace {

using namespace wingbeat::device;
using namespace wingbeat::device::workgroup;
using namespace wingbeat::test;

constexpr auto along = lanes::along_transform;
constexpr auto across = lanes::across_transforms;

/// Compares all transforms of a workgroup, of which elements from `Live` threads on are zeros and
/// NaN in memory.
template <class Fft, lanes Lanes = along, unsigned Live = Fft::elements_per_thread>
void compare() {
  using value = typename Fft::value_type;
  using real = decltype(value{}.re);
  constexpr std::size_t n = Fft::length;
  SCOPED_TRACE(::testing::Message() << n << ", " << Fft::elements_per_thread << " elements, "
                                    << Fft::transforms << " transforms, " << Live << " live");
  auto x = noise<real>(n * Fft::transforms, 7);
  auto padded = x;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i % n < std::size_t{Live} * Fft::threads) continue;
    x[i] = {std::numeric_limits<real>::quiet_NaN(), 0};
    padded[i] = {};
  }
  const auto y = run_fft<Fft, Lanes, Live>(x);
  for (std::size_t f = 0; f < Fft::transforms; ++f) {
    const std::vector<value> one(padded.begin() + f * n, padded.begin() + (f + 1) * n);
    const std::vector<value> got(y.begin() + f * n, y.begin() + (f + 1) * n);
    ASSERT_TRUE(is_accurate<real>(got, dft(one, Fft::dir), n)) << "transform " << f;
  }
}

template <unsigned N, unsigned E, unsigned F = 1, class Real = float, trade Trade = trade::whole,
          lanes Lanes = along, unsigned BankBytes = 128, twiddling Twiddles = twiddling::apart>
void compare_both() {
  using memory_type = memory<Trade, BankBytes>;
  constexpr auto order = order::natural;
  compare<fft<shape<N, E, F>, Real, direction::forward, order, memory_type, Twiddles>, Lanes>();
  if constexpr (!has_sanitizer) {
    compare<fft<shape<N, E, F>, Real, direction::inverse, order, memory_type, Twiddles>, Lanes>();
  }
}
template <unsigned N, unsigned E, unsigned F = 1, class Real = float, trade Trade = trade::whole,
          lanes Lanes = along>
void compare_fused() {
  compare_both<N, E, F, Real, Trade, Lanes, 128, twiddling::fused>();
}

/// Of an advised shape; the direction, the precision and the lanes take turns.
template <unsigned N>
void compare_advised() {
  using wingbeat::device::is_power_of_two;
  using wingbeat::device::is_product_of_radices;
  if constexpr (is_product_of_radices(N) && !is_power_of_two(N)) {
    constexpr auto advice = advise(N, sizeof(float), {64});
    static_assert(advice.is_valid());
    constexpr unsigned transforms = advice.transforms > 4 ? 4 : advice.transforms;
    using shape_type = shape<N, advice.elements_per_thread, transforms>;
    if constexpr (N % 3 == 0) {
      compare<fft<shape_type, float, direction::forward>>();
    } else if constexpr (N % 5 == 0) {
      compare<fft<shape_type, double, direction::inverse>, across>();
    } else {
      compare<fft<shape_type, float, direction::inverse, order::natural, memory<trade::halves>>>();
    }
  }
}

template <unsigned First, std::size_t... I>
void compare_each(std::index_sequence<I...>) {
  (compare_advised<First + unsigned(I)>(), ...);
}

TEST(stockham, transforms_every_length_up_to_64) {
  compare_each<3>(std::make_index_sequence<62>{});
}

TEST(stockham, transforms_every_length_up_to_128) {
  compare_each<65>(std::make_index_sequence < has_sanitizer ? 8 : 64 > {});
}

TEST(stockham, transforms_long_rows) {
  compare_both<1000, 10>();
  compare_both<1200, 10, 1, double>();
  compare_both<1536, 16>();
  compare_both<2187, 9>();
  compare_both<2400, 15, 1, float, trade::halves>();
  compare_both<3000, 15>();
  compare<fft<shape<3125, 25>, float, direction::forward>>();
  compare_both<3600, 15, 1, double, trade::halves>();
  compare<fft<shape<3840, 16>, float, direction::inverse>>();
  compare<fft<shape<4000, 20>, float, direction::forward>>();
  compare<fft<shape<4095, 15>, float, direction::inverse>>();
  compare<fft<shape<5000, 20>, float, direction::forward>>();
}

/// Shapes whose last radix does not divide the elements of a thread, whose stages leave threads
/// idle, whose threads straddle subgroups, with every kind of lane, trade and bank.
TEST(stockham, transforms_uneven_shapes) {
  compare_both<1001, 13>();
  compare_both<1001, 7, 1, double, trade::halves>();
  compare_both<210, 10, 4>();
  compare_both<210, 14, 2, float, trade::halves>();
  compare_both<60, 4, 8>();
  compare_both<60, 30, 8>();
  compare_both<240, 15, 4, float, trade::whole, across>();
  compare_both<240, 12, 2, double, trade::whole, across>();
  compare_both<96, 12, 16, float, trade::whole, across>();
  compare_both<96, 24, 4, float, trade::halves, across>();
  compare_both<360, 8, 2>();
  compare_both<720, 12, 2, float, trade::whole, along, 0>();
  compare_both<720, 10, 2, double, trade::halves, across, 0>();
  compare_both<1500, 30, 1>();
  compare_both<1300, 26, 1, double>();
}

/// Of powers of two, and of other lengths, whose stages of other radices are as they were.
TEST(stockham, has_roots_in_its_butterflies) {
  compare_fused<64, 8>();
  compare_fused<512, 32, 2>();
  compare_fused<2048, 16, 1, double>();
  compare_fused<256, 8, 4, float, trade::halves, across>();
  compare_fused<96, 12, 2>();
  compare_fused<720, 12, 2>();
}

TEST(stockham, leaves_out_zeros) {
  constexpr auto forward = direction::forward;
  compare<fft<shape<1000, 10>, float, forward>, along, 5>();
  compare<fft<shape<256, 16>, float, forward, order::natural, memory<>, twiddling::fused>, along,
          9>();
  compare<fft<shape<210, 10, 2>, float, forward>, along, 3>();
  compare<fft<shape<240, 30, 2>, double, forward>, across, 17>();
  compare<fft<shape<45, 9, 4>, float, forward>, along, 4>();
  compare<fft<shape<26, 13, 4>, float, forward>, across, 7>();
  compare<fft<shape<15, 15, 4>, float, forward>, across, 1>();
}

/// Exact zeros in all bins but 0 of equal inputs, as powers of two have.
TEST(stockham, equal_inputs_leave_exact_zeros) {
  using fft_type = fft<shape<1200, 10>, float, direction::forward>;
  const std::vector<complex<float>> x(1200, {0.3F, -0.7F});
  const auto y = run_fft<fft_type>(x);
  for (std::size_t k = 1; k < y.size(); ++k) {
    ASSERT_EQ(y[k].re, 0) << k;
    ASSERT_EQ(y[k].im, 0) << k;
  }
}

/// Threads that change lanes at an exchange, of the transforms of a workgroup.
template <unsigned N, unsigned E, unsigned F, lanes From, lanes To>
void compare_between() {
  using fft_type = fft<shape<N, E, F>, float, direction::forward>;
  using wingbeat::emulated_group;
  const auto x = noise<float>(N * F, 3);
  std::vector<complex<float>> y(x.size());
  const auto table = wingbeat::roots_of<fft_type>();
  const auto memory = local_memory(fft_type::scratch_bytes);
  wingbeat::run_workgroup<32>(
      fft_type::workgroup_threads, [&](wingbeat::emulated_group_of<32> group) {
        using group_type = wingbeat::emulated_group_of<32>;
        namespace wg = wingbeat::device::workgroup;
        const wg::team<shape<N, E, F>, From, group_type> before{group};
        const wg::team<shape<N, E, F>, To, group_type> after{group};
        complex<float> held[E];
        for (unsigned r = 0; r < E; ++r) {
          held[r] = x[before.transform() * N + before.thread() + r * fft_type::threads];
        }
        fft_type::execute_between(before, after, held,
                                  typename fft_type::scratch_type{memory.get()}, table.data());
        for (unsigned r = 0; r < E; ++r) {
          y[after.transform() * N + after.thread() + r * fft_type::threads] = held[r];
        }
      });
  for (std::size_t f = 0; f < F; ++f) {
    const std::vector<complex<float>> one(x.begin() + f * N, x.begin() + (f + 1) * N);
    const std::vector<complex<float>> got(y.begin() + f * N, y.begin() + (f + 1) * N);
    EXPECT_TRUE(is_accurate<float>(got, dft(one, direction::forward), N)) << N << ", " << f;
  }
}

TEST(stockham, hands_rows_from_lanes_across_to_lanes_along) {
  compare_between<240, 15, 8, across, along>();
  compare_between<240, 15, 8, along, across>();
  compare_between<1000, 10, 4, across, along>();
  compare_between<96, 12, 16, along, across>();
  compare_between<60, 10, 8, along, across>();
  compare_between<15, 5, 16, across, along>();
}

/// fp16: stored in 16 bits; and two transforms at once.
TEST(stockham, transforms_fp16) {
  constexpr unsigned n = 1200;
  const auto noise_of = noise<float>(n, 5);
  std::vector<complex<half_float>> x;
  std::vector<complex<half_pair>> pairs;
  exact exactly;
  for (const auto& z : noise_of) {
    x.push_back({half_float(z.re), half_float(z.im)});
    exactly.push_back({float(x.back().re), float(x.back().im)});
    pairs.push_back(
        {half_pair{x.back().re, half_float(0.0F)}, half_pair{x.back().im, x.back().re}});
  }
  const auto expected = dft(exactly, direction::forward);
  exact got, of_first;
  for (const auto& z : run_fft<fft<shape<n, 10>, half_float, direction::forward>>(x)) {
    got.push_back({float(z.re), float(z.im)});
  }
  for (const auto& z : run_fft<fft<shape<n, 10>, half_pair, direction::forward>>(pairs)) {
    of_first.push_back({float(z.re.first()), float(z.im.first())});
  }
  EXPECT_LT(relative_l2(got, expected), 2.6e-4L);
  EXPECT_LT(relative_l2(of_first, expected), 1.5e-3L);
}

TEST(stockham, states_what_uneven_shapes_need) {
  using even = fft<shape<1200, 10>, float, direction::forward>;  // 10, 12, 10
  static_assert(even::exchanges == 2 && even::threads == 120 && !even::plan.returns());
  static_assert(even::plan.max_registers() == 12 && even::plan.rounds(1) == 1);
  using returning = fft<shape<240, 15>, float, direction::forward>;  // 15, 16
  static_assert(returning::exchanges == 2 && returning::plan.returns());
  static_assert(returning::plan.max_registers() == 16);
  using single = fft<shape<15, 15>, float, direction::forward>;
  static_assert(single::exchanges == 0 && single::scratch_bytes == 0);
}

}  // namespace
