// SPDX-License-Identifier: Apache-2.0
// Texts of functors: names of types as sources have them, and operands as an entry has them.
#include "kernel_text/functor_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <typeinfo>

#include "kernel_text/operands.hpp"            // declared, operand
#include "wingbeat/device/functors/score.hpp"  // score
#include "wingbeat/error.hpp"                  // plan_error

namespace {

using namespace wingbeat;
using ::testing::HasSubstr;

TEST(functor_text, names_classes_as_sources_do) {
  EXPECT_EQ(kernel_text::type_name(typeid(device::functors::score<float, double>).name()),
            "wingbeat::device::functors::score<float, double>");
}

TEST(functor_text, refuses_what_is_no_name_of_a_class) {
  try {
    (void)kernel_text::type_name("!");
    FAIL();
  } catch (const plan_error& refused) {
    EXPECT_THAT(refused.what(), HasSubstr("calls a functor '!'"));
  }
}

TEST(functor_text, hands_on_operands_as_their_structs) {
  const auto input = kernel_parameter::input(4), output = kernel_parameter::output(8);
  const auto value = kernel_parameter::value<float>();
  EXPECT_EQ(kernel_text::declared(input, "a"), "WINGBEAT_GLOBAL const char* a, size a_first");
  EXPECT_EQ(kernel_text::declared(output, "a"), "WINGBEAT_GLOBAL char* a, size a_first");
  EXPECT_EQ(kernel_text::declared(value, "a"), "ends::value_bytes<4> a");
  EXPECT_EQ(kernel_text::operand(input, "a"),
            "wingbeat::device::ends::input_operand<4>{a + a_first * 4}");
  EXPECT_EQ(kernel_text::operand(output, "a"),
            "wingbeat::device::ends::output_operand<8>{a + a_first * 8}");
  EXPECT_EQ(kernel_text::operand(value, "a"), "wingbeat::device::ends::value_operand<4>{a}");
}

}  // namespace
