// SPDX-License-Identifier: Apache-2.0
// A pass that sums correlations, against the sums that define them, of each lane's pairs of rows.
#include "wingbeat/device/bodies/correlate.hpp"

#include <gtest/gtest.h>

#include <algorithm>  // equal, max
#include <complex>

#include "device/bodies/body_probe.hpp"  // bin_at
#include "device/grid/pass_probe.hpp"    // run_pass
#include "support/oracle.hpp"            // dft, relative_l2
#include "support/signal.hpp"            // noise
#include "support/tolerance.hpp"         // l2_bound

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

/// Those whose rows y are returned, times conjugates of a spectrum for each lane.
template <class Base>
struct returned : Base {
  using sums = Base;
  static constexpr pass_numbers numbers() {
    pass_numbers n = Base::numbers();
    n.shape.times = product::conjugate_spectrum;
    n.out.distance = n.in.distance;
    n.returns_terms = true;
    n.filter_distance = n.total;
    return n;
  }
};

template <class Real>
bool are_same(const values<Real>& a, const values<Real>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](auto x, auto y) { return x.re == y.re && x.im == y.im; });
}

template <class Policy>
void check_returned() {
  using real = typename Policy::real;
  using load = plain_load<Policy>;
  using pass = grid::pass<Policy, body_of<Policy>, load, plain_store<Policy>, load>;
  constexpr pass_numbers numbers = Policy::numbers();
  constexpr size n = numbers.total, lanes = numbers.shape.lanes;
  const size batch = lanes + lanes / 2;
  const auto before = noise<real>(batch * numbers.in.distance, 1);
  const auto spectra = noise<real>(batch * n, 2);
  auto memory = before;
  const auto table = rounded_table<real>(numbers);
  for (size w = 0; w < numbers.workgroups(batch); ++w) {
    run_threads<Policy>(
        [&](const auto& group, char* scratch) {
          pass({memory.data()}, {memory.data()}, table.data(), scratch, group, {spectra.data()})
              .run_tiles(group.index(), batch);
        },
        w);
  }
  const auto sums = run_pass<typename Policy::sums>(before, batch, batch * n);
  for (size lane = 0; lane < batch; ++lane) {
    for (size row = 0; row < 2 * numbers.terms; ++row) {
      const size first = lane * numbers.in.distance + row * n;
      const auto got = picked(memory, first, n);
      if (row % 2 == 0) {
        EXPECT_TRUE(are_same(got, row == 0 ? picked(sums, lane * n, n) : picked(before, first, n)));
        continue;
      }
      exact bins = dft(picked(before, first, n), direction::forward);
      for (unsigned i = 0; i < n; ++i) {
        const auto factor = spectra[lane * n + i];
        bins[bin_at<Policy>(i)] *= std::conj(std::complex<long double>{factor.re, factor.im});
      }
      ASSERT_LE(relative_l2(got, dft(bins, direction::inverse)),
                3 * l2_bound<real>(std::max<size>(n, 2)))
          << "row " << row << " of lane " << lane;
    }
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

TEST(body_correlate, returns_rows_times_a_spectrum) {
  check_returned<returned<correlated<whole_rows<8, 8, 4>, 2>>>();
  check_returned<returned<correlated<whole_rows<64, 8, 2>, 3>>>();
  check_returned<returned<correlated<in_halves<whole_rows<256, 8, 2, double>>, 2>>>();
  check_returned<returned<correlated<whole_rows<60, 10, 2>, 2>>>();
}

}  // namespace
