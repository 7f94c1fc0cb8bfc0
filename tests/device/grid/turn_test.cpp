// SPDX-License-Identifier: Apache-2.0
// The turn between two passes, with its roots listed in rows and, after long passes, as products:
// what each thread holds, at the first, the last and some k between, against long double.
#include "wingbeat/device/grid/turn.hpp"

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
  static constexpr size prior = Prior, total = Prior * length;
};

template <class Policy>
void check() {
  using real = typename Policy::real;
  using turn = grid::turn_of<Policy, length>;
  constexpr unsigned e = Policy::elements_per_thread, threads = length / e;
  using step = grid::step_of<Policy>;
  const auto table = rounded_table<real>(as_pass<Policy>());
  ASSERT_EQ(table.size(), step::real_roots_at + 1) << "and one that is never read";
  const size prior = Policy::prior;
  for (const size k : {size{0}, size{1}, prior / 3, prior / 2 + 7, prior - 1}) {
    for (unsigned t = 0; t < threads; ++t) {
      const auto given = noise<real>(e, 7 * k + t);
      complex<real> x[e];
      std::copy(given.begin(), given.end(), x);
      turn::apply(x, table.data() + step::pass_roots_at, static_cast<unsigned>(k), t);
      exact expected;
      for (unsigned r = 0; r < e; ++r) {
        const auto w = root((t + r * threads) * k, Policy::total);
        const bool is_forward = Policy::dir == direction::forward;
        expected.push_back(widened(given[r]) * (is_forward ? w : std::conj(w)));
      }
      const values<real> turned(x, x + e);
      ASSERT_LE(relative_l2(turned, expected), 4 * std::numeric_limits<real>::epsilon())
          << "k = " << k << ", thread " << t;
    }
  }
}

TEST(grid_turn, turns_by_roots_in_rows) {
  check<after<64, 8, float, direction::forward>>();
  check<after<64, 4, double, direction::inverse>>();
  check<after<size{1} << 15, 16, float, direction::inverse>>();
}

TEST(grid_turn, turns_by_products_of_roots_after_long_passes) {
  check<after<size{1} << 16, 8, float, direction::forward>>();
  check<after<size{1} << 18, 32, float, direction::inverse>>();
  check<after<size{1} << 20, 4, double, direction::forward>>();
}

}  // namespace
