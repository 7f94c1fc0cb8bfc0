// SPDX-License-Identifier: Apache-2.0
// Whole passes on the host: rows of a batch that does not fill the last workgroup, staged loads and
// stores, columns of a long transform, real transforms. Outputs are poisoned and guarded.
#include "wingbeat/device/grid/pass.hpp"

#include <gtest/gtest.h>

#include "device/grid/pass_probe.hpp"  // run_pass, whole_rows
#include "support/oracle.hpp"          // dft
#include "support/signal.hpp"          // noise
#include "support/tolerance.hpp"       // is_accurate

namespace {

using namespace wingbeat::test;

template <class Policy>
void check_rows(size batch) {
  using real = typename Policy::real;
  constexpr size n = Policy::numbers().total;
  const auto in = noise<real>(n * batch, 3);
  const auto out = run_pass<Policy>(in, batch, n * batch);
  for (size b = 0; b < batch; ++b) {
    const auto expected = dft(picked(in, b * n, n), Policy::dir);
    ASSERT_TRUE(is_accurate<real>(picked(out, b * n, n), expected, n)) << "row " << b;
  }
}

TEST(grid_pass, whole_rows_and_a_partial_workgroup) {
  check_rows<whole_rows<64, 8, 4>>(7);
  check_rows<whole_rows<256, 16, 1>>(3);
  check_rows<whole_rows<2, 2, 8>>(17);
  check_rows<whole_rows<32, 8, 2, double>>(3);
  check_rows<in_halves<whole_rows<128, 8, 2>>>(3);
}

TEST(grid_pass, staged_rows) {
  check_rows<staged<whole_rows<2, 2, 16>>>(17);
  check_rows<staged<whole_rows<4, 4, 8>>>(9);
  check_rows<staged<whole_rows<16, 16, 4>>>(7);
  check_rows<staged<whole_rows<16, 4, 4, double>>>(5);
  check_rows<staged<whole_rows<64, 16, 4>>>(3);
}

template <class Base, size Workgroups>
struct by_workgroups : Base {
  static constexpr pass_numbers numbers() {
    pass_numbers n = Base::numbers();
    n.max_workgroups = Workgroups;
    return n;
  }
};

TEST(grid_pass, several_tiles_one_after_another) {
  check_rows<by_workgroups<whole_rows<64, 8, 2>, 3>>(13);
  check_rows<by_workgroups<staged<whole_rows<16, 16, 4>>, 2>>(23);
  check_rows<by_workgroups<whole_rows<64, 8, 4>, 5>>(7);
  EXPECT_EQ((by_workgroups<whole_rows<64, 8, 2>, 3>::numbers().workgroups(13)), 3U);
  EXPECT_EQ((by_workgroups<whole_rows<64, 8, 2>, 3>::numbers().workgroups(3)), 2U);
}

template <class Base>
struct quartered : Base {
  static constexpr pass_numbers numbers() {
    pass_numbers n = Base::numbers();
    n.scale = 0.25;
    return n;
  }
};

template <class Policy>
void check_scale() {
  constexpr size n = Policy::numbers().total;
  const auto in = noise<float>(n + 1, 4);
  const auto plain = run_pass<Policy>(in, 1, n + 1);
  const auto quarter = run_pass<quartered<Policy>>(in, 1, n + 1);
  for (size k = 0; k <= n; ++k) {
    ASSERT_EQ(is_poison(quarter[k]), is_poison(plain[k])) << k;
    if (is_poison(plain[k])) continue;
    ASSERT_EQ(quarter[k].re, plain[k].re / 4) << k;
    ASSERT_EQ(quarter[k].im, plain[k].im / 4) << k;
  }
}

TEST(grid_pass, scales_on_the_way_out) {
  check_scale<whole_rows<64, 8, 1>>();
  check_scale<staged<whole_rows<64, 8, 1>>>();
  check_scale<to_bins<whole_rows<64, 8, 1>>>();
  check_scale<from_bins<staged<whole_rows<64, 8, 1>>>>();
  check_scale<to_bins<cluster_rows<16, 16, 8, 2>>>();
}

/// One pass of radix R after prior length P of rows of length N.
template <unsigned R, size P, size N, unsigned Elements, unsigned Columns>
struct columns_of : whole_rows<R, Elements, Columns> {
  static constexpr size groups = N / (R * P);
  static constexpr pass_numbers numbers() {
    pass_numbers n = plain_rows<float>(N, Elements, Columns);
    n.shape.length = R;
    n.shape.lanes_across = true;
    n.shape.stage_out = P == 1;
    n.prior = P;
    n.in.stride = n.in.step = N / R;
    n.out.stride = n.out.step = P;
    if (P > 1) add_loop(n, {P, 1, 1, loop_role::prior});
    if (groups > 1) add_loop(n, {groups, P, P * R, loop_role::groups});
    return n;
  }
};

TEST(grid_pass, two_passes_make_a_long_transform) {
  constexpr size n = 2048, batch = 2;
  const auto in = noise<float>(n * batch, 5);
  const auto middle = run_pass<columns_of<64, 1, n, 8, 4>>(in, batch, n * batch);
  const auto out = run_pass<columns_of<32, 64, n, 8, 8>>(middle, batch, n * batch);
  for (size b = 0; b < batch; ++b) {
    const auto expected = dft(picked(in, b * n, n), direction::forward);
    ASSERT_TRUE(is_accurate<float>(picked(out, b * n, n), expected, n));
  }
}

/// In place of staging: threads change lanes at an exchange.
template <class Base>
using handed_over = shaped<shaped<Base, &tile_shape::stage_out, false>, &tile_shape::along_out>;

template <class First>
void check_first_of_two(size n, size batch) {
  const auto in = noise<float>(n * batch, 5);
  const auto middle = run_pass<First>(in, batch, n * batch);
  const auto out = run_pass<columns_of<32, 64, 2048, 8, 8>>(middle, batch, n * batch);
  for (size b = 0; b < batch; ++b) {
    const auto expected = dft(picked(in, b * n, n), direction::forward);
    ASSERT_TRUE(is_accurate<float>(picked(out, b * n, n), expected, n));
  }
}

TEST(grid_pass, columns_are_handed_over_at_an_exchange) {
  check_first_of_two<handed_over<columns_of<64, 1, 2048, 8, 4>>>(2048, 2);
  check_first_of_two<handed_over<columns_of<64, 1, 2048, 4, 16>>>(2048, 2);  // two exchanges
  check_first_of_two<in_halves<handed_over<columns_of<64, 1, 2048, 8, 16>>>>(2048, 3);
  check_first_of_two<in_halves<handed_over<columns_of<64, 1, 2048, 4, 8>>>>(2048, 1);
}

TEST(grid_pass, three_passes_with_two_level_roots) {
  constexpr size n = 1 << 14;
  const auto in = noise<float>(n, 6);
  const auto first = run_pass<columns_of<16, 1, n, 8, 8>>(in, 1, n);
  const auto second = run_pass<columns_of<32, 16, n, 8, 8>>(first, 1, n);
  const auto out = run_pass<columns_of<32, 512, n, 8, 8>>(second, 1, n);
  EXPECT_TRUE(is_accurate<float>(out, dft(in, direction::forward), n));
}

// Bins scrambled: both passes leave their outputs where their inputs lay.

template <unsigned R, unsigned Others, unsigned Elements, unsigned Lanes, bool IsSecond>
struct in_place : whole_rows<R, Elements, Lanes> {
  static constexpr loop_role role = IsSecond ? loop_role::prior : loop_role::groups;
  static constexpr pass_numbers numbers() {
    pass_numbers n = plain_rows<float>(size(R) * Others, Elements, Lanes);
    n.shape.length = R;
    n.prior = IsSecond ? Others : 1;
    return n;
  }
};
template <unsigned R, unsigned Rows, unsigned Elements, unsigned Lanes, bool IsSecond>
struct columns_in_place : in_place<R, Rows, Elements, Lanes, IsSecond> {
  using base = in_place<R, Rows, Elements, Lanes, IsSecond>;
  static constexpr pass_numbers numbers() {
    pass_numbers n = base::numbers();
    n.shape.lanes_across = true;
    n.in.stride = n.in.step = n.out.stride = n.out.step = Rows;
    add_loop(n, {Rows, 1, 1, base::role});
    return n;
  }
};
template <unsigned R, unsigned Columns, unsigned Elements, unsigned Lanes, bool IsSecond>
struct rows_in_place : in_place<R, Columns, Elements, Lanes, IsSecond> {
  using base = in_place<R, Columns, Elements, Lanes, IsSecond>;
  static constexpr pass_numbers numbers() {
    pass_numbers n = base::numbers();
    add_loop(n, {Columns, R, R, base::role});
    return n;
  }
};

TEST(grid_pass, bins_are_scrambled_by_passes_in_place_and_back) {
  constexpr size a = 32, b = 64, n = a * b, batch = 2;
  const auto in = noise<float>(n * batch, 9);
  const auto middle = run_pass<columns_in_place<a, b, 8, 16, false>>(in, batch, n * batch);
  const auto bins = run_pass<rows_in_place<b, a, 8, 4, true>>(middle, batch, n * batch);
  for (size row = 0; row < batch; ++row) {
    const auto natural = dft(picked(in, row * n, n), direction::forward);
    exact expected(n);
    for (size p = 0; p < n; ++p) expected[p] = natural[p / b + a * (p % b)];
    ASSERT_TRUE(is_accurate<float>(picked(bins, row * n, n), expected, n)) << "row " << row;
  }
  const auto rows = run_pass<backwards<rows_in_place<b, a, 8, 4, false>>>(bins, batch, n * batch);
  auto back = run_pass<backwards<columns_in_place<a, b, 8, 16, true>>>(rows, batch, n * batch);
  for (auto& z : back) z = scaled(z, 1.0f / n);
  EXPECT_LE(relative_l2(back, in), 2 * l2_bound<float>(n));
}

// Real transforms.

/// Returns the bins of N pairs of reals.
exact bins_of(const values<float>& pairs) {
  values<float> x;
  for (const auto& z : pairs) {
    x.push_back({z.re, 0});
    x.push_back({z.im, 0});
  }
  auto bins = dft(x, direction::forward);
  bins.resize(pairs.size() + 1);
  return bins;
}

void expect_bins(const values<float>& got, const values<float>& reals, size n, size batch) {
  for (size b = 0; b < batch; ++b) {
    const auto expected = bins_of(picked(reals, b * n, n));
    ASSERT_TRUE(is_accurate<float>(picked(got, b * (n + 1), n + 1), expected, 2 * n))
        << "row " << b;
  }
}

/// The imaginary parts of the first and the last bin are not read.
void spoil_what_is_not_read(values<float>& bins, size n, size batch) {
  for (size b = 0; b < batch; ++b) bins[b * (n + 1)].im = bins[b * (n + 1) + n].im = NAN;
}

void expect_reals(const values<float>& got, const values<float>& reals, size n) {
  values<float> expected = reals;
  for (auto& z : expected) z = scaled(z, 2.0f * static_cast<float>(n));
  ASSERT_LE(relative_l2(got, expected), 2 * l2_bound<float>(2 * n));
}

template <class Rows>
void check_real(size batch) {
  constexpr size n = Rows::numbers().total;
  const auto reals = noise<float>(n * batch, 8);
  auto bins = run_pass<to_bins<Rows>>(reals, batch, (n + 1) * batch);
  expect_bins(bins, reals, n, batch);
  spoil_what_is_not_read(bins, n, batch);
  expect_reals(run_pass<from_bins<Rows>>(bins, batch, n * batch), reals, n);
}

TEST(grid_pass, real_rows_to_bins_and_back) {
  check_real<whole_rows<1, 1, 4>>(5);
  check_real<whole_rows<2, 2, 4>>(3);
  check_real<whole_rows<16, 16, 2>>(3);
  check_real<whole_rows<64, 8, 2>>(3);
  check_real<whole_rows<512, 16, 1>>(2);
}

TEST(grid_pass, staged_real_rows_to_bins_and_back) {
  check_real<staged<whole_rows<2, 2, 8>>>(11);
  check_real<staged<whole_rows<8, 8, 8>>>(9);
  check_real<staged<whole_rows<64, 8, 2>>>(3);
}

/// Columns taken with their mirror images, so that bins k and N - k meet.
template <class Base>
using mirrored_tiles = shaped<shaped<Base, &tile_shape::mirrored>, &tile_shape::stage_out, false>;

TEST(grid_pass, long_real_rows_meet_their_mirror_images) {
  constexpr size n = 1024, batch = 2;
  const auto reals = noise<float>(n * batch, 9);
  const auto middle = run_pass<columns_of<32, 1, n, 8, 8>>(reals, batch, n * batch);
  using separates = to_bins<mirrored_tiles<columns_of<32, 32, n, 8, 8>>>;
  auto bins = run_pass<separates>(middle, batch, (n + 1) * batch);
  expect_bins(bins, reals, n, batch);
  spoil_what_is_not_read(bins, n, batch);
  using joins = from_bins<mirrored_tiles<columns_of<32, 1, n, 8, 8>>>;
  const auto back = run_pass<joins>(bins, batch, n * batch);
  expect_reals(run_pass<backwards<columns_of<32, 32, n, 8, 8>>>(back, batch, n * batch), reals, n);
}

}  // namespace
