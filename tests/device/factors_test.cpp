// SPDX-License-Identifier: Apache-2.0
// Lists of radices against products written out, and digits taken one at a time; the radices that
// stages get, against logarithms.
#include "wingbeat/device/factors.hpp"

#include <gtest/gtest.h>

#include <algorithm>  // max
#include <cmath>      // log2
#include <initializer_list>
#include <vector>

#include "wingbeat/device/thread/dft.hpp"          // dft
#include "wingbeat/device/twiddle.hpp"             // rows, row_exponent, row_of, roots
#include "wingbeat/device/workgroup/schedule.hpp"  // stage_radices, schedule
#include "wingbeat/roots.hpp"                      // root

namespace {

using namespace wingbeat::device;
using namespace wingbeat::device::workgroup;

constexpr radix_list list_of(std::initializer_list<unsigned> radices) {
  radix_list list;
  for (const unsigned radix : radices) list.add(radix);
  return list;
}

std::vector<unsigned> entries(const radix_list& list) {
  return {list.radices, list.radices + list.count};
}

// Products, of a list whose radices all differ.
constexpr radix_list mixed = list_of({3, 4, 5});
static_assert(mixed.count == 3 && mixed.product() == 60);
static_assert(mixed.prior(0) == 1 && mixed.prior(1) == 3 && mixed.prior(2) == 12);
static_assert(mixed.place_value(0) == 20 && mixed.place_value(1) == 5 && mixed.place_value(2) == 1);
static_assert(radix_list{}.product() == 1);

TEST(radix_list, prior_radix_and_place_value_make_the_product) {
  for (const auto& list : {mixed, list_of({7, 2, 13, 11, 6}), list_of({32, 16, 8}), list_of({9})}) {
    for (unsigned i = 0; i < list.count; ++i) {
      EXPECT_EQ(list.prior(i) * list.radices[i] * list.place_value(i), list.product()) << i;
    }
  }
}

/// The digits of x, the last radix's first.
std::vector<unsigned> digits(unsigned x, std::vector<unsigned> radices) {
  std::vector<unsigned> digits;
  for (; !radices.empty(); radices.pop_back()) {
    digits.push_back(x % radices.back());
    x /= radices.back();
  }
  return digits;
}

TEST(radix_list, digits_are_reversed_as_by_hand) {
  // 3 4 5: 37 = 1 20 + 3 5 + 2, and back to front 2 12 + 3 3 + 1 = 34.
  EXPECT_EQ(digits_reversed(37, mixed), 34u);
  for (const auto& list : {mixed, list_of({2, 2, 3}), list_of({8, 4, 16}), list_of({11})}) {
    for (unsigned x = 0; x < list.product(); ++x) {
      unsigned expected = 0;
      const auto taken = digits(x, entries(list));
      for (unsigned i = 0; i < list.count; ++i) {
        expected = expected * list.radices[list.count - 1 - i] + taken[i];
      }
      EXPECT_EQ(digits_reversed(x, list), expected) << x;
    }
  }
}

TEST(radix_list, the_list_backwards_undoes_a_reversal) {
  const radix_list list = list_of({3, 4, 5}), backwards = list_of({5, 4, 3});
  for (unsigned x = 0; x < 60; ++x) {
    EXPECT_EQ(digits_reversed(digits_reversed(x, list), backwards), x);
  }
}

template <unsigned N>
void expect_reversed_by_primes(std::initializer_list<unsigned> primes) {
  EXPECT_EQ(entries(prime_factors(N)), std::vector<unsigned>(primes)) << N;
  for (unsigned x = 0; x < N; ++x) {
    EXPECT_EQ(reversed_below<N>(x), digits_reversed(x, list_of(primes))) << x << " of " << N;
  }
}

TEST(radix_list, numbers_are_reversed_by_prime_factors_and_those_below_2_to_the_n_by_bits) {
  expect_reversed_by_primes<1>({});
  expect_reversed_by_primes<2>({2});
  expect_reversed_by_primes<32>({2, 2, 2, 2, 2});
  expect_reversed_by_primes<12>({2, 2, 3});
  expect_reversed_by_primes<45>({3, 3, 5});
  expect_reversed_by_primes<13>({13});
}

unsigned log2_exactly(unsigned n) {
  const auto bits = static_cast<unsigned>(std::log2(n));
  EXPECT_EQ(1u << bits, n);
  return bits;
}

/// Expects radices from `begin` to `end` to be as few as radices up to `largest` can be, within a
/// factor of two of each other, larger first.
void expect_even(const radix_list& list, unsigned begin, unsigned end, unsigned largest) {
  unsigned bits = 0;
  for (unsigned i = begin; i < end; ++i) bits += log2_exactly(list.radices[i]);
  const unsigned largest_bits = log2_exactly(largest);
  EXPECT_EQ(end - begin, (bits + largest_bits - 1) / largest_bits);
  for (unsigned i = begin; i + 1 < end; ++i) EXPECT_GE(list.radices[i], list.radices[i + 1]);
  if (begin < end) {
    EXPECT_LE(list.radices[begin], largest);
    EXPECT_LE(list.radices[begin], 2 * list.radices[end - 1]);
  }
}

TEST(radix_list, every_product_is_reached_even_of_lengths_that_are_refused) {
  for (unsigned n = 1; n <= 1000; ++n) {
    for (const unsigned largest : {1u, 2u, 8u, 32u}) {
      radix_list list;
      list.add_evenly(n, largest);
      ASSERT_EQ(list.product(), n) << largest;
    }
  }
  EXPECT_EQ(stage_radices(order::natural, 0, 4).count, 0u);
  EXPECT_EQ(stage_radices(order::natural, 8, 0).count, 0u);
}

TEST(stage_radices, of_natural_order_are_the_largest_and_an_even_rest) {
  EXPECT_EQ(entries(stage_radices(order::natural, 4096, 16)), (std::vector<unsigned>{16, 16, 16}));
  EXPECT_EQ(entries(stage_radices(order::natural, 512, 16)), (std::vector<unsigned>{16, 8, 4}));
  EXPECT_EQ(stage_radices(order::natural, 1, 1).count, 0u);
  for (unsigned n = 2; n <= 1u << 24; n *= 2) {
    for (unsigned e = 2; e <= max_held && e <= n; e *= 2) {
      const auto list = stage_radices(order::natural, n, e);
      ASSERT_EQ(list.product(), n);
      EXPECT_EQ(list.radices[0], e);
      expect_even(list, 1, list.count, e);
    }
  }
}

std::vector<unsigned> natural(unsigned length, unsigned elements) {
  return entries(stage_radices(order::natural, length, elements));
}

TEST(stage_radices, of_other_lengths_are_few_and_end_where_they_begin) {
  EXPECT_EQ(natural(1000, 10), (std::vector<unsigned>{10, 10, 10}));
  EXPECT_EQ(natural(1200, 10), (std::vector<unsigned>{10, 12, 10}));
  EXPECT_EQ(natural(240, 15), (std::vector<unsigned>{15, 16}));
  EXPECT_EQ(natural(2187, 9), (std::vector<unsigned>{9, 9, 9, 3}));
  EXPECT_EQ(natural(2187, 27), (std::vector<unsigned>{27, 9, 9}));
  EXPECT_EQ(natural(4000, 10), (std::vector<unsigned>{10, 10, 4, 10}));  // not 4 in the end
  EXPECT_EQ(natural(13, 13), (std::vector<unsigned>{13}));
  // of no product of radices, and of threads that do not divide the length
  EXPECT_EQ(natural(34, 2), (std::vector<unsigned>{2, 17}));
  EXPECT_EQ(natural(74, 2), (std::vector<unsigned>{74}));
  EXPECT_EQ(natural(60, 7), (std::vector<unsigned>{60}));
}

/// Every shape that is allowed has radices of which the first divides a thread's elements, and a
/// schedule whose rounds take all butterflies.
TEST(stage_radices, of_every_length_suit_its_threads) {
  unsigned shapes = 0;
  for (unsigned n = 3; n <= 4096; ++n) {
    if (!is_product_of_radices(n) || (n & (n - 1)) == 0) continue;
    for (unsigned e = 2; e <= max_held && e <= n; ++e) {
      if (n % e != 0) continue;
      ++shapes;
      const schedule plan{order::natural, n, e};
      ASSERT_EQ(plan.radices.product(), n) << e;
      ASSERT_EQ(e % plan.radix(0), 0u) << n;
      for (unsigned s = 0; s < plan.count(); ++s) {
        ASSERT_TRUE(is_radix(plan.radix(s)) &&
                    plan.radix(s) <= std::max({16u, e, greatest_factor(n)}))
            << n << " by " << e;
        ASSERT_GE(plan.rounds(s) * plan.threads(), plan.butterflies(s)) << n << " by " << e;
        ASSERT_LT((plan.rounds(s) - 1) * plan.threads(), plan.butterflies(s)) << n << " by " << e;
        ASSERT_LE(plan.rounds(s) * plan.radix(s), plan.max_registers());
      }
      const bool ends_even = e % plan.radix(plan.count() - 1) == 0;
      ASSERT_EQ(plan.returns(), !ends_even) << n << " by " << e;
      ASSERT_EQ(plan.exchanges(), plan.count() - (ends_even ? 1 : 0)) << n << " by " << e;
    }
  }
  EXPECT_GT(shapes, 2000u);
}

TEST(is_product_of_radices, allows_primes_up_to_31) {
  for (unsigned n = 1; n <= 2000; ++n) {
    const auto primes = entries(prime_factors(n));
    EXPECT_EQ(is_product_of_radices(n), primes.empty() || primes.back() <= 31) << n;
    EXPECT_EQ(greatest_factor(n), primes.empty() ? 1 : primes.back()) << n;
    EXPECT_EQ(least_factor(n), primes.empty() ? 1 : primes.front()) << n;
  }
  EXPECT_FALSE(is_product_of_radices(0));
}

TEST(stage_radices, in_place_begin_with_what_a_thread_has_and_nabla_ends_on_2) {
  EXPECT_EQ(entries(stage_radices(order::nabla, 4096, 16)), (std::vector<unsigned>{16, 16, 8, 2}));
  EXPECT_EQ(entries(stage_radices(order::nabla, 4096, 64)), (std::vector<unsigned>{2, 32, 32, 2}));
  for (const order how : {order::nabla, order::scrambled}) {
    for (unsigned n = 2; n <= 1u << 20; n *= 2) {
      for (unsigned e = 2; e <= (how == order::nabla ? 128u : max_held) && e <= n; e *= 2) {
        const auto list = stage_radices(how, n, e);
        ASSERT_EQ(list.product(), n);
        const unsigned travelling = e > max_held ? 1 : 0, held = e > max_held ? max_held : e;
        if (travelling > 0) {
          EXPECT_EQ(list.radices[0], e / held);
        }
        EXPECT_EQ(list.radices[travelling], held);
        const bool ends_on_2 = how == order::nabla && n > e;
        if (ends_on_2) {
          EXPECT_EQ(list.radices[list.count - 1], 2u);
        }
        expect_even(list, travelling + 1, list.count - (ends_on_2 ? 1 : 0), held);
      }
    }
  }
}

/// Whether w^(q k), q < radix, are single entries of a stage's table or products of two.
bool table_suffices(unsigned radix) {
  const auto has = [&](unsigned exponent) {
    const unsigned row = twiddle::row_of(exponent);
    return row < twiddle::rows(radix) && twiddle::row_exponent(row) == exponent;
  };
  for (unsigned q = 1; q < radix; ++q) {
    if (q % 4 != 0 && !has(q % 4)) return false;
    if (q >= 4 && !has(q / 4 * 4)) return false;
  }
  return twiddle::rows(radix) == 0 || twiddle::row_exponent(twiddle::rows(radix) - 1) < radix;
}

TEST(schedule, tables_have_what_stages_multiply_by) {
  for (unsigned radix = 1; radix <= 33; ++radix) EXPECT_TRUE(table_suffices(radix)) << radix;
  // 16, 8, 4 in natural order: 4 rows of 16, then 3 of 128. 16, 8, 4 in place: 6 of 32, then
  // 4 of 4.
  const schedule natural{order::natural, 512, 16}, scrambled{order::scrambled, 512, 16};
  EXPECT_EQ(natural.table_offset(1), 0u);
  EXPECT_EQ(natural.table_offset(2), 4u * 16);
  EXPECT_EQ(natural.table_entries(), 4u * 16 + 3 * 128);
  EXPECT_EQ(scrambled.place_value(0), 32u);
  EXPECT_EQ(scrambled.table_offset(1), 6u * 32);
  EXPECT_EQ(scrambled.table_entries(), 6u * 32 + 4 * 4);
}

template <unsigned... R>
void expect_dfts() {
  const auto expect_impulse = [](auto& x) {
    x[0] = {1, 0};
    thread::dft<direction::forward>(x);
    for (const auto& z : x) EXPECT_EQ(z.re, 1);
  };
  (
      [&] {
        EXPECT_TRUE(is_radix(R));
        complex<float> x[R]{};
        expect_impulse(x);
      }(),
      ...);
}

TEST(schedule, threads_have_dfts_of_every_radix) {
  unsigned found = 0;
  for (unsigned r = 0; r <= max_held; ++r) found += is_radix(r) ? 1 : 0;
  EXPECT_EQ(found, 27u);
  expect_dfts<2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16>();
  expect_dfts<17, 18, 19, 20, 23, 24, 25, 27, 29, 30, 31, 32>();
}

template <size M>
void expect_all_roots() {
  constexpr twiddle::root_tables tables{M};
  std::vector<complex<double>> table;
  const auto add = [&](size e) {
    const auto w = wingbeat::root(e, M);
    table.push_back({double(w.real()), double(w.imag())});
  };
  for (size e = 0; e < tables.fine_length(); ++e) add(e);
  for (size e = 0; !tables.is_direct() && e < M; e += tables.fine_length()) add(e);
  EXPECT_EQ(table.size(), tables.entries()) << M;
  const twiddle::roots<double, M> root_of{table.data()};
  for (size e = 0; e < M; ++e) {
    const auto expected = wingbeat::root(e, M);
    ASSERT_NEAR(root_of(e).re, double(expected.real()), 1e-15) << e << " of " << M;
    ASSERT_NEAR(root_of(e).im, double(expected.imag()), 1e-15) << e << " of " << M;
  }
}

TEST(root_tables, hold_all_roots_of_orders_that_are_no_powers_of_two) {
  expect_all_roots<60>();
  expect_all_roots<8192>();
  expect_all_roots<8193>();
  expect_all_roots<10000>();
  expect_all_roots<65536>();
}

}  // namespace
