// SPDX-License-Identifier: Apache-2.0
// Whole passes on the host: rows of a batch that does not fill the last workgroup, staged loads and
// stores, columns of a long transform, real transforms. Outputs are poisoned and guarded.
#include "wingbeat/device/grid/pass.hpp"

#include <gtest/gtest.h>

#include <complex>

#include "device/workgroup/fft_probe.hpp"  // complex
#include "planner/pass.hpp"
#include "planner/roots.hpp"      // table_of
#include "support/oracle.hpp"     // dft
#include "support/signal.hpp"     // noise
#include "support/tolerance.hpp"  // is_accurate

namespace {

using namespace wingbeat::test;
using wingbeat::emulated_group;
using wingbeat::run_workgroup;
using wingbeat::device::direction;
using wingbeat::device::size;
using wingbeat::device::grid::row;
namespace grid = wingbeat::device::grid;
namespace planner = wingbeat::planner;

/// Rounds a pass's roots as a plan does.
template <class Real>
std::vector<complex<Real>> rounded_table(const planner::pass& one) {
  std::vector<complex<Real>> table;
  for (const auto& w : planner::table_of(one)) {
    table.push_back({static_cast<Real>(w.real()), static_cast<Real>(w.imag())});
  }
  table.push_back({});  // never empty
  return table;
}

/// Whole rows of complex numbers, natural layout; the tests derive what differs.
template <unsigned Length, unsigned Elements, unsigned Transforms, class Real = float>
struct whole_rows {
  using real = Real;
  static constexpr direction dir = direction::forward;
  static constexpr unsigned length = Length;
  static constexpr size prior = 1, total = Length;
  static constexpr unsigned elements_per_thread = Elements, transforms = Transforms;
  static constexpr bool lanes_across = false, half_trade = false;
  static constexpr unsigned bank_bytes = 128;
  static constexpr bool stage_in = false, stage_out = false;
  static constexpr row source = row::complex_row, sink = row::complex_row;
  static constexpr size in_pitch = Length, out_pitch = Length;
  static constexpr bool scaled = false;
  static constexpr Real scale = 1;
};

template <class Policy>
planner::pass as_pass() {
  planner::pass one;
  one.length = Policy::length;
  one.prior = Policy::prior;
  one.total = Policy::total;
  one.elements_per_thread = Policy::elements_per_thread;
  one.transforms = Policy::transforms;
  one.source = static_cast<planner::row>(Policy::source);
  one.sink = static_cast<planner::row>(Policy::sink);
  return one;
}

template <class Real>
using values = std::vector<complex<Real>>;

/// Runs every workgroup of a pass over `batch` rows; the output has `out_size` elements, poisoned.
template <class Policy, class Real = typename Policy::real>
values<Real> run_pass(const values<Real>& in, size batch, size out_size) {
  using pass = grid::pass<Policy, emulated_group>;
  constexpr size guard = 64;
  const planner::pass one = as_pass<Policy>();
  const auto table = rounded_table<Real>(one);
  values<Real> out(out_size + guard, {-999, 999});
  const size workgroups = one.workgroups(batch);
  for (size w = 0; w < workgroups; ++w) {
    values<Real> scratch(pass::scratch_bytes / sizeof(complex<Real>) + 1);
    run_workgroup(
        pass::shape::workgroup_threads,
        [&](emulated_group group) {
          const pass here(in.data(), out.data(), table.data(), batch,
                          reinterpret_cast<char*>(scratch.data()), group);
          here.run();
        },
        w);
  }
  for (size i = out_size; i < out.size(); ++i) {
    EXPECT_TRUE(out[i].re == -999 && out[i].im == 999) << "guard element " << i - out_size;
  }
  out.resize(out_size);
  return out;
}

template <class Policy>
void check_rows(size batch) {
  using real = typename Policy::real;
  constexpr size n = Policy::length;
  const auto in = noise<real>(n * batch, 3);
  const auto out = run_pass<Policy>(in, batch, n * batch);
  for (size b = 0; b < batch; ++b) {
    const values<real> x(in.begin() + b * n, in.begin() + (b + 1) * n);
    const values<real> y(out.begin() + b * n, out.begin() + (b + 1) * n);
    ASSERT_TRUE(is_accurate<real>(y, dft(x, Policy::dir), n)) << "row " << b;
  }
}

template <class Base>
struct staged : Base {
  static constexpr bool stage_in = true, stage_out = true;
};

TEST(grid_pass, whole_rows_and_a_partial_workgroup) {
  check_rows<whole_rows<64, 8, 4>>(7);
  check_rows<whole_rows<256, 16, 1>>(3);
  check_rows<whole_rows<2, 2, 8>>(17);
  check_rows<whole_rows<32, 8, 2, double>>(3);
}

TEST(grid_pass, staged_rows) {
  check_rows<staged<whole_rows<2, 2, 16>>>(17);
  check_rows<staged<whole_rows<4, 4, 8>>>(9);
  check_rows<staged<whole_rows<16, 16, 4>>>(7);
  check_rows<staged<whole_rows<16, 4, 4, double>>>(5);
  check_rows<staged<whole_rows<64, 16, 4>>>(3);
}

template <class Base>
struct quartered : Base {
  static constexpr bool scaled = true;
  static constexpr typename Base::real scale = 0.25;
};

TEST(grid_pass, scales_on_the_way_out) {
  constexpr size n = 64;
  const auto in = noise<float>(n, 4);
  const auto plain = run_pass<whole_rows<n, 8, 1>>(in, 1, n);
  const auto scaled = run_pass<quartered<whole_rows<n, 8, 1>>>(in, 1, n);
  for (size k = 0; k < n; ++k) {
    ASSERT_EQ(scaled[k].re, plain[k].re / 4);
    ASSERT_EQ(scaled[k].im, plain[k].im / 4);
  }
}

/// One pass of radix R after prior length P of a transform of length N.
template <unsigned R, size P, size N, unsigned Elements, unsigned Columns>
struct columns_of : whole_rows<R, Elements, Columns> {
  static constexpr size prior = P, total = N;
  static constexpr bool lanes_across = true, stage_out = P == 1;
  static constexpr size in_pitch = N, out_pitch = N;
};

TEST(grid_pass, two_passes_make_a_long_transform) {
  constexpr size n = 2048, batch = 2;
  const auto in = noise<float>(n * batch, 5);
  const auto middle = run_pass<columns_of<64, 1, n, 8, 4>>(in, batch, n * batch);
  const auto out = run_pass<columns_of<32, 64, n, 8, 8>>(middle, batch, n * batch);
  for (size b = 0; b < batch; ++b) {
    const values<float> x(in.begin() + b * n, in.begin() + (b + 1) * n);
    const values<float> y(out.begin() + b * n, out.begin() + (b + 1) * n);
    ASSERT_TRUE(is_accurate<float>(y, dft(x, direction::forward), n));
  }
}

TEST(grid_pass, three_passes_with_two_level_roots) {
  constexpr size n = 1 << 14;
  const auto in = noise<float>(n, 6);
  const auto first = run_pass<columns_of<16, 1, n, 8, 8>>(in, 1, n);
  const auto second = run_pass<columns_of<32, 16, n, 8, 8>>(first, 1, n);
  const auto out = run_pass<columns_of<32, 512, n, 8, 8>>(second, 1, n);
  EXPECT_TRUE(is_accurate<float>(out, dft(in, direction::forward), n));
}

template <unsigned N, unsigned Elements, unsigned Transforms>
struct to_bins : whole_rows<N, Elements, Transforms> {
  static constexpr row sink = row::half_spectrum;
  static constexpr size out_pitch = N + 1;
};

template <unsigned N, unsigned Elements, unsigned Transforms>
struct from_bins : whole_rows<N, Elements, Transforms> {
  static constexpr direction dir = direction::inverse;
  static constexpr row source = row::half_spectrum;
  static constexpr size in_pitch = N + 1;
};

template <unsigned N, unsigned Elements, unsigned Transforms>
void check_real(size batch) {
  // 2N reals are N complex elements; N + 1 bins come out.
  const auto reals = noise<float>(N * batch, 8);
  auto bins = run_pass<to_bins<N, Elements, Transforms>>(reals, batch, (N + 1) * batch);
  for (size b = 0; b < batch; ++b) {
    values<float> x;
    for (size j = 0; j < N; ++j) {
      x.push_back({reals[b * N + j].re, 0});
      x.push_back({reals[b * N + j].im, 0});
    }
    auto expected = dft(x, direction::forward);
    expected.resize(N + 1);
    const values<float> got(bins.begin() + b * (N + 1), bins.begin() + (b + 1) * (N + 1));
    ASSERT_TRUE(is_accurate<float>(got, expected, 2 * N)) << "row " << b;
    // The imaginary parts of the first and the last bin are not read.
    bins[b * (N + 1)].im = bins[b * (N + 1) + N].im = NAN;
  }
  const auto back = run_pass<from_bins<N, Elements, Transforms>>(bins, batch, N * batch);
  values<float> expected = reals;
  for (auto& z : expected) z = scaled(z, 2.0f * N);
  ASSERT_LE(relative_l2(back, expected), 2 * l2_bound<float>(2 * N));
}

TEST(grid_pass, real_rows_to_bins_and_back) {
  check_real<1, 1, 4>(5);
  check_real<2, 2, 4>(3);
  check_real<16, 16, 2>(3);
  check_real<64, 8, 2>(3);
  check_real<512, 16, 1>(2);
}

}  // namespace
