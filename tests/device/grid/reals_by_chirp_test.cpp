// SPDX-License-Identifier: Apache-2.0
// Rows of reals that are convolved with a chirp within half as many points again, to bins and back,
// against the sums that define them.
#include <gtest/gtest.h>

#include <memory>  // make_shared

#include "device/grid/pass_probe.hpp"  // run_pass
#include "roots/chirp.hpp"             // chirp
#include "support/oracle.hpp"          // dft
#include "support/signal.hpp"          // noise
#include "support/tolerance.hpp"       // l2_bound

namespace {

using namespace wingbeat::test;

/// Rows of `Points` reals within M points.
template <unsigned Points, unsigned M, unsigned Elements, unsigned Lanes, class Real = float>
struct chirped_rows : whole_rows<M, Elements, Lanes, Real> {
  static constexpr size points = Points, bins = Points / 2 + 1;
  static_assert(M >= Points + bins - 1);
  static constexpr pass_numbers numbers() {
    pass_numbers n = plain_rows<Real>(M, Elements, Lanes);
    n.shape.makes = body::convolve;
    n.in.distance = n.in.valid_end = n.out.distance = n.out.valid_end = Points;
    n.in.is_limited = n.out.is_limited = n.has_own_filter = true;
    n.factors_in = n.factors_out = Points;
    add_loop(n, {1, 0, 0});  // so that elements know their index
    return n;
  }
};
template <class Base>
struct chirped_to_bins : Base {
  static constexpr pass_numbers numbers() {
    pass_numbers n = Base::numbers();
    n.out.distance = n.out.valid_end = Base::bins;
    return n;
  }
};
template <class Base>
struct chirped_from_bins : backwards<Base> {
  static constexpr pass_numbers numbers() {
    pass_numbers n = Base::numbers();
    n.in.is_hermitian = n.has_bins_alone = true;
    n.in.distance = n.in.valid_end = Base::bins;
    return n;
  }
};

template <class Base>
convolution_numbers chirp_of(bool is_forward) {
  return {.by_chirp =
              std::make_shared<wingbeat::chirp>(Base::points, Base::numbers().total, is_forward,
                                                wingbeat::precision::fp64, Base::bins)};
}

template <class Base>
void check(size batch) {
  using real = typename Base::real;
  constexpr size n = Base::points, bins = Base::bins;
  std::vector<real> x;
  for (const auto& z : noise<real>(n * batch, 3)) x.push_back(z.re);
  const auto y = run_pass<chirped_to_bins<Base>, ends::real_load<real, real>>(
      x, batch, bins * batch, chirp_of<Base>(true));
  const auto spectra = noise<real>(bins * batch, 4);  // whose first and last imaginary parts are
  using policy = chirped_from_bins<Base>;             // not used
  const auto back = run_pass<policy, plain_load<policy>, ends::real_store<real, real>>(
      spectra, batch, n * batch, chirp_of<Base>(false));
  exact expected_bins, expected_reals, reals;
  for (size row = 0; row < batch; ++row) {
    const exact whole = dft(widened_row(picked(x, row * n, n)), direction::forward);
    expected_bins.insert(expected_bins.end(), whole.begin(), whole.begin() + std::ptrdiff_t(bins));
    exact spectrum(n);
    for (size k = 0; k < n; ++k) {
      const auto z = spectra[row * bins + (2 * k > n ? n - k : k)];
      spectrum[k] = {z.re, k == 0 || 2 * k == n ? 0 : 2 * k > n ? -z.im : z.im};
    }
    for (const auto& z : dft(spectrum, direction::inverse)) expected_reals.push_back(z);
  }
  for (const real each : back) reals.emplace_back(each, 0);
  EXPECT_LE(relative_l2(picked(y, 0, bins * batch), expected_bins), 1.3L * l2_bound<real>(n));
  EXPECT_LE(relative_l2(reals, expected_reals), 1.3L * l2_bound<real>(n));
}

TEST(grid_reals_by_chirp, agree_with_the_sums_that_define_bins_and_reals) {
  check<chirped_rows<37, 60, 10, 4>>(7);
  check<chirped_rows<41, 64, 8, 2>>(3);
  check<chirped_rows<47, 70, 14, 1, double>>(2);  // no point to spare
  check<chirped_rows<74, 128, 16, 2>>(3);         // the last bin is its own conjugate
  check<chirped_rows<94, 144, 12, 2, double>>(3);
}

}  // namespace
