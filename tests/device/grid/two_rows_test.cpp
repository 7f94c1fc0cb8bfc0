// SPDX-License-Identifier: Apache-2.0
// Two rows of reals as one of complex numbers, to bins and back, against each row's own transform.
#include <gtest/gtest.h>

#include "device/grid/pass_probe.hpp"  // run_pass
#include "support/oracle.hpp"          // dft
#include "support/signal.hpp"          // noise
#include "support/tolerance.hpp"       // l2_bound

namespace {

using namespace wingbeat::test;

/// Rows of N reals, packed, that become N/2 + 1 bins each.
template <class Base>
struct two_to_bins : Base {
  static constexpr pass_numbers numbers() {
    pass_numbers n = Base::numbers();
    const size bins = n.total / 2 + 1;
    n.in.distance = 2 * n.total;
    n.in.second = n.total;
    n.out.distance = 2 * bins;
    n.out.second = bins;
    n.out.is_limited = true;
    n.out.valid_end = bins;
    n.shape.stage_out = true;
    return n;
  }
};
template <class Base>
struct two_from_bins : backwards<Base> {
  static constexpr pass_numbers numbers() {
    pass_numbers n = Base::numbers();
    const size bins = n.total / 2 + 1;
    n.in.distance = 2 * bins;
    n.in.second = bins;
    n.in.is_hermitian = true;
    n.in.valid_end = bins;
    n.out.distance = 2 * n.total;
    n.out.second = n.total;
    return n;
  }
};

template <class Policy>
void check_to_bins(size pairs) {
  using real = typename Policy::real;
  constexpr size n = Policy::numbers().total, bins = n / 2 + 1;
  std::vector<real> x;
  for (const auto& z : noise<real>(2 * pairs * n, 3)) x.push_back(z.re);
  const auto y = run_pass<Policy, ends::real_load<real, real>>(x, pairs, 2 * pairs * bins);
  for (size row = 0; row < 2 * pairs; ++row) {
    const exact spectrum = dft(widened_row(picked(x, row * n, n)), direction::forward);
    const exact expected(spectrum.begin(), spectrum.begin() + std::ptrdiff_t(bins));
    ASSERT_LE(relative_l2(picked(y, row * bins, bins), expected), 2 * l2_bound<real>(n)) << row;
  }
}

template <class Policy>
void check_from_bins(size pairs) {
  using real = typename Policy::real;
  constexpr size n = Policy::numbers().total, bins = n / 2 + 1;
  const auto x = noise<real>(2 * pairs * bins, 4);
  using store = ends::real_store<real, real>;
  const auto y = run_pass<Policy, plain_load<Policy>, store>(x, pairs, 2 * pairs * n);
  for (size row = 0; row < 2 * pairs; ++row) {
    exact spectrum(n);
    for (size k = 0; k < n; ++k) {
      const auto z = x[row * bins + (2 * k > n ? n - k : k)];
      const bool is_real = k == 0 || 2 * k == n;
      spectrum[k] = {z.re, is_real ? 0 : 2 * k > n ? -z.im : z.im};
    }
    const exact expected = dft(spectrum, direction::inverse);
    exact got;
    for (const real each : picked(y, row * n, n)) got.emplace_back(each, 0);
    ASSERT_LE(relative_l2(got, expected), 2 * l2_bound<real>(n)) << row;
  }
}

TEST(two_rows, become_the_bins_of_each) {
  check_to_bins<two_to_bins<whole_rows<15, 15, 4>>>(3);
  check_to_bins<two_to_bins<whole_rows<15, 5, 2>>>(3);
  check_to_bins<two_to_bins<whole_rows<75, 15, 2, double>>>(3);
  check_to_bins<two_to_bins<whole_rows<34, 17, 4>>>(5);
  check_to_bins<two_to_bins<shaped<whole_rows<9, 3, 4>, &tile_shape::stage_in>>>(6);
}

TEST(two_rows, come_from_the_bins_of_each) {
  check_from_bins<two_from_bins<whole_rows<15, 15, 4>>>(3);
  check_from_bins<two_from_bins<whole_rows<15, 5, 2>>>(3);
  check_from_bins<two_from_bins<whole_rows<75, 15, 2, double>>>(3);
  check_from_bins<two_from_bins<staged<whole_rows<34, 17, 4>>>>(5);
}

}  // namespace
