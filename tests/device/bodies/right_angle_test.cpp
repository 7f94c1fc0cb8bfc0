// SPDX-License-Identifier: Apache-2.0
// Rows of reals by right angles, in turns: their bins, of order 4 N moved by a quarter, and sums of
// correlations of lags from 0 on, against what defines them.
#include <gtest/gtest.h>

#include <complex>  // polar
#include <numbers>  // pi

#include "device/grid/pass_probe.hpp"     // run_pass
#include "support/oracle.hpp"             // relative_l2
#include "support/signal.hpp"             // noise
#include "support/tolerance.hpp"          // l2_bound
#include "wingbeat/device/scrambled.hpp"  // index_map

namespace {

using namespace wingbeat::test;
using std::numbers::pi_v;

/// Rows of `Turns` transforms, `Terms` pairs of them for each that is stored.
template <class Base, unsigned Turns, body Makes, unsigned Terms = 0>
struct turned : Base {
  static constexpr pass_numbers numbers() {
    pass_numbers n = Base::numbers();
    n.shape.makes = Makes;
    n.shape.bins = wingbeat::device::order::scrambled;
    n.n_turns = Turns;
    n.terms = Terms;
    n.term_distance = Turns * n.total;
    n.in.distance = (Terms == 0 ? 1 : 2 * Terms) * Turns * n.total;
    n.out.distance = Turns * n.total;
    return n;
  }
};

/// Adds where the imaginary part says so.
template <class Real>
struct adding_store : ends::complex_store<Real, Real> {
  using base = ends::complex_store<Real, Real>;
  using typename base::element;
  adding_store(element* out) : base(out), out_(out) {}
  void put(size place, size, complex<Real> z) const {
    out_[place] = {z.im == 1 ? out_[place].re + z.re : z.re, 0};
  }
  element* out_;
};

/// Returns real parts alone.
template <class Real>
values<Real> reals(size count) {
  values<Real> x = noise<Real>(count, 1);
  for (auto& each : x) each.im = 0;
  return x;
}

template <class Base, unsigned Turns>
void check_bins() {
  using policy = turned<Base, Turns, body::transform>;
  using real = typename Base::real;
  constexpr pass_numbers numbers = policy::numbers();
  constexpr unsigned points = unsigned(numbers.total), n = points * Turns;
  constexpr unsigned e = numbers.shape.elements_per_thread;
  constexpr wingbeat::device::scrambled::index_map bins{wingbeat::device::log2_of(e),
                                                        wingbeat::device::log2_of(points / e)};
  const size batch = numbers.shape.lanes + 1;
  const auto x = reals<real>(batch * n);
  const auto out = run_pass<policy>(x, batch, batch * n);
  for (size row = 0; row < batch; ++row) {
    exact expected(n);
    for (unsigned turn = 0; turn < Turns; ++turn) {
      for (unsigned g = 0; g < points; ++g) {
        const long double bin = turn + Turns * bins.dft_index(g) + 0.25L;
        for (unsigned i = 0; i < n; ++i) {
          const auto value = static_cast<long double>(x[row * n + i].re);
          expected[turn * points + g] +=
              value * std::polar(1.0L, -2 * pi_v<long double> * bin * i / n);
        }
      }
    }
    ASSERT_LE(relative_l2(picked(out, row * n, n), expected), 3 * l2_bound<real>(n)) << row;
  }
}

template <class Base, unsigned Turns, unsigned Terms>
void check_sums() {
  using policy = turned<Base, Turns, body::correlate, Terms>;
  using real = typename Base::real;
  constexpr pass_numbers numbers = policy::numbers();
  constexpr size n = numbers.total * Turns, batch = numbers.shape.lanes + 1;
  const auto in = reals<real>(batch * numbers.in.distance);
  const auto out = run_pass<policy, plain_load<policy>, adding_store<real>>(in, batch, batch * n);
  for (size row = 0; row < batch; ++row) {
    exact expected(n);
    for (size term = 0; term < Terms; ++term) {
      const size x = row * numbers.in.distance + 2 * term * n, y = x + n;
      for (size j = 0; j < n; ++j) {
        for (size lag = 0; lag + j < n; ++lag) {
          expected[lag] += static_cast<long double>(n) * in[x + j].re * in[y + j + lag].re;
        }
      }
    }
    ASSERT_LE(relative_l2(picked(out, row * n, n), expected), 4 * l2_bound<real>(n)) << row;
  }
}

TEST(right_angle, has_the_bins_that_define_it) {
  check_bins<whole_rows<8, 8, 2>, 1>();
  check_bins<whole_rows<64, 8, 2>, 1>();
  check_bins<whole_rows<64, 8, 1, double>, 2>();
  check_bins<whole_rows<256, 16, 1>, 4>();
}

TEST(right_angle, sums_correlations_without_wrapping_them) {
  check_sums<whole_rows<64, 8, 2>, 1, 2>();
  check_sums<whole_rows<64, 8, 1>, 2, 1>();
  check_sums<whole_rows<128, 8, 1, double>, 4, 3>();
  check_sums<in_halves<whole_rows<256, 16, 1>>, 8, 1>();
}

}  // namespace
