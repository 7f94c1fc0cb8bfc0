// SPDX-License-Identifier: Apache-2.0
// Constants as text: each member is set by its name, and none is left out.
#include "kernel_text/constants.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "wingbeat/device/channeliser/downconvert.hpp"       // downconvert_numbers
#include "wingbeat/device/channeliser/filter.hpp"            // bank_numbers
#include "wingbeat/device/channeliser/sample_histogram.hpp"  // histogram_numbers
#include "wingbeat/device/ends/array_part.hpp"               // array_part
#include "wingbeat/device/ends/functor.hpp"                  // fused_numbers

namespace {

using namespace wingbeat;
using ::testing::HasSubstr;

/// Expects that `each` names every member once; Count is how many there are, or does not compile.
/// (Elements of arrays count.)
template <class Numbers, unsigned Count>
void expect_every_member() {
  static_assert(device::ends::has_members<Numbers, Count>);
  std::set<std::string> names;
  Numbers{}.each([&](const char* name, const auto&) { names.insert(name); });
  EXPECT_EQ(names.size(), Count);
}

TEST(kernel_text_constants, are_all_members) {
  expect_every_member<device::ends::fused_numbers, 10>();
  expect_every_member<device::ends::array_part, 14>();
  expect_every_member<device::channeliser::bank_numbers, 17>();
  expect_every_member<device::channeliser::downconvert_numbers, 4>();
  expect_every_member<device::channeliser::histogram_numbers, 4>();
}

TEST(kernel_text_constants, are_set_by_their_names) {
  const device::ends::fused_numbers numbers{
      .length = 12, .is_real = true, .taken = device::ends::reals::unpaired, .lines = 3};
  const std::string text = kernel_text::assignments(numbers, "rows.");
  EXPECT_THAT(text, HasSubstr("    n.rows.length = 12u;\n"));
  EXPECT_THAT(text, HasSubstr("    n.rows.is_real = true;\n"));
  EXPECT_THAT(text, HasSubstr("    n.rows.taken = decltype(n.rows.taken)(2);\n"));
  EXPECT_THAT(text, HasSubstr("    n.rows.lines = 3u;\n"));
  EXPECT_THAT(text, HasSubstr("    n.rows.is_dense = false;\n"));
  EXPECT_EQ(kernel_text::assignment("bin_exponent", -3), "    n.bin_exponent = -3;\n");
  EXPECT_EQ(kernel_text::assignment("scale", 0.1), "    n.scale = 0x1.999999999999ap-4;\n");
}

TEST(kernel_text_constants, are_returned_by_a_policy) {
  EXPECT_EQ(kernel_text::policy("rows", "  using real = float;\n", "numbers", "    n.a = 1;\n"),
            "struct rows {\n  using real = float;\n"
            "  WINGBEAT_FN static constexpr numbers numbers() {\n"
            "    numbers n{};\n    n.a = 1;\n    return n;\n  }\n};\n");
}

}  // namespace
