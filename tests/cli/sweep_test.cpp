// SPDX-License-Identifier: Apache-2.0
// Words of the command line as requests: what they become, and what is refused in which sentence.
#include "cli/sweep.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "formats/message.hpp"   // message_of
#include "request/resolved.hpp"  // input_array, output_array
#include "wingbeat/error.hpp"    // plan_error

namespace {

using namespace wingbeat;
using namespace wingbeat::cli;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using axes = std::vector<std::size_t>;

std::vector<plan_spec> problems(sweep_options asked) {
  return problems_of(asked, first_device(engine::reference));
}

std::vector<axes> lengths(const std::string& text) {
  std::vector<axes> result;
  for (const plan_spec& problem : problems({.lengths = text})) result.push_back(problem.lengths);
  return result;
}

std::string refusal(const sweep_options& asked) {
  return test::message_of<plan_error>([&] { static_cast<void>(problems(asked)); });
}

plan_spec one(const std::string& lengths, const std::string& kind, const std::string& layout,
              std::size_t batch = 3) {
  return problems({.lengths = lengths, .kind = kind, .layout = layout, .batch = batch}).front();
}

TEST(sweep, reads_ranges_lists_and_axes) {
  EXPECT_THAT(lengths("2^1..2^4"), ElementsAre(axes{2}, axes{4}, axes{8}, axes{16}));
  EXPECT_THAT(lengths("256,4096"), ElementsAre(axes{256}, axes{4096}));
  EXPECT_THAT(lengths("64x128,2^2x2^3x2^4"), ElementsAre(axes{64, 128}, axes{4, 8, 16}));
  EXPECT_THAT(lengths("8,2^4..2^5,4x4"), ElementsAre(axes{8}, axes{16}, axes{32}, axes{4, 4}));
}

TEST(sweep, refuses_what_is_no_length) {
  for (const std::string text : {"x", "4x", "x4", "4xx4", "2^", "2^x", "four", "0", "-4", "4..",
                                 "4x4..8x8", "4,,8", "1e3", " 4"}) {
    EXPECT_THAT(refusal({.lengths = text}), HasSubstr("is not a length")) << text;
  }
  EXPECT_THAT(refusal({.lengths = ""}), HasSubstr("no length was given"));
  EXPECT_THAT(refusal({.lengths = "2^5..2^4"}), HasSubstr("write the shorter length first"));
  EXPECT_THAT(refusal({.lengths = "3..100"}),
              HasSubstr("'3..100' doubles from 3 to 96 and does not meet 100; end it at 96"));
  EXPECT_THAT(lengths("3..24"), ElementsAre(axes{3}, axes{6}, axes{12}, axes{24}));
  for (const std::string text : {"8,", "4..8,", ",8", "+8", "0x10", "8 ", "2^+3", ""}) {
    EXPECT_NE(refusal({.lengths = text}), "") << text;
  }
}

TEST(sweep, ends_at_the_longest_length) {
  const auto most = max_length;
  for (const std::string text :
       {"2^63", "2^64", "2^99999999999999999999", "1..18446744073709551615",
        "1..18446744073709551616", "1..9223372036854775808", "2^1..2^63", "2^1..2^29", "2^29..2^1",
        "8,268435457", "99999999999999999999999", "128x2^40", "9223372036854775808x2"}) {
    EXPECT_THAT(refusal({.lengths = text}),
                HasSubstr("is too long; the longest length is 268435456 = 2^28"))
        << text;
  }
  EXPECT_EQ(lengths("1..2^28").size(), 29U);
  EXPECT_EQ(lengths("268435456").front().front(), most);
}

TEST(sweep, reads_decimal_numbers_alone) {
  EXPECT_THAT(lengths("0100,2^010,064x08"), ElementsAre(axes{100}, axes{1024}, axes{64, 8}));
  EXPECT_EQ(one("8", "c2c", "strided=010").in.strides, (axes{10}));
}

TEST(sweep, knows_kinds_by_both_their_names) {
  EXPECT_EQ(one("8", "c2c", "packed").kind, transform::forward);
  EXPECT_EQ(one("8", "c2c-inverse", "packed").kind, transform::inverse);
  EXPECT_EQ(one("8", "r2c", "packed").kind, transform::forward_from_real);
  EXPECT_EQ(one("8", "c2r", "packed").kind, transform::inverse_to_real);
  EXPECT_EQ(one("8", "inverse_to_real", "packed").kind, transform::inverse_to_real);
  EXPECT_EQ(one("8", "dct2", "packed").kind, transform::dct2);
  EXPECT_EQ(one("4x8", "dct2,dst1", "packed").kind, transform::dst1);
  EXPECT_THAT(one("4x8", "dct2,dst1", "packed").axis_kinds,
              ElementsAre(transform::dct2, transform::dst1));
  EXPECT_THAT(refusal({.kind = "dct"}), HasSubstr("choose c2c, c2c-inverse, r2c or c2r"));
}

TEST(sweep, knows_four_precisions) {
  for (const std::string name : {"fp16", "bf16", "fp32", "fp64"}) {
    EXPECT_EQ(name_of(problems({.precision = name}).front().real), name);
  }
  EXPECT_THAT(refusal({.precision = "fp8"}), HasSubstr("choose fp32, fp64, fp16 or bf16"));
}

TEST(sweep, fills_the_bytes_that_were_asked_for) {
  // 2^20 bytes hold 64 times 1024 complex fp32 in and 1024 out.
  EXPECT_EQ(std::size_t{problems({.lengths = "1024", .mib = 1}).front().batch}, 64U);
  EXPECT_EQ(std::size_t{problems({.lengths = "1024", .layout = "in-place", .mib = 1})[0].batch},
            128U);
  EXPECT_EQ(std::size_t{problems({.lengths = "1024", .layout = "strided=2", .mib = 1})[0].batch},
            32U);
  EXPECT_EQ(std::size_t{problems({.lengths = "2^20", .mib = 1}).front().batch}, 1U);
  EXPECT_EQ(std::size_t{problems({.lengths = "1024", .batch = 5, .mib = 1}).front().batch}, 5U);
}

TEST(sweep, places_elements_as_the_layout_says) {
  EXPECT_TRUE(one("4x8", "c2c", "packed").in.is_packed());
  EXPECT_EQ(one("4x8", "c2c", "in-place").where, placement::in_place);

  const plan_spec strided = one("4x8", "r2c", "strided=3");
  EXPECT_EQ(strided.in.strides, (axes{24, 3}));
  EXPECT_EQ(strided.in.distances, (axes{96}));
  EXPECT_EQ(strided.out.strides, (axes{15, 3}));
  EXPECT_EQ(strided.out.distances, (axes{60}));

  const plan_spec padded = one("4x8", "r2c", "padded=1");
  EXPECT_EQ(padded.in.strides, (axes{9, 1}));
  EXPECT_EQ(padded.in.distances, (axes{36}));
  EXPECT_EQ(padded.out.strides, (axes{6, 1}));

  const plan_spec mixed = one("4x8", "c2c", "interleaved", 7);
  EXPECT_EQ(mixed.in.strides, (axes{56, 7}));
  EXPECT_EQ(mixed.in.distances, (axes{1}));

  const plan_spec planar = one("4x8", "r2c", "planar", 7);
  EXPECT_EQ(planar.in.imaginary_at, 0U);
  EXPECT_EQ(planar.out.imaginary_at, 4U * 5 * 7);
}

TEST(sweep, layouts_put_no_two_elements_in_one_place) {
  for (const std::string layout :
       {"packed", "in-place", "planar", "interleaved", "strided=2", "padded=3"}) {
    for (const std::string lengths : {"8", "4x8", "2x4x8"}) {
      for (const std::string kind : {"c2c", "r2c", "c2r"}) {
        const plan_spec spec = one(lengths, kind, layout);
        EXPECT_FALSE(request::input_array(spec).may_overlap()) << layout << lengths << kind;
        EXPECT_FALSE(request::output_array(spec).may_overlap()) << layout << lengths << kind;
      }
    }
  }
}

TEST(sweep, refuses_what_is_no_layout) {
  for (const std::string text :
       {"", "dense", "strided", "strided=", "strided=0", "strided=x", "padded=-1", "strided=0x4",
        "strided=+4", "padded=1048577", "padded=99999999999999999999", "packed=2", "in-place=1",
        "strided=2=3"}) {
    EXPECT_THAT(refusal({.layout = text}), HasSubstr("there is no layout")) << text;
  }
}

TEST(sweep, says_axes_as_they_were_given) {
  EXPECT_EQ(axes_text(one("4x8x16", "c2c", "packed")), "4x8x16");
  EXPECT_EQ(axes_text(one("2^10", "c2c", "packed")), "1024");
}

}  // namespace
