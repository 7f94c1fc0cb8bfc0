// SPDX-License-Identifier: Apache-2.0
// The language of test signals: what it means, and the sentences about what it does not.
#include "signals/expression.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/refusal.hpp"  // refusal

namespace {

using namespace wingbeat;
using namespace wingbeat::signals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using wingbeat::test::refusal;
using kind = signal_node::kind;

double number_of(const std::string& text) {
  const auto parsed = parse_signal(text);
  EXPECT_EQ(parsed.root->form, kind::constant) << text;
  return parsed.root->numbers.at(0);
}

std::string why(const std::string& text) {
  return refusal([&] { static_cast<void>(parse_signal(text)); });
}

TEST(signal_expression, computes_with_numbers) {
  EXPECT_EQ(number_of("1"), 1);
  EXPECT_EQ(number_of(" .5e-3 "), 0.5e-3);
  EXPECT_EQ(number_of("1 + 2 * 3 - 4"), 3);
  EXPECT_EQ(number_of("(1 + 2) * -3"), -9);
  EXPECT_EQ(number_of("8 - 4 - 2"), 2);
  EXPECT_EQ(number_of("--2"), 2);
  EXPECT_EQ(number_of("a = 3; b_2 = a * a;\n b_2 - 1;"), 8);
}

TEST(signal_expression, knows_its_functions) {
  const auto tone = parse_signal("level = 0.5; cw(level, 2 * 100e6)").root;
  EXPECT_EQ(tone->form, kind::cw);
  EXPECT_THAT(tone->numbers, ElementsAre(0.5, 200e6));
  EXPECT_THAT(parse_signal("comb(1, 1e3)").root->numbers, ElementsAre(1, 1e3));
  EXPECT_THAT(parse_signal("wgn(0.1, 7)").root->numbers, ElementsAre(0.1, 7));
  const auto tones = parse_signal("multicw(3, 0.1, 1e6, 5e5)").root;
  ASSERT_EQ(tones->form, kind::sum);
  ASSERT_EQ(tones->parts.size(), 3u);
  EXPECT_THAT(tones->parts[2]->numbers, ElementsAre(0.1, 2e6));
  const auto late = parse_signal("delay(cw(1, 2) + 3, -17)").root;
  EXPECT_EQ(late->form, kind::delay);
  EXPECT_THAT(late->numbers, ElementsAre(-17));
  EXPECT_EQ(late->parts.at(0)->form, kind::sum);
  EXPECT_TRUE(parse_signal("cw(1, 2)").has_dither);
  EXPECT_FALSE(parse_signal("nodither(cw(1, 2))").has_dither);
  EXPECT_FALSE(parse_signal("x = nodither(cw(1, 2)); (x)").has_dither);
}

TEST(signal_expression, refuses_with_a_column) {
  EXPECT_EQ(why(""), "column 1: the text ends; a number, a name or '(' is missing");
  EXPECT_EQ(why("cw(1, 2) cw(1, 2)"),
            "column 10: 'c' stands where the end, or ';' before it if this names a value is "
            "expected");
  EXPECT_EQ(why("1 + "), "column 5: the text ends; a number, a name or '(' is missing");
  EXPECT_EQ(why("(1 + 2"), "column 7: the text ends; ')' is missing");
  EXPECT_EQ(why("1 + \x01"), "column 5: '?' stands where a number, a name or '(' is expected");
  EXPECT_EQ(why("tone(1)"),
            "column 1: there is no function tone; use cw, multicw, comb, wgn, delay or nodither");
  EXPECT_EQ(why("2 * x"), "column 5: x has no value; give it one before, as in 'x = 2;'");
  EXPECT_EQ(why("cw = 1; cw"), "column 1: cw is a function; choose another name");
  EXPECT_EQ(why("x = 1; x = 2; x"), "column 8: x has a value already; choose another name");
  EXPECT_THAT(why("x = 1"), StartsWith("column 6: the text ends; ';' is missing"));
  EXPECT_THAT(why("cw(1)"), HasSubstr("give cw(amplitude, frequency)"));
  EXPECT_THAT(why("cw(1, 2, 3)"), AllOf(StartsWith("column 8: "), HasSubstr("give cw(")));
  EXPECT_THAT(why("delay(1)"), HasSubstr("give delay(signal, samples)"));
  EXPECT_EQ(why("cw(cw(1, 2), 3)"), "column 4: the amplitude of cw is a signal; give a number");
  EXPECT_THAT(why("delay(1, 0.5)"), StartsWith("column 10: the samples of delay is 0.5; give a "
                                               "whole number from "));
  EXPECT_THAT(why("wgn(-1, 0)"),
              StartsWith("column 5: the std of wgn is -1; give a number from 0"));
  EXPECT_THAT(why("wgn(1, -1)"), HasSubstr("the seed of wgn is -1"));
  EXPECT_THAT(why("multicw(1e9, 1, 1, 1)"), HasSubstr("from 1 to 4096"));
  EXPECT_THAT(why("5x"), HasSubstr("write '*' between them"));
  EXPECT_THAT(why("1e999"), HasSubstr("beyond a double"));
  EXPECT_THAT(why("1e308 * 10"), HasSubstr("beyond what a double holds"));
  EXPECT_THAT(why("2 * nodither(cw(1, 2))"), HasSubstr("put it around the whole signal"));
  EXPECT_THAT(why("delay(nodither(cw(1, 2)), 3)"), HasSubstr("put it outside"));
}

TEST(signal_expression, has_a_text_of_its_values_alone) {
  EXPECT_EQ(text_of(parse_signal("a = 2; b = cw(a, 3); nodither(a * (b + wgn(0.5, 7)) - b);")),
            "nodither(2 * (cw(2, 3) + wgn(0.5, 7)) + -1 * cw(2, 3))");
  for (const char* const text :
       {"1", "-2.5", "cw(0.2, 321e6) + wgn(0.05, 9007199254740992)", "-(1 + cw(1, 2)) * comb(1, 3)",
        "delay(multicw(3, 0.1, 1e5, 2.5), -12) - 1e-300", "nodither(0.1 * wgn(1, 2))"}) {
    const std::string once = text_of(parse_signal(text));
    EXPECT_EQ(text_of(parse_signal(once)), once);
  }
}

TEST(signal_expression, limits_its_own_size) {
  EXPECT_THAT(why(std::string(100, '(') + "1"), HasSubstr("nested 61 deep; 60 are allowed"));
  EXPECT_THAT(why(std::string(100000, ' ')), HasSubstr("the text has 100000 characters"));
  std::string doubling = "x0 = cw(1, 2);";
  for (int i = 1; i < 20; ++i) {
    const std::string before = "x" + std::to_string(i - 1);
    doubling += "x" + std::to_string(i) + " = " + before + " * (" + before + " + 1);";
  }
  EXPECT_THAT(why(doubling + "x19"), HasSubstr("parts, 25 within each other"));
  std::string deep = "cw(1, 2)";
  for (int i = 0; i < 50; ++i) deep = "delay(" + deep + ", 1)";
  EXPECT_NO_THROW(static_cast<void>(parse_signal(deep)));
  std::string deeper = "x";
  for (int i = 0; i < 10; ++i) deeper = "delay(" + deeper + ", 1)";
  EXPECT_THAT(why("x = " + deep + ";" + deeper), HasSubstr("61 within each other"));
}

}  // namespace
