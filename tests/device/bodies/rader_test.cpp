// SPDX-License-Identifier: Apache-2.0
// Rows of a prime length as a pass, against the sum that defines a transform: staged and not, in
// rows and in columns.
#include "wingbeat/device/bodies/rader.hpp"

#include <gtest/gtest.h>

#include "device/grid/pass_probe.hpp"  // run_pass
#include "roots/rader.hpp"             // rader
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

/// Of which the first half of the bins is stored, and one more.
template <class Base>
struct half_stored : Base {
  static constexpr pass_numbers numbers() {
    pass_numbers n = Base::numbers();
    n.out.is_limited = true;
    n.out.distance = n.out.valid_end = n.total / 2 + 1;
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
    const size stored = numbers.out.is_limited ? numbers.out.valid_end : n;
    ASSERT_LE(relative_l2(picked(y, row * numbers.out.distance, stored, step),
                          exact(expected.begin(), expected.begin() + stored)),
              1.3L * l2_bound<real>(n))
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
  check<staged<prime_rows<41, 20, 32>>>(33);  // rows of a subgroup's threads
  check<staged<prime_rows<577, 24, 2>>>(3);   // one part of local memory
  check<in_halves<staged<prime_rows<337, 14, 2, double>>>>(3);
}

TEST(body_rader, has_neighbouring_threads_in_neighbouring_rows) {
  check<across<staged<prime_rows<37, 6, 8>>>>(17);
  check<across<staged<prime_rows<41, 20, 32>>>>(33);
  check<across<staged<prime_rows<257, 16, 4>>>>(6);   // in place
  check<across<staged<prime_rows<577, 24, 4>>>>(5);   // one part of local memory
  check<across<staged<prime_rows<31, 30, 32>>>>(33);  // no exchange
  check<in_halves<across<staged<prime_rows<337, 14, 4, double>>>>>(5);
}

/// By two threads a row, each of which has a half.
template <unsigned Points, unsigned Lanes, class Real = float>
using halved_rows = shaped<across<staged<prime_rows<Points, Points / 2, Lanes, Real>>>,
                           &tile_shape::makes, body::halved_rader>;

TEST(body_halved_rader, agrees_with_the_sum_that_defines_it) {
  check<halved_rows<43, 32>>(33);  // an odd number of differences
  check<halved_rows<61, 32>>(40);
  check<halved_rows<13, 4, double>>(9);
  check<halved_rows<67, 8>>(9);  // more than a transform of many threads holds in one
  check<halved_rows<97, 8, double>>(9);
  check<half_stored<halved_rows<37, 8>>>(7);
}

TEST(body_rader, has_large_radices) {
  check<staged<prime_rows<47, 23, 4>>>(6);
  check<staged<prime_rows<103, 17, 2>>>(3);  // 17 and 6, whose elements are exchanged back
  check<prime_columns<prime_rows<59, 29, 4>>>(4);
}

TEST(body_rader, stores_the_bins_that_are_in_memory) {
  check<half_stored<prime_rows<37, 6, 4>>>(6);
  check<half_stored<staged<prime_rows<37, 6, 4>>>>(7);
  check<half_stored<staged<prime_rows<61, 15, 8>>>>(9);
  check<half_stored<across<staged<prime_rows<61, 15, 8>>>>>(9);
  check<half_stored<across<staged<prime_rows<43, 21, 16>>>>>(17);  // an even number of bins
}

TEST(body_rader, takes_columns) {
  check<prime_columns<prime_rows<37, 6, 4>>>(4);
  check<prime_columns<staged<prime_rows<37, 6, 4>>>>(4);
  check<prime_columns<prime_rows<17, 4, 8>>>(8);
}

}  // namespace
