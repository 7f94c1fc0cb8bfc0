// SPDX-License-Identifier: Apache-2.0
// Rows of a prime number of reals as a pass, to bins and back, against the sums that define them.
#include "wingbeat/device/bodies/real_rader.hpp"

#include <gtest/gtest.h>

#include "device/grid/pass_probe.hpp"  // run_pass
#include "roots/rader.hpp"             // rader
#include "support/oracle.hpp"          // dft
#include "support/signal.hpp"          // noise
#include "support/tolerance.hpp"       // l2_bound

namespace {

using namespace wingbeat::test;

/// Rows of `Points` reals by threads of so many complex elements.
template <unsigned Points, unsigned Elements, unsigned Lanes, class Real = float>
struct prime_rows : whole_rows<Points / 2, Elements, Lanes, Real> {
  static constexpr pass_numbers numbers() {
    pass_numbers n = plain_rows<Real>(Points / 2, Elements, Lanes);
    n.shape.makes = body::real_rader;
    n.shape.stage_in = n.shape.stage_out = true;
    n.total = Points;
    n.in.distance = n.in.valid_end = n.out.distance = n.out.valid_end = Points;
    n.has_own_filter = true;
    return n;
  }
};
/// The same within `Length` complex numbers, from `Points` - 1 on.
template <unsigned Points, unsigned Length, unsigned Elements, unsigned Lanes, class Real = float>
struct padded_rows : prime_rows<Points, Elements, Lanes, Real> {
  static constexpr pass_numbers numbers() {
    pass_numbers n = prime_rows<Points, Elements, Lanes, Real>::numbers();
    n.shape.length = Length;
    n.shape.points = Points;
    return n;
  }
};
template <class Base>
struct to_prime_bins : Base {
  static constexpr pass_numbers numbers() {
    pass_numbers n = Base::numbers();
    n.out.is_limited = true;
    n.out.distance = n.out.valid_end = n.total / 2 + 1;
    return n;
  }
};
template <class Base>
struct from_prime_bins : backwards<Base> {
  static constexpr pass_numbers numbers() {
    pass_numbers n = Base::numbers();
    n.in.is_hermitian = true;
    n.in.distance = n.in.valid_end = n.total / 2 + 1;
    return n;
  }
};

template <class Base>
void check(size batch) {
  using real = typename Base::real;
  constexpr size n = Base::numbers().total, bins = n / 2 + 1;
  const convolution_numbers prime{
      .by_rader = std::make_shared<wingbeat::rader>(n, true, Base::numbers().shape.length)};
  std::vector<real> x;
  for (const auto& z : noise<real>(n * batch, 3)) x.push_back(z.re);
  const auto y =
      run_pass<to_prime_bins<Base>, ends::real_load<real, real>>(x, batch, bins * batch, prime);
  const auto spectra = noise<real>(bins * batch, 4);
  using policy = from_prime_bins<Base>;
  const auto back = run_pass<policy, plain_load<policy>, ends::real_store<real, real>>(
      spectra, batch, n * batch, prime);
  for (size row = 0; row < batch; ++row) {
    const exact spectrum_of_row = dft(widened_row(picked(x, row * n, n)), direction::forward);
    EXPECT_LE(
        relative_l2(picked(y, row * bins, bins),
                    exact(spectrum_of_row.begin(), spectrum_of_row.begin() + std::ptrdiff_t(bins))),
        1.3L * l2_bound<real>(n))
        << "bins of row " << row;
    exact spectrum(n);
    for (size k = 0; k < n; ++k) {
      const auto z = spectra[row * bins + (2 * k > n ? n - k : k)];
      spectrum[k] = {z.re, k == 0 ? 0 : 2 * k > n ? -z.im : z.im};
    }
    exact reals;
    for (const real each : picked(back, row * n, n)) reals.emplace_back(each, 0);
    EXPECT_LE(relative_l2(reals, dft(spectrum, direction::inverse)), 1.3L * l2_bound<real>(n))
        << "reals of row " << row;
  }
}

TEST(body_real_rader, agrees_with_the_sums_that_define_bins_and_reals) {
  check<prime_rows<5, 2, 4>>(7);
  check<prime_rows<13, 3, 4>>(9);
  check<prime_rows<61, 10, 4>>(6);
  check<prime_rows<61, 15, 2>>(3);  // an odd number of elements
  check<prime_rows<257, 16, 2>>(3);
  check<prime_rows<103, 17, 2, double>>(3);
}

TEST(body_real_rader, takes_more_numbers_where_there_are_large_factors) {
  check<padded_rows<83, 128, 8, 4>>(7);
  check<padded_rows<89, 88, 11, 2>>(3);  // no number to spare
  check<padded_rows<107, 120, 15, 2, double>>(3);
  check<across<padded_rows<167, 256, 16, 4>>>(9);
  using wingbeat::device::workgroup::twiddling;
  check<shaped<padded_rows<167, 256, 16, 2>, &tile_shape::twiddles, twiddling::fused>>(3);
  check<in_halves<padded_rows<179, 192, 12, 1>>>(2);
  check<padded_rows<23, 24, 24, 8>>(9);  // in one thread
}

TEST(body_real_rader, has_rows_in_one_thread) {
  check<prime_rows<37, 18, 32>>(33);
  check<prime_rows<61, 30, 32>>(40);
  check<prime_rows<67, 33, 8>>(9);
  check<prime_rows<97, 48, 8, double>>(9);
}

TEST(body_real_rader, has_neighbouring_threads_in_neighbouring_rows) {
  check<across<prime_rows<61, 10, 8>>>(17);
  check<across<prime_rows<127, 21, 8>>>(9);
  check<in_halves<across<prime_rows<337, 14, 4, double>>>>(5);
}

}  // namespace
