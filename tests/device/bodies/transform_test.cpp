// SPDX-License-Identifier: Apache-2.0
// A workgroup's transform as the body of a pass, by itself: registers in, registers out, against
// the long double reference; and where opposite bins of a real transform meet.
#include "wingbeat/device/bodies/transform.hpp"

#include <gtest/gtest.h>

#include "device/bodies/body_probe.hpp"  // transformed, check_opposites
#include "support/oracle.hpp"            // dft
#include "support/signal.hpp"            // noise, impulse
#include "support/tolerance.hpp"         // is_accurate

namespace {

using namespace wingbeat::test;

template <class Policy>
void check() {
  using real = typename Policy::real;
  constexpr tile_shape shape = Policy::numbers().shape;
  const auto x = noise<real>(shape.length * shape.lanes, 1);
  const auto y = transformed<Policy>(x);
  for (size lane = 0; lane < shape.lanes; ++lane) {
    const auto expected = dft(picked(x, lane * shape.length, shape.length), Policy::dir);
    ASSERT_TRUE(
        is_accurate<real>(picked(y, lane * shape.length, shape.length), expected, shape.length))
        << "lane " << lane << " of " << shape.lanes;
  }
}

template <class Base>
using without_banks = shaped<Base, &tile_shape::bank_bytes, 0U>;

template <class Rows>
void check_variants() {
  check<Rows>();
  check<backwards<Rows>>();
  check<across<Rows>>();
  check<in_halves<Rows>>();
  check<without_banks<across<Rows>>>();
  check<staged<Rows>>();
}

TEST(body_transform, agrees_with_the_reference) {
  check<whole_rows<1, 1, 4>>();
  check_variants<whole_rows<2, 2, 8>>();
  check_variants<whole_rows<16, 16, 2>>();
  check_variants<whole_rows<64, 8, 4>>();
  check_variants<whole_rows<256, 4, 2, double>>();
  check_variants<whole_rows<512, 32, 1>>();
}

TEST(body_transform, hands_columns_over_at_an_exchange) {
  check<across_in<whole_rows<64, 8, 4>>>();
  check<across_in<whole_rows<64, 4, 16>>>();
  check<in_halves<across_in<backwards<whole_rows<64, 4, 8>>>>>();
}

TEST(body_transform, puts_an_impulse_at_every_position_on_its_tone) {
  constexpr size n = 64;
  for (size offset = 0; offset < n; ++offset) {
    const auto x = impulse<float>(n, offset);
    ASSERT_LE(max_error(transformed<whole_rows<n, 4, 1>>(x), dft(x, direction::forward)),
              element_bound<float>)
        << "impulse at " << offset;
  }
}

struct spread : across_in<whole_rows<64, 8, 4>> {
  static constexpr pass_numbers numbers() {
    pass_numbers n = across_in<whole_rows<64, 8, 4>>::numbers();
    n.in.stride = 3;
    n.out.stride = 10;
    return n;
  }
};

TEST(body_transform, places_its_elements_by_their_strides) {
  const auto table = rounded_table<float>(spread::numbers());
  run_threads<spread>([&](const auto& group, char* scratch) {
    const body_of<spread> subject(table.data(), scratch, group);
    for (unsigned r = 0; r < 8; ++r) {
      EXPECT_EQ(subject.offset_in(r), 3 * subject.number_in(r));
      EXPECT_EQ(subject.offset_out(r), 10 * subject.number_out(r));
      EXPECT_EQ(subject.number_in(r), group.thread() / 4 + 8 * r);
      EXPECT_EQ(subject.number_out(r), group.thread() % 8 + 8 * r);
    }
    EXPECT_EQ(subject.lane_in(), group.thread() % 4);
    EXPECT_EQ(subject.lane_out(), group.thread() / 8);
    EXPECT_EQ(subject.part(), 0U);
  });
}

/// R rows of `Columns` columns, taken with their mirror images: the last pass of an axis, whose
/// outputs meet, or the first of an inverse, whose inputs do.
template <unsigned R, unsigned Columns, unsigned Elements, unsigned Lanes, bool IsLast>
struct mirrored_columns : across<whole_rows<R, Elements, Lanes>> {
  static constexpr pass_numbers numbers() {
    pass_numbers n = across<whole_rows<R, Elements, Lanes>>::numbers();
    n.total = size(R) * Columns;
    n.shape.mirrored = true;
    (IsLast ? n.shape.sink : n.shape.source) = row::half_spectrum;
    n.prior = IsLast ? Columns : 1;
    n.in.step = Columns;
    n.out.step = n.prior;
    return n;
  }
};

template <class Policy, bool IsOut, unsigned Columns>
void check_columns() {
  constexpr pass_numbers numbers = Policy::numbers();
  using columns = wingbeat::device::mirrored<Columns, numbers.shape.lanes / 2>;
  for (unsigned first = 0; first < Columns / 2; first += numbers.shape.lanes / 2) {
    const auto label = [&](const auto& subject, unsigned r) {
      const unsigned column = columns::item(first, subject.lane_in());
      const size index = column + size(subject.number_in(r)) * Columns;
      EXPECT_EQ(subject.has_first_in(column), column == 0 && subject.number_in(0) == 0);
      EXPECT_EQ(IsOut ? subject.behind_out(r) : subject.behind_in(r), numbers.total);
      return std::pair{index, column};
    };
    check_opposites<Policy, IsOut>(
        label, [&](size bin, size other) { return (bin + other) % numbers.total == 0; });
  }
}

TEST(body_transform, holds_opposite_bins_of_mirrored_columns) {
  check_columns<mirrored_columns<32, 16, 8, 8, true>, true, 16>();
  check_columns<mirrored_columns<16, 64, 4, 2, true>, true, 64>();
  check_columns<mirrored_columns<32, 16, 8, 8, false>, false, 16>();
  check_columns<mirrored_columns<8, 8, 8, 4, false>, false, 8>();
}

}  // namespace
