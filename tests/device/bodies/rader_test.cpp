// SPDX-License-Identifier: Apache-2.0
// Rows of a prime length as a pass, against the sum that defines a transform: staged and not, in
// rows and in columns.
#include "wingbeat/device/bodies/rader.hpp"

#include <gtest/gtest.h>

#include "device/grid/pass_probe.hpp"  // run_pass
#include "rader.hpp"                   // rader
#include "support/oracle.hpp"          // dft
#include "support/signal.hpp"          // noise
#include "support/tolerance.hpp"       // l2_bound

namespace {

using namespace wingbeat::test;

/// Rows of `Points` by threads of so many elements.
template <unsigned Points, unsigned Elements, unsigned Lanes, class Real = float>
struct prime_rows : whole_rows<Points - 1, Elements, Lanes, Real> {
  static constexpr pass_numbers numbers() {
    pass_numbers n = plain_rows<Real>(Points - 1, Elements, Lanes);
    n.shape.makes = body::rader;
    n.total = Points;
    n.in.distance = n.out.distance = n.in.valid_end = n.out.valid_end = Points;
    n.has_own_filter = true;
    return n;
  }
};

/// Neighbouring columns of a matrix of `Lanes` columns.
template <class Base>
struct prime_columns : across<Base> {
  static constexpr pass_numbers numbers() {
    pass_numbers n = across<Base>::numbers();
    n.in.distance = n.out.distance = 1;
    n.in.stride = n.out.stride = n.shape.lanes;
    return n;
  }
};

template <class Policy>
void check(size batch) {
  using real = typename Policy::real;
  constexpr pass_numbers numbers = Policy::numbers();
  constexpr size n = numbers.total;
  const auto x = noise<real>(n * batch, 1);
  const convolution_numbers prime{.by_rader = std::make_shared<wingbeat::rader>(n, true)};
  const auto y = run_pass<Policy>(x, batch, n * batch, prime);
  for (size row = 0; row < batch; ++row) {
    const size first = row * numbers.in.distance, step = numbers.in.stride;
    const exact expected =
        dft(widened_row(picked(x, first, n, step)), wingbeat::device::direction::forward);
    ASSERT_LE(relative_l2(picked(y, first, n, step), expected), 1.3L * l2_bound<real>(n))
        << "row " << row;
  }
}

TEST(body_rader, agrees_with_the_sum_that_defines_it) {
  check<prime_rows<5, 2, 4>>(7);
  check<prime_rows<13, 12, 4>>(9);
  check<prime_rows<37, 6, 4>>(6);
  check<prime_rows<257, 16, 2>>(3);
  check<prime_rows<61, 10, 2, double>>(3);
}

TEST(body_rader, stages_rows_in_local_memory) {
  check<staged<prime_rows<5, 4, 4>>>(7);
  check<staged<prime_rows<37, 6, 4>>>(6);
  check<staged<prime_rows<257, 16, 2>>>(3);
  check<in_halves<staged<prime_rows<337, 14, 2, double>>>>(3);
}

TEST(body_rader, takes_columns) {
  check<prime_columns<prime_rows<37, 6, 4>>>(4);
  check<prime_columns<staged<prime_rows<37, 6, 4>>>>(4);
  check<prime_columns<prime_rows<17, 4, 8>>>(8);
}

}  // namespace
