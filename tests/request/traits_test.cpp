// SPDX-License-Identifier: Apache-2.0
// The table of kinds: every row stands at its enumerator, and agrees with the row of the kind that
// undoes it.
#include "request/traits.hpp"

#include <gtest/gtest.h>

#include <set>

namespace {

using namespace wingbeat;
using request::domain;
using request::traits;
using request::traits_of;

TEST(traits, stand_in_the_order_of_the_kinds) {
  std::set<std::string_view> names;
  std::size_t row = 0, n_names = 0;
  for (const traits& each : request::kinds) {
    EXPECT_EQ(static_cast<std::size_t>(each.kind), row++);
    EXPECT_EQ(&traits_of(each.kind), &each);
    EXPECT_EQ(name_of(each.kind), each.name);
    names.insert(each.name);
    names.insert(each.short_name);
    n_names += each.is_real_to_real() ? 1 : 2;  // those are short as they are
  }
  EXPECT_EQ(names.size(), n_names);
  EXPECT_EQ(name_of(static_cast<transform>(row)), "unknown");
}

TEST(traits, of_the_opposite_kind_have_both_sides_exchanged) {
  for (const traits& each : request::kinds) {
    const traits& back = traits_of(each.opposite);
    EXPECT_EQ(back.opposite, each.kind);
    EXPECT_EQ(back.in, each.out);
    EXPECT_EQ(back.out, each.in);
    EXPECT_EQ(back.is_forward == each.is_forward, each.is_real_to_real());
    EXPECT_EQ(back.functions, each.functions);
    EXPECT_EQ(back.half_in, each.half_out);
    EXPECT_EQ(back.half_out, each.half_in);
    EXPECT_EQ(back.logical_length(7), each.logical_length(7));
  }
}

TEST(traits, of_the_other_axes_are_complex_and_of_the_same_direction) {
  for (const traits& each : request::kinds) {
    const traits& beside = traits_of(each.other_axes);
    if (each.is_real_to_real()) {
      EXPECT_EQ(beside.kind, each.kind);
      continue;
    }
    EXPECT_EQ(beside.is_forward, each.is_forward);
    EXPECT_EQ(beside.in, domain::complex);
    EXPECT_EQ(beside.out, domain::complex);
  }
}

TEST(traits, of_cosines_and_sines_count_the_points_of_a_period) {
  EXPECT_EQ(traits_of(transform::dct1).logical_length(5), 8U);
  EXPECT_EQ(traits_of(transform::dst1).logical_length(5), 12U);
  EXPECT_EQ(traits_of(transform::dht).logical_length(5), 5U);
  for (const transform kind : {transform::dct2, transform::dct3, transform::dct4, transform::dst2,
                               transform::dst3, transform::dst4}) {
    EXPECT_EQ(traits_of(kind).logical_length(5), 10U);
  }
}

TEST(domain, of_a_half_spectrum_has_room_for_the_reals_it_stands_for) {
  for (const std::size_t n : {2U, 3U, 8U, 15U}) {
    EXPECT_EQ(request::count_of(domain::complex, n), n);
    EXPECT_EQ(request::count_of(domain::real, n), n);
    const std::size_t reals =
        request::count_of(domain::hermitian, n) * request::reals_of(domain::hermitian);
    EXPECT_EQ(reals, n % 2 == 0 ? n + 2 : n + 1);
  }
}

}  // namespace
