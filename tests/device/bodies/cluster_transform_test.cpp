// SPDX-License-Identifier: Apache-2.0
// A cluster's transform as the body of a pass, by itself: registers in, registers out of lines and
// planes, against the long double reference; and where opposite bins of a real transform meet.
#include "wingbeat/device/bodies/cluster_transform.hpp"

#include <gtest/gtest.h>

#include "device/bodies/body_probe.hpp"      // transformed, check_opposites
#include "device/cluster/cluster_probe.hpp"  // as_plane, across, dft_of_plane
#include "support/oracle.hpp"                // dft
#include "support/signal.hpp"                // noise
#include "support/tolerance.hpp"             // is_accurate

namespace {

using namespace wingbeat::test;

template <class Policy>
void check() {
  using real = typename Policy::real;
  constexpr tile_shape shape = Policy::numbers().shape;
  constexpr size n = shape.length;
  const auto x = noise<real>(n * shape.lanes, 1);
  const auto y = transformed<Policy>(x);
  for (size lane = 0; lane < shape.lanes; ++lane) {
    const auto points = picked(x, lane * n, n);
    const auto expected = shape.makes == body::line
                              ? dft(points, Policy::dir)
                              : dft_of_plane(points, shape.first, shape.second, Policy::dir);
    ASSERT_TRUE(is_accurate<real>(picked(y, lane * n, n), expected, n)) << "lane " << lane;
  }
}

template <class Rows>
void check_variants() {
  check<Rows>();
  check<backwards<as_plane<Rows>>>();
  check<across<Rows>>();
  check<across_in<Rows>>();
  check<in_halves<Rows>>();
}

TEST(body_cluster_transform, agrees_with_the_reference) {
  check_variants<cluster_rows<16, 8, 4, 1, 2>>();
  check_variants<cluster_rows<16, 32, 8, 4>>();
  check_variants<cluster_rows<16, 16, 8, 2, 4>>();
  check<cluster_rows<32, 16, 8, 8, 1, double>>();
}

struct spread : across<cluster_rows<16, 8, 4, 2, 2>> {
  static constexpr pass_numbers numbers() {
    pass_numbers n = across<cluster_rows<16, 8, 4, 2, 2>>::numbers();
    n.in.first_stride = 8 * 3;
    n.in.stride = 3;
    n.out.first_stride = 5;
    n.out.stride = 16 * 5;
    return n;
  }
};

TEST(body_cluster_transform, numbers_elements_as_their_strides_place_them) {
  const auto table = rounded_table<float>(spread::numbers());
  run_threads<spread>([&](const auto& group, char* scratch) {
    const body_of<spread> subject(table.data(), scratch, group);
    EXPECT_EQ(subject.part(), group.index() % 2);
    for (unsigned r = 0; r < 4; ++r) {
      EXPECT_EQ(subject.offset_in(r), 3 * subject.number_in(r));
      EXPECT_EQ(subject.offset_out(r), 5 * subject.number_out(r));
    }
    // Threads of a cluster meet before any returns.
    complex<float> held[4] = {};
    subject.run(held);
  });
}

/// Of lines opposite bins add up to N; of planes rows add up to A, and columns to B.
template <class Policy, bool IsOut>
void check_meeting() {
  constexpr pass_numbers numbers = Policy::numbers();
  constexpr bool is_plane = numbers.shape.makes == body::plane;
  constexpr size a = numbers.shape.first, b = numbers.shape.second, n = a * b;
  constexpr size pitch = is_plane ? b + 1 : n;  // of what has bins
  const auto label = [&](const auto& subject, unsigned r) {
    const size bin = IsOut ? subject.offset_out(r) : subject.offset_in(r);
    const size first = IsOut ? subject.offset_out(0) : subject.offset_in(0);
    const bool has_first = IsOut ? subject.has_first_out(0) : subject.has_first_in(0);
    EXPECT_EQ(has_first, is_plane ? first % pitch == 0 : first == 0);
    if (has_first && (is_plane ? bin % pitch == 0 : r == 0)) {
      EXPECT_EQ(IsOut ? subject.behind_out(r) : subject.behind_in(r), bin + (is_plane ? b : n));
    }
    const unsigned lane = IsOut ? subject.lane_out() : subject.lane_in();
    return std::pair{lane * 2 * n + bin, 0U};
  };
  check_opposites<Policy, IsOut>(label, [&](size own, size other) {
    const size bin = own % (2 * n), opposite = other % (2 * n);
    if (own / (2 * n) != other / (2 * n)) return false;  // of another lane
    if (!is_plane) return (bin + opposite) % n == 0;
    return (bin / pitch + opposite / pitch) % a == 0 && (bin % pitch + opposite % pitch) % b == 0;
  });
}

template <class Rows>
void check_both() {
  check_meeting<to_bins<Rows>, true>();
  check_meeting<from_bins<Rows>, false>();
}

TEST(body_cluster_transform, holds_opposite_bins_in_one_workgroup) {
  check_both<cluster_rows<16, 16, 4, 1>>();
  check_both<cluster_rows<16, 32, 8, 4>>();
  check_both<cluster_rows<8, 16, 8, 2, 2>>();
  check_both<as_plane<cluster_rows<16, 8, 4, 1>>>();
  check_both<as_plane<cluster_rows<16, 32, 8, 4>>>();
  check_both<as_plane<cluster_rows<8, 16, 4, 1, 2>>>();
}

}  // namespace
