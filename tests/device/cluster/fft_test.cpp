// SPDX-License-Identifier: Apache-2.0
// Clusters of 1 to 8 workgroups on the host, one std::thread for each of their threads, so that the
// thread sanitizer sees what is read before it arrived: lines, planes, columns side by side, real
// transforms, against the long double reference.
#include "wingbeat/device/cluster/fft.hpp"

#include <gtest/gtest.h>

#include "device/grid/pass_probe.hpp"  // as_pass, run_pass, cluster_rows
#include "support/oracle.hpp"          // dft
#include "support/signal.hpp"          // noise
#include "support/tolerance.hpp"       // is_accurate

namespace {

using namespace wingbeat::test;
using wingbeat::emulated_cluster_group;
using wingbeat::run_cluster;
using wingbeat::device::cluster::kind;
namespace cluster = wingbeat::device::cluster;

template <class Base>
struct as_plane : Base {
  static constexpr cluster::kind kind = cluster::kind::plane;
  static constexpr size out_first_stride = Base::second, out_second_stride = 1;
};
template <class Base>
struct backwards : Base {
  static constexpr direction dir = direction::inverse;
};
template <class Base>
struct in_halves : Base {
  static constexpr bool half_trade = true;
};

// The transform by itself.

/// Returns the transforms of one cluster's lanes: bins k1 + A k2 of a line, [k1][k2] of a plane.
template <class Policy>
values<typename Policy::real> transformed(const values<typename Policy::real>& x) {
  using step = grid::cluster_step_of<Policy, emulated_cluster_group>;
  using fft = typename step::fft;
  constexpr unsigned a = Policy::first, b = Policy::second;
  const auto table = rounded_table<typename Policy::real>(as_pass<Policy>());
  values<typename Policy::real> y(x.size());
  const auto body = [&](const emulated_cluster_group& group, char* scratch) {
    const fft here{table.data(), scratch, group};
    complex<typename Policy::real> held[fft::e];
    for (unsigned r = 0; r < fft::e; ++r) {
      held[r] = x[(size(here.lane_in()) * a + here.n1(r)) * b + here.n2()];
    }
    here.transform(held);
    for (unsigned r = 0; r < fft::e; ++r) {
      const unsigned k1 = here.k1(), k2 = here.k2(r);
      const bool is_line = Policy::kind == kind::line;
      y[size(here.lane()) * a * b + (is_line ? k1 + a * k2 : k1 * b + k2)] = held[r];
    }
  };
  run_cluster(Policy::workgroups, step::shape::workgroup_threads, fft::scratch_bytes, body);
  return y;
}

/// The DFT of a plane of A rows and B columns.
template <class Real>
exact dft_of_plane(const values<Real>& x, size a, size b, direction dir) {
  exact plane(a * b);
  for (size i = 0; i < a; ++i) {
    const auto row = dft(picked(x, i * b, b), dir);
    std::copy(row.begin(), row.end(), plane.begin() + static_cast<std::ptrdiff_t>(i * b));
  }
  for (size j = 0; j < b; ++j) {
    const auto column = dft(picked(plane, j, a, b), dir);
    for (size i = 0; i < a; ++i) plane[i * b + j] = column[i];
  }
  return plane;
}

template <class Policy>
void check() {
  using real = typename Policy::real;
  constexpr size a = Policy::first, b = Policy::second, n = a * b;
  const auto x = noise<real>(n * Policy::lanes, 1);
  const auto y = transformed<Policy>(x);
  for (size lane = 0; lane < Policy::lanes; ++lane) {
    const auto one = picked(x, lane * n, n);
    const auto expected =
        Policy::kind == kind::line ? dft(one, Policy::dir) : dft_of_plane(one, a, b, Policy::dir);
    ASSERT_TRUE(is_accurate<real>(picked(y, lane * n, n), expected, n))
        << a << " x " << b << ", " << Policy::workgroups << " workgroups, lane " << lane;
  }
}

template <class Policy>
void check_variants() {
  check<Policy>();
  check<backwards<Policy>>();
  check<as_plane<Policy>>();
  check<backwards<as_plane<Policy>>>();
}

TEST(cluster_fft, agrees_with_the_reference_on_any_number_of_workgroups) {
  check_variants<cluster_rows<16, 16, 4, 1>>();
  check_variants<cluster_rows<16, 16, 4, 2>>();
  check_variants<cluster_rows<16, 32, 8, 4>>();
  check_variants<cluster_rows<32, 16, 8, 8>>();
}

TEST(cluster_fft, splits_lengths_unevenly) {
  check_variants<cluster_rows<8, 64, 8, 2>>();
  check_variants<cluster_rows<64, 8, 8, 4>>();
  check_variants<cluster_rows<16, 64, 16, 8>>();
}

TEST(cluster_fft, computes_in_double_and_trades_halves) {
  check_variants<cluster_rows<16, 16, 4, 2, 1, double>>();
  check_variants<in_halves<cluster_rows<16, 32, 4, 4, 1, double>>>();
}

template <class Base>
struct side_by_side : Base {
  static constexpr bool lanes_across = true;
};

TEST(cluster_fft, makes_several_lanes) {
  check_variants<cluster_rows<16, 16, 8, 2, 2>>();
  check_variants<side_by_side<cluster_rows<16, 16, 8, 2, 4>>>();
  check_variants<side_by_side<cluster_rows<8, 16, 4, 4, 2>>>();
}

TEST(cluster_fft, puts_an_impulse_at_every_position_on_its_tone) {
  constexpr size n = 64;
  using policy = cluster_rows<8, 8, 4, 2>;
  for (size at = 0; at < n; ++at) {
    const auto x = impulse<float>(n, at);
    ASSERT_LE(max_error(transformed<policy>(x), dft(x, direction::forward)), element_bound<float>)
        << "impulse at " << at;
  }
}

// As a pass of the grid.

TEST(cluster_pass, transforms_rows_of_a_batch_that_leaves_lanes_empty) {
  using policy = cluster_rows<16, 16, 8, 2, 2>;
  constexpr size n = 256, batch = 5;
  const auto in = noise<float>(n * batch, 2);
  const auto out = run_pass<policy>(in, batch, n * batch);
  for (size b = 0; b < batch; ++b) {
    const auto expected = dft(picked(in, b * n, n), direction::forward);
    ASSERT_TRUE(is_accurate<float>(picked(out, b * n, n), expected, n)) << "row " << b;
  }
}

/// Columns of an axis of 256, six neighbours.
struct columns : side_by_side<cluster_rows<16, 16, 8, 2, 4>> {
  using loops = nest<loop<6, 1, 1>>;
  static constexpr size batch_in = 6 * total, batch_out = 6 * total;
  static constexpr size in_first_stride = 16 * 6, in_second_stride = 6;
  static constexpr size out_first_stride = 6, out_second_stride = 16 * 6;
};

TEST(cluster_pass, transforms_columns_side_by_side) {
  constexpr size n = 256, batch = 2;
  const auto in = noise<float>(6 * n * batch, 3);
  const auto out = run_pass<columns>(in, batch, in.size());
  for (size column = 0; column < 6 * batch; ++column) {
    const size at = column / 6 * 6 * n + column % 6;
    const auto expected = dft(picked(in, at, n, 6), direction::forward);
    ASSERT_TRUE(is_accurate<float>(picked(out, at, n, 6), expected, n)) << "column " << column;
  }
}

/// The second pass of an axis of 8 x 256: columns of 256 after 8.
struct after_eight : side_by_side<cluster_rows<16, 16, 8, 2, 4>> {
  using loops = nest<loop<8, 1, 1>>;
  static constexpr size prior = 8, total = 2048, batch_in = total, batch_out = total;
  static constexpr size in_first_stride = 16 * 8, in_second_stride = 8;
  static constexpr size out_first_stride = 8, out_second_stride = 16 * 8;
  static constexpr unsigned turn_along = 0, out_along = 0;
  static constexpr size in_step = 8, out_step = 8;
};
struct of_eight : whole_rows<8, 8, 8> {
  using loops = nest<loop<256, 1, 8>>;
  static constexpr bool lanes_across = true;
  static constexpr size total = 2048, batch_in = total, batch_out = total, in_stride = 256;
};

TEST(cluster_pass, turns_what_a_pass_before_it_made) {
  const auto in = noise<float>(2048, 4);
  const auto out = run_pass<after_eight>(run_pass<of_eight>(in, 1, 2048), 1, 2048);
  EXPECT_TRUE(is_accurate<float>(out, dft(in, direction::forward), 2048));
}

/// The first pass of an axis of 256 x 8, whose outputs lie along the butterfly.
struct before_eight : side_by_side<cluster_rows<16, 16, 8, 4, 4>> {
  using loops = nest<loop<8, 1, 256>>;
  static constexpr bool along_out = true;
  static constexpr size total = 2048, batch_in = total, batch_out = total;
  static constexpr size in_first_stride = 16 * 8, in_second_stride = 8;
};
struct eight_after : whole_rows<8, 8, 16> {
  using loops = nest<loop<256, 1, 1>>;
  static constexpr bool lanes_across = true;
  static constexpr size prior = 256, total = 2048, batch_in = total, batch_out = total;
  static constexpr size in_stride = 256, out_stride = 256, out_step = 256;
  static constexpr unsigned turn_along = 0, out_along = 0;
};

TEST(cluster_pass, stores_along_what_it_loads_across) {
  const auto in = noise<float>(2048, 5);
  const auto out = run_pass<eight_after>(run_pass<before_eight>(in, 1, 2048), 1, 2048);
  EXPECT_TRUE(is_accurate<float>(out, dft(in, direction::forward), 2048));
}

template <class Base>
struct to_bins : Base {
  static constexpr row sink = row::half_spectrum;
  static constexpr size batch_out = Base::total + 1, out_end = Base::total + 1;
};
template <class Base>
struct from_bins : backwards<Base> {
  static constexpr row source = row::half_spectrum;
  static constexpr size batch_in = Base::total + 1, in_end = Base::total + 1;
};

template <class Rows>
void check_real() {
  constexpr size n = Rows::total, batch = Rows::lanes + 1;
  const auto reals = real_noise<float>(2 * n * batch, 5);
  values<float> pairs;
  for (size j = 0; j < n * batch; ++j) pairs.push_back({reals[2 * j], reals[2 * j + 1]});
  auto bins = run_pass<to_bins<Rows>>(pairs, batch, (n + 1) * batch);
  for (size b = 0; b < batch; ++b) {
    auto expected = dft(as_complex(picked(reals, b * 2 * n, 2 * n)), direction::forward);
    expected.resize(n + 1);
    ASSERT_TRUE(is_accurate<float>(picked(bins, b * (n + 1), n + 1), expected, 2 * n));
    bins[b * (n + 1)].im = bins[b * (n + 1) + n].im = NAN;  // these are not read
  }
  const auto back = run_pass<from_bins<Rows>>(bins, batch, n * batch);
  for (auto& z : pairs) z = scaled(z, 2.0f * n);
  ASSERT_LE(relative_l2(back, pairs), 2 * l2_bound<float>(2 * n));
}

TEST(cluster_pass, makes_real_rows_of_mirrored_clusters) {
  check_real<cluster_rows<16, 16, 4, 1>>();
  check_real<cluster_rows<16, 16, 8, 2>>();
  check_real<cluster_rows<16, 32, 8, 4>>();
  check_real<cluster_rows<16, 16, 8, 8>>();
  check_real<cluster_rows<8, 16, 8, 2, 2>>();
}

/// Planes of A rows of 2 B reals, B + 1 bins.
template <class Base>
struct plane_to_bins : to_bins<as_plane<Base>> {
  static constexpr size bins = Base::second + 1, batch_out = Base::first * bins;
  static constexpr size out_first_stride = bins, out_end = bins;
};
template <class Base>
struct plane_from_bins : from_bins<as_plane<Base>> {
  static constexpr size bins = Base::second + 1, batch_in = Base::first * bins;
  static constexpr size in_first_stride = bins, in_end = bins;
};

/// Transforms columns of A numbers, as many as a row has, and hands on each.
template <class Values, class Take>
void each_column(const Values& plane, size a, direction dir, const Take& take) {
  const size columns = plane.size() / a;
  for (size j = 0; j < columns; ++j) {
    const auto column = dft(picked(plane, j, a, columns), dir);
    for (size i = 0; i < a; ++i) take(i * columns + j, column[i]);
  }
}

template <class Rows>
void check_real_plane() {
  constexpr size a = Rows::first, b = Rows::second, bins = b + 1, batch = Rows::lanes + 1;
  const auto reals = real_noise<float>(2 * a * b * batch, 6);
  values<float> pairs;
  for (size j = 0; j < a * b * batch; ++j) pairs.push_back({reals[2 * j], reals[2 * j + 1]});
  const auto made = run_pass<plane_to_bins<Rows>>(pairs, batch, a * bins * batch);
  const auto given = noise<float>(a * bins * batch, 7);  // the bins of no real plane
  const auto back = run_pass<plane_from_bins<Rows>>(given, batch, a * b * batch);
  for (size p = 0; p < batch; ++p) {
    exact rows, expected(a * bins);
    for (size i = 0; i < a; ++i) {
      const auto row = as_complex(picked(reals, (p * a + i) * 2 * b, 2 * b));
      const auto all = dft(row, direction::forward);
      rows.insert(rows.end(), all.begin(), all.begin() + bins);
    }
    each_column(rows, a, direction::forward, [&](size at, auto z) { expected[at] = z; });
    ASSERT_TRUE(is_accurate<float>(picked(made, p * a * bins, a * bins), expected, 2 * a * b));

    // Columns first; of bins 0 and B the real parts count then.
    exact spectrum(a * bins), planes;
    each_column(picked(given, p * a * bins, a * bins), a, direction::inverse,
                [&](size at, auto z) { spectrum[at] = z; });
    for (size i = 0; i < a; ++i) {
      auto row = picked(spectrum, i * bins, bins);
      row.front() = row.front().real();
      row.back() = row.back().real();
      for (size k = b; --k > 0;) row.push_back(conj(row[k]));
      const auto all = dft(row, direction::inverse);
      for (size j = 0; j < b; ++j) planes.emplace_back(all[2 * j].real(), all[2 * j + 1].real());
    }
    ASSERT_TRUE(is_accurate<float>(picked(back, p * a * b, a * b), planes, 2 * a * b));
  }
}

TEST(cluster_pass, makes_real_planes_at_once) {
  check_real_plane<cluster_rows<16, 8, 4, 1>>();
  check_real_plane<cluster_rows<8, 16, 4, 1, 2>>();
  check_real_plane<cluster_rows<16, 16, 8, 2>>();
  check_real_plane<cluster_rows<16, 32, 8, 4>>();
}

}  // namespace
