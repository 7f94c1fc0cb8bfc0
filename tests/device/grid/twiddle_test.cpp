// SPDX-License-Identifier: Apache-2.0
// The twiddles between two passes, with roots listed in rows and, after long passes, as products:
// what each thread holds, at the first, the last and some k between, against long double.
#include "wingbeat/device/grid/twiddle.hpp"

#include <gtest/gtest.h>

#include "device/grid/pass_probe.hpp"  // rounded_table, whole_rows
#include "support/oracle.hpp"          // relative_l2, widened
#include "support/signal.hpp"          // noise
#include "wingbeat/roots.hpp"          // root

namespace {

using namespace wingbeat::test;
using wingbeat::root;

constexpr unsigned length = 32;

template <size Prior, unsigned Elements, class Real, direction Dir>
struct after : whole_rows<length, Elements, 1, Real> {
  static constexpr direction dir = Dir;
  static constexpr pass_numbers numbers() {
    pass_numbers n = whole_rows<length, Elements, 1, Real>::numbers();
    n.prior = Prior;
    n.total = Prior * length;
    return n;
  }
};

template <class Policy>
void check() {
  using real = typename Policy::real;
  constexpr pass_numbers numbers = Policy::numbers();
  constexpr unsigned e = numbers.shape.elements_per_thread, threads = length / e;
  const auto table = rounded_table<real>(numbers);
  ASSERT_EQ(table.size(), numbers.table_entries() + 1) << "and one that is never read";
  const size prior = numbers.prior;
  for (const size k : {size{0}, size{1}, prior / 3, prior / 2 + 7, prior - 1}) {
    for (unsigned t = 0; t < threads; ++t) {
      const auto given = noise<real>(e, 7 * k + t);
      complex<real> x[e];
      std::copy(given.begin(), given.end(), x);
      grid::apply_twiddles<Policy>(x, table.data(), static_cast<unsigned>(k), t);
      exact expected;
      for (unsigned r = 0; r < e; ++r) {
        const auto w = root((t + r * threads) * k, numbers.total);
        const bool is_forward = Policy::dir == direction::forward;
        expected.push_back(widened(given[r]) * (is_forward ? w : std::conj(w)));
      }
      const values<real> twiddled(x, x + e);
      ASSERT_LE(relative_l2(twiddled, expected), 4 * std::numeric_limits<real>::epsilon())
          << "k = " << k << ", thread " << t;
    }
  }
}

TEST(grid_twiddle, takes_roots_from_rows) {
  check<after<64, 8, float, direction::forward>>();
  check<after<64, 4, double, direction::inverse>>();
  check<after<size{1} << 15, 16, float, direction::inverse>>();
}

TEST(grid_twiddle, takes_products_of_roots_after_long_passes) {
  check<after<size{1} << 16, 8, float, direction::forward>>();
  check<after<size{1} << 18, 32, float, direction::inverse>>();
  check<after<size{1} << 20, 4, double, direction::forward>>();
}

}  // namespace
