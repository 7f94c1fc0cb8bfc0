// SPDX-License-Identifier: Apache-2.0
// Clusters of 1 to 8 workgroups on the host, one std::thread for each of their threads, so that the
// thread sanitizer sees what is read before it arrived: lines, planes, columns side by side, real
// transforms, against the long double reference.
#include "wingbeat/device/cluster/fft.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "device/cluster/cluster_probe.hpp"  // as_plane, across, dft_of_plane
#include "device/grid/pass_probe.hpp"        // run_pass, cluster_rows
#include "support/oracle.hpp"                // dft
#include "support/signal.hpp"                // noise
#include "support/tolerance.hpp"             // is_accurate

namespace {

using namespace wingbeat::test;
using wingbeat::emulated_cluster_group;

// The transform by itself.

/// Returns the transforms of one cluster's lanes: bins k1 + A k2 of a line, [k1][k2] of a plane.
template <class Policy>
values<typename Policy::real> transformed(const values<typename Policy::real>& x) {
  using fft = typename body_of<Policy>::fft;
  constexpr pass_numbers numbers = Policy::numbers();
  constexpr unsigned a = numbers.shape.first, b = numbers.shape.second;
  constexpr bool is_line = numbers.shape.makes == body::line;
  const auto table = rounded_table<typename Policy::real>(numbers);
  values<typename Policy::real> y(x.size());
  run_threads<Policy>([&](const emulated_cluster_group& group, char* scratch) {
    const fft subject{table.data(), scratch, group};
    complex<typename Policy::real> held[fft::e];
    for (unsigned r = 0; r < fft::e; ++r) {
      held[r] = x[(size(subject.lane_in()) * a + subject.n1(r)) * b + subject.n2()];
    }
    subject.transform(held);
    for (unsigned r = 0; r < fft::e; ++r) {
      const unsigned k1 = subject.k1(), k2 = subject.k2(r);
      y[size(subject.lane()) * a * b + (is_line ? k1 + a * k2 : k1 * b + k2)] = held[r];
    }
  });
  return y;
}

template <class Policy>
void check() {
  using real = typename Policy::real;
  constexpr tile_shape shape = Policy::numbers().shape;
  constexpr size a = shape.first, b = shape.second, n = a * b;
  const auto x = noise<real>(n * shape.lanes, 1);
  const auto y = transformed<Policy>(x);
  for (size lane = 0; lane < shape.lanes; ++lane) {
    const auto points = picked(x, lane * n, n);
    const auto expected = shape.makes == body::line ? dft(points, Policy::dir)
                                                    : dft_of_plane(points, a, b, Policy::dir);
    ASSERT_TRUE(is_accurate<real>(picked(y, lane * n, n), expected, n))
        << a << " x " << b << ", " << shape.workgroups << " workgroups, lane " << lane;
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

TEST(cluster_fft, splits_lengths_that_are_no_powers_of_two) {
  check_variants<cluster_rows<12, 18, 6, 1>>();
  check_variants<cluster_rows<12, 18, 6, 2>>();
  check_variants<cluster_rows<12, 24, 3, 4>>();
  check_variants<cluster_rows<30, 20, 10, 5>>();
  check_variants<cluster_rows<35, 21, 7, 7>>();
  check_variants<cluster_rows<16, 24, 8, 4>>();
  check_variants<in_halves<cluster_rows<18, 12, 6, 2, 1, double>>>();
  check_variants<across<cluster_rows<12, 18, 6, 2, 4>>>();
  check_variants<cluster_rows<15, 30, 15, 3, 2>>();
}

TEST(cluster_fft, computes_in_double_and_trades_halves) {
  check_variants<cluster_rows<16, 16, 4, 2, 1, double>>();
  check_variants<in_halves<cluster_rows<16, 32, 4, 4, 1, double>>>();
}

TEST(cluster_fft, makes_several_lanes) {
  check_variants<cluster_rows<16, 16, 8, 2, 2>>();
  check_variants<across<cluster_rows<16, 16, 8, 2, 4>>>();
  check_variants<across<cluster_rows<8, 16, 4, 4, 2>>>();
}

TEST(cluster_fft, puts_an_impulse_at_every_position_on_its_tone) {
  constexpr size n = 64;
  using policy = cluster_rows<8, 8, 4, 2>;
  for (size offset = 0; offset < n; ++offset) {
    const auto x = impulse<float>(n, offset);
    ASSERT_LE(max_error(transformed<policy>(x), dft(x, direction::forward)), element_bound<float>)
        << "impulse at " << offset;
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

/// Columns of an axis, whose elements lie `stride` apart on each side.
constexpr pass_numbers columns_of(pass_numbers n, size in_stride, size out_stride) {
  n.in.stride = in_stride;
  n.in.first_stride = n.shape.second * in_stride;
  n.out.first_stride = out_stride;
  n.out.stride = n.shape.first * out_stride;
  return n;
}

/// Columns of an axis of 256, six neighbours.
struct columns : across<cluster_rows<16, 16, 8, 2, 4>> {
  static constexpr pass_numbers numbers() {
    pass_numbers n = columns_of(across<cluster_rows<16, 16, 8, 2, 4>>::numbers(), 6, 6);
    add_loop(n, {6, 1, 1});
    n.in.distance = n.out.distance = 6 * n.total;
    return n;
  }
};

TEST(cluster_pass, transforms_columns_side_by_side) {
  constexpr size n = 256, batch = 2;
  const auto in = noise<float>(6 * n * batch, 3);
  const auto out = run_pass<columns>(in, batch, in.size());
  for (size column = 0; column < 6 * batch; ++column) {
    const size offset = column / 6 * 6 * n + column % 6;
    const auto expected = dft(picked(in, offset, n, 6), direction::forward);
    ASSERT_TRUE(is_accurate<float>(picked(out, offset, n, 6), expected, n)) << "column " << column;
  }
}

/// The second pass of an axis of 8 x 256: columns of 256 after 8.
struct after_eight : across<cluster_rows<16, 16, 8, 2, 4>> {
  static constexpr pass_numbers numbers() {
    pass_numbers n = columns_of(across<cluster_rows<16, 16, 8, 2, 4>>::numbers(), 8, 8);
    add_loop(n, {8, 1, 1, loop_role::prior});
    n.prior = 8;
    n.total = n.in.distance = n.out.distance = 2048;
    n.in.step = n.out.step = 8;
    return n;
  }
};
struct of_eight : whole_rows<8, 8, 8> {
  static constexpr pass_numbers numbers() {
    pass_numbers n = whole_rows<8, 8, 8>::numbers();
    add_loop(n, {256, 1, 8, loop_role::groups});
    n.shape.lanes_across = true;
    n.total = n.in.distance = n.out.distance = 2048;
    n.in.stride = n.in.step = 256;
    return n;
  }
};

TEST(cluster_pass, twiddles_the_output_of_a_pass_before_it) {
  const auto in = noise<float>(2048, 4);
  const auto out = run_pass<after_eight>(run_pass<of_eight>(in, 1, 2048), 1, 2048);
  EXPECT_TRUE(is_accurate<float>(out, dft(in, direction::forward), 2048));
}

/// The first pass of an axis of 256 x 8, whose outputs lie along the butterfly.
struct before_eight : across<cluster_rows<16, 16, 8, 4, 4>> {
  static constexpr pass_numbers numbers() {
    pass_numbers n = columns_of(across<cluster_rows<16, 16, 8, 4, 4>>::numbers(), 8, 1);
    add_loop(n, {8, 1, 256, loop_role::groups});
    n.shape.along_out = true;
    n.total = n.in.distance = n.out.distance = 2048;
    n.in.step = 8;
    return n;
  }
};
struct eight_after : whole_rows<8, 8, 16> {
  static constexpr pass_numbers numbers() {
    pass_numbers n = whole_rows<8, 8, 16>::numbers();
    add_loop(n, {256, 1, 1, loop_role::prior});
    n.shape.lanes_across = true;
    n.prior = 256;
    n.total = n.in.distance = n.out.distance = 2048;
    n.in.stride = n.in.step = n.out.stride = n.out.step = 256;
    return n;
  }
};

TEST(cluster_pass, stores_along_what_it_loads_across) {
  const auto in = noise<float>(2048, 5);
  const auto out = run_pass<eight_after>(run_pass<before_eight>(in, 1, 2048), 1, 2048);
  EXPECT_TRUE(is_accurate<float>(out, dft(in, direction::forward), 2048));
}

template <class Rows>
void check_real() {
  constexpr pass_numbers numbers = Rows::numbers();
  constexpr size n = numbers.total, batch = numbers.shape.lanes + 1;
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

/// Transforms columns of A numbers, as many as a row has, and hands on each.
template <class Values, class Take>
void each_column(const Values& plane, size a, direction dir, const Take& take) {
  const size columns = plane.size() / a;
  for (size j = 0; j < columns; ++j) {
    const auto column = dft(picked(plane, j, a, columns), dir);
    for (size i = 0; i < a; ++i) take(i * columns + j, column[i]);
  }
}

/// Planes of A rows of 2 B reals, B + 1 bins.
template <class Rows>
void check_real_plane() {
  constexpr tile_shape shape = Rows::numbers().shape;
  constexpr size a = shape.first, b = shape.second, bins = b + 1, batch = shape.lanes + 1;
  const auto reals = real_noise<float>(2 * a * b * batch, 6);
  values<float> pairs;
  for (size j = 0; j < a * b * batch; ++j) pairs.push_back({reals[2 * j], reals[2 * j + 1]});
  const auto produced = run_pass<to_bins<as_plane<Rows>>>(pairs, batch, a * bins * batch);
  const auto given = noise<float>(a * bins * batch, 7);  // the bins of no real plane
  const auto back = run_pass<from_bins<as_plane<Rows>>>(given, batch, a * b * batch);
  for (size p = 0; p < batch; ++p) {
    exact rows, expected(a * bins);
    for (size i = 0; i < a; ++i) {
      const auto row = as_complex(picked(reals, (p * a + i) * 2 * b, 2 * b));
      const auto transformed = dft(row, direction::forward);
      rows.insert(rows.end(), transformed.begin(), transformed.begin() + bins);
    }
    each_column(rows, a, direction::forward, [&](size at, auto z) { expected[at] = z; });
    ASSERT_TRUE(is_accurate<float>(picked(produced, p * a * bins, a * bins), expected, 2 * a * b));

    // Columns first; of bins 0 and B the real parts count then.
    exact spectrum(a * bins), planes;
    each_column(picked(given, p * a * bins, a * bins), a, direction::inverse,
                [&](size at, auto z) { spectrum[at] = z; });
    for (size i = 0; i < a; ++i) {
      auto row = picked(spectrum, i * bins, bins);
      row.front() = row.front().real();
      row.back() = row.back().real();
      for (size k = b; --k > 0;) row.push_back(conj(row[k]));
      const auto transformed = dft(row, direction::inverse);
      for (size j = 0; j < b; ++j)
        planes.emplace_back(transformed[2 * j].real(), transformed[2 * j + 1].real());
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

/// A store that keeps the places one thread writes, in order.
class listed_store {
 public:
  using element = complex<float>;
  static constexpr bool has_parts = false, reduces = false;
  explicit listed_store(std::vector<size>* places) : places_(places) {}
  void put(size offset, size, complex<float>) const { places_->push_back(offset); }

 private:
  std::vector<size>* places_;
};

TEST(cluster_pass, stores_bins_of_planes_side_by_side) {
  using policy = to_bins<as_plane<cluster_rows<16, 8, 4, 1, 2>>>;
  using load = ends::complex_load<float, float>;
  using pass = grid::pass<policy, body_of<policy>, load, listed_store>;
  constexpr size columns = 9, n_bins = 2 * 16 * columns;
  constexpr unsigned threads = pass::workgroup_threads;
  const auto pairs = noise<float>(2 * 16 * 8, 8);
  const auto table = rounded_table<float>(policy::numbers());
  std::vector<std::vector<size>> places(threads);
  run_threads<policy>([&](const auto& group, char* scratch) {
    pass({pairs.data()}, listed_store{&places[group.thread()]}, table.data(), scratch, group)
        .run(0, 2);
  });
  std::vector<unsigned> stored(n_bins);
  for (unsigned t = 0; t < threads; ++t) {
    for (std::size_t s = 0; s < places[t].size(); ++s) {
      ++stored[places[t][s]];
      // All threads of whole rows store one run at a time.
      EXPECT_EQ(places[t][s], s * (threads / columns * columns) + t) << "thread " << t;
    }
  }
  EXPECT_EQ(stored, std::vector<unsigned>(n_bins, 1));
}

}  // namespace
