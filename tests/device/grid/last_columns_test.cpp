// SPDX-License-Identifier: Apache-2.0
// An axis of two passes of which the last makes columns of a length that is no product of radices:
// each is convolved by its workgroup, as a prime or with a chirp, after its twiddles.
#include <gtest/gtest.h>

#include <memory>  // make_shared

#include "device/grid/pass_probe.hpp"  // run_pass
#include "roots/chirp.hpp"             // chirp
#include "roots/rader.hpp"             // rader
#include "support/oracle.hpp"          // dft
#include "support/signal.hpp"          // noise
#include "support/tolerance.hpp"       // l2_bound

namespace {

using namespace wingbeat::test;

/// Columns of `Points` after `Prior`, neighbours, convolved within R.
template <unsigned Points, size Prior, unsigned R, unsigned Elements, unsigned Lanes, body Makes,
          class Real = float>
struct last_columns : whole_rows<R, Elements, Lanes, Real> {
  static constexpr pass_numbers numbers() {
    pass_numbers n = plain_rows<Real>(Points * Prior, Elements, Lanes);
    n.shape.length = R;
    n.shape.makes = Makes;
    n.shape.lanes_across = true;
    n.prior = Prior;
    n.in.stride = n.in.step = n.out.stride = n.out.step = Prior;
    n.has_own_filter = true;
    if (Makes == body::convolve) n.shape.points = n.factors_in = n.factors_out = Points;
    add_loop(n, {Prior, 1, 1, loop_role::prior});
    return n;
  }
};
template <unsigned Points, size Prior, unsigned M, unsigned Elements, unsigned Lanes,
          class Real = float>
using chirped_columns = last_columns<Points, Prior, M, Elements, Lanes, body::convolve, Real>;
template <unsigned Points, size Prior, unsigned Elements, unsigned Lanes, class Real = float>
using prime_columns = last_columns<Points, Prior, Points - 1, Elements, Lanes, body::rader, Real>;

template <class Policy>
convolution_numbers numbers_of() {
  using wingbeat::precision;
  constexpr pass_numbers numbers = Policy::numbers();
  constexpr bool is_forward = Policy::dir == direction::forward;
  constexpr size points = numbers.shape.elements();
  if (numbers.shape.makes == body::rader) {
    return {.by_rader = std::make_shared<wingbeat::rader>(points, is_forward)};
  }
  return {.by_chirp = std::make_shared<wingbeat::chirp>(points, numbers.shape.length, is_forward,
                                                        precision::fp64)};
}

/// Gives the pass what the first would leave, transforms of neighbours that are `Points` apart, and
/// compares with the whole.
template <class Policy>
void check() {
  using real = typename Policy::real;
  constexpr pass_numbers numbers = Policy::numbers();
  constexpr size n = numbers.total, prior = numbers.prior, points = n / prior, batch = 2;
  const auto x = noise<real>(n * batch, 1);
  values<real> middle(n * batch);
  for (size column = 0; column < points * batch; ++column) {
    const size row = column / points, c = column % points;
    const exact bins = dft(widened_row(picked(x, row * n + c, prior, points)), Policy::dir);
    for (size k = 0; k < prior; ++k) {
      middle[row * n + c * prior + k] = {static_cast<real>(bins[k].real()),
                                         static_cast<real>(bins[k].imag())};
    }
  }
  const auto y = run_pass<Policy>(middle, batch, n * batch, numbers_of<Policy>());
  for (size row = 0; row < batch; ++row) {
    const exact expected = dft(widened_row(picked(x, row * n, n)), Policy::dir);
    ASSERT_LE(relative_l2(picked(y, row * n, n), expected), 1.3L * l2_bound<real>(n))
        << "row " << row;
  }
}

TEST(grid_last_columns, are_convolved_with_a_chirp) {
  check<chirped_columns<37, 8, 80, 10, 4>>();
  check<chirped_columns<41, 12, 128, 8, 8>>();
  check<chirped_columns<74, 5, 256, 16, 4>>();
  check<backwards<chirped_columns<37, 8, 80, 10, 4>>>();
  check<backwards<chirped_columns<74, 9, 150, 15, 2, double>>>();
}

TEST(grid_last_columns, are_convolved_as_primes) {
  check<prime_columns<37, 8, 6, 4>>();
  check<prime_columns<41, 12, 10, 8>>();
  check<prime_columns<257, 6, 16, 2>>();
  check<backwards<prime_columns<37, 8, 6, 4>>>();
  check<backwards<prime_columns<61, 9, 10, 2, double>>>();
}

}  // namespace
