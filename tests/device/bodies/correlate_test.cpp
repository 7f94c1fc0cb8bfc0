// SPDX-License-Identifier: Apache-2.0
// A pass that sums correlations, against the sums that define them, of each lane's pairs of rows.
#include "wingbeat/device/bodies/correlate.hpp"

#include <gtest/gtest.h>

#include <algorithm>  // max

#include "device/grid/pass_probe.hpp"  // run_pass
#include "support/oracle.hpp"          // relative_l2
#include "support/signal.hpp"          // noise
#include "support/tolerance.hpp"       // l2_bound

namespace {

using namespace wingbeat::test;

/// Rows of which memory holds the first `Valid` elements, `Terms` pairs for each that is stored.
template <class Base, unsigned Terms, size Valid = Base::numbers().total>
struct correlated : Base {
  static constexpr pass_numbers numbers() {
    pass_numbers n = Base::numbers();
    n.shape.makes = body::correlate;
    n.terms = Terms;
    n.term_distance = Valid;
    n.in.distance = 2 * Terms * Valid;
    n.in.is_limited = Valid < n.total;
    n.in.valid_end = Valid;
    return n;
  }
};

/// Checks rows that fill one tile, and half of another.
template <class Policy>
void check() {
  using real = typename Policy::real;
  constexpr pass_numbers numbers = Policy::numbers();
  constexpr size n = numbers.total, valid = numbers.in.valid_end, lanes = numbers.shape.lanes;
  const size batch = lanes + lanes / 2;
  const auto in = noise<real>(batch * numbers.in.distance, 1);
  const auto out = run_pass<Policy>(in, batch, batch * n);
  for (size lane = 0; lane < batch; ++lane) {
    exact expected(n);
    for (size term = 0; term < numbers.terms; ++term) {
      const size first = lane * numbers.in.distance + 2 * term * valid;
      const exact x = widened_row(picked(in, first, valid));
      const exact y = widened_row(picked(in, first + valid, valid));
      for (size j = 0; j < valid; ++j) {
        for (size i = 0; i < valid; ++i) expected[(i + n - j) % n] += std::conj(x[j]) * y[i];
      }
    }
    for (auto& value : expected) value *= n;
    ASSERT_LE(relative_l2(picked(out, lane * n, n), expected),
              3 * l2_bound<real>(std::max<size>(n, 2)))
        << "lane " << lane << " of " << lanes;
  }
}

TEST(body_correlate, agrees_with_the_sums_that_define_it) {
  check<correlated<whole_rows<1, 1, 4>, 2>>();
  check<correlated<whole_rows<8, 8, 4>, 1>>();
  check<correlated<whole_rows<64, 8, 2>, 3>>();
  check<correlated<whole_rows<256, 16, 1, double>, 2>>();
}

TEST(body_correlate, takes_lengths_that_are_no_powers_of_two) {
  check<correlated<whole_rows<60, 10, 2>, 2>>();
  check<correlated<whole_rows<77, 7, 2>, 3>>();
}

TEST(body_correlate, leaves_out_padding) {
  check<correlated<whole_rows<64, 8, 4>, 3, 9>>();
  check<correlated<whole_rows<240, 12, 2>, 2, 40>>();
}

TEST(body_correlate, exchanges_halves_as_well) {
  check<correlated<in_halves<whole_rows<256, 8, 2>>, 2>>();
}

}  // namespace
