// SPDX-License-Identifier: Apache-2.0
// A whole row of reals as the body of a pass, by itself: elements in, bins out and back, against
// the long double reference, from plain memory and from what is staged.
#include "wingbeat/device/bodies/real_row.hpp"

#include <gtest/gtest.h>

#include <cmath>  // NAN

#include "device/grid/pass_probe.hpp"  // body_of, run_threads, rounded_table
#include "support/oracle.hpp"          // dft
#include "support/signal.hpp"          // real_noise
#include "support/tolerance.hpp"       // is_accurate

namespace {

using namespace wingbeat::test;

/// Returns elements that a body makes of x, `Policy::numbers().shape.staged_out()` of each lane.
template <class Policy>
values<typename Policy::real> transformed(const values<typename Policy::real>& x) {
  using complex_type = complex<typename Policy::real>;
  constexpr tile_shape shape = Policy::numbers().shape;
  expect_sizes_of_types<Policy>();
  const auto table = rounded_table<typename Policy::real>(Policy::numbers());
  values<typename Policy::real> y(shape.staged_out() * shape.lanes, poison<complex_type>());
  std::vector<unsigned> loaded(x.size()), stored(y.size());
  run_threads<Policy>([&](const auto& group, char* scratch) {
    const body_of<Policy> subject(table.data(), scratch, group);
    const auto byte_of = [&](const complex_type* address) {
      return reinterpret_cast<const char*>(address) - scratch;
    };
    const unsigned arriving = shape.stage_in ? shape.pitch_in() * shape.lanes : 0;
    const unsigned departing = shape.stage_out ? shape.pitch_out() * shape.lanes : 0;
    EXPECT_EQ(byte_of(subject.arrived()), shape.exchange_bytes());
    EXPECT_EQ(byte_of(subject.leaving()), byte_of(subject.arrived() + arriving));
    EXPECT_EQ(byte_of(subject.leaving() + departing), shape.scratch_bytes());
    const auto load = [&](unsigned i) {
      const size offset = subject.lane_in() * shape.staged_in() + i;
      ++loaded[offset];
      return shape.stage_in ? subject.arrived()[subject.lane_in() * shape.pitch_in() + i]
                            : x[offset];
    };
    const auto store = [&](unsigned i, complex_type z) {
      const size offset = subject.lane_in() * shape.staged_out() + i;
      ++stored[offset];
      (shape.stage_out ? subject.leaving()[subject.lane_in() * shape.pitch_out() + i] : y[offset]) =
          z;
    };
    if (shape.stage_in && group.thread() == 0) {
      for (size i = 0; i < x.size(); ++i)
        subject.arrived()[i / shape.staged_in() * shape.pitch_in() + i % shape.staged_in()] = x[i];
    }
    subject.team().workgroup_barrier();
    subject.run(load, store);
    subject.team().workgroup_barrier();
    if (shape.stage_out && group.thread() == 0) {
      for (size i = 0; i < y.size(); ++i)
        y[i] =
            subject.leaving()[i / shape.staged_out() * shape.pitch_out() + i % shape.staged_out()];
    }
  });
  EXPECT_EQ(loaded, std::vector<unsigned>(x.size(), 1)) << "each element is loaded once";
  EXPECT_EQ(stored, std::vector<unsigned>(y.size(), 1)) << "each element is stored once";
  return y;
}

template <class Rows>
void check() {
  using real = typename Rows::real;
  constexpr tile_shape shape = Rows::numbers().shape;
  constexpr size n = shape.length;
  const auto reals = real_noise<real>(2 * n * shape.lanes, 1);
  values<real> pairs;
  for (size j = 0; j < n * shape.lanes; ++j) pairs.push_back({reals[2 * j], reals[2 * j + 1]});
  auto bins = transformed<to_bins<Rows>>(pairs);
  for (size lane = 0; lane < shape.lanes; ++lane) {
    auto expected = dft(as_complex(picked(reals, lane * 2 * n, 2 * n)), direction::forward);
    expected.resize(n + 1);
    ASSERT_TRUE(is_accurate<real>(picked(bins, lane * (n + 1), n + 1), expected, 2 * n))
        << "lane " << lane << " of " << shape.lanes;
    bins[lane * (n + 1)].im = bins[lane * (n + 1) + n].im = NAN;  // these are not read
  }
  for (auto& z : pairs) z = scaled(z, static_cast<real>(2 * n));
  ASSERT_LE(relative_l2(transformed<from_bins<Rows>>(bins), pairs), 2 * l2_bound<real>(2 * n));
}

TEST(body_real_row, makes_bins_and_reals) {
  check<whole_rows<1, 1, 4>>();
  check<whole_rows<2, 2, 8>>();
  check<whole_rows<16, 16, 2>>();
  check<whole_rows<64, 8, 4>>();
  check<whole_rows<256, 4, 1, double>>();
  check<in_halves<whole_rows<128, 8, 2>>>();
}

TEST(body_real_row, takes_neighbours_across_rows) {
  check<across<whole_rows<64, 8, 4>>>();
  check<in_halves<across<whole_rows<128, 16, 2>>>>();
}

TEST(body_real_row, keeps_what_is_staged_apart_from_what_is_exchanged) {
  check<staged<whole_rows<2, 2, 8>>>();
  check<staged<whole_rows<64, 8, 4>>>();
  check<staged<whole_rows<256, 16, 2, double>>>();
}

template <class Base>
using one_sided = shaped<Base, &tile_shape::stage_out>;

TEST(body_real_row, stages_either_side_alone) {
  check<one_sided<whole_rows<64, 8, 4>>>();
}

}  // namespace
