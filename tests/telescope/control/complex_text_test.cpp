// SPDX-License-Identifier: Apache-2.0
// Python's syntax of complex numbers, from its grammar; texts there and back.
#include "control/complex_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

namespace {

using namespace wingbeat::control;
using complex = std::complex<double>;

TEST(complex_text, reads_what_python_reads) {
  const std::pair<const char*, complex> cases[] = {{"1", {1, 0}},
                                                   {"-1.5e3", {-1500, 0}},
                                                   {"+2", {2, 0}},
                                                   {"1j", {0, 1}},
                                                   {"j", {0, 1}},
                                                   {"-j", {0, -1}},
                                                   {"+j", {0, 1}},
                                                   {"1+2j", {1, 2}},
                                                   {"1-2J", {1, -2}},
                                                   {"1+j", {1, 1}},
                                                   {"-1-j", {-1, -1}},
                                                   {"(1+2j)", {1, 2}},
                                                   {" ( 3 ) ", {3, 0}},
                                                   {".5", {0.5, 0}},
                                                   {"5.", {5, 0}},
                                                   {"1e-3-2E+2j", {1e-3, -200}},
                                                   {"\t1.0+0.0j\n", {1, 0}},
                                                   {"1e-400", {0, 0}},
                                                   {"0.1+-0j", {}},
                                                   {"-0.0", {0, 0}}};
  for (const auto& [text, expected] : cases) {
    const auto value = parse_complex(text);
    if (std::strcmp(text, "0.1+-0j") == 0) {
      EXPECT_FALSE(value);
      continue;
    }
    ASSERT_TRUE(value) << text;
    EXPECT_EQ(*value, expected) << text;
  }
}

TEST(complex_text, reads_what_is_not_finite) {
  for (const char* text : {"inf", "-Infinity", "nan", "1+infj", "nanj", "1e999", "2+1e999j"}) {
    const auto value = parse_complex(text);
    ASSERT_TRUE(value) << text;
    EXPECT_FALSE(std::isfinite(value->real()) && std::isfinite(value->imag())) << text;
  }
}

TEST(complex_text, refuses_everything_else) {
  for (const char* text : {"",     " ",    "()",   "(1",    "1)",  "((1))", "1 + 2j", "1+2",
                           "1j+2", "1+2i", "0x10", "1e",    "1e+", "--1",   "1+",     "+",
                           "1jj",  "one",  "1,2",  "1+2j3", "1_",  "infi",  "1..2",   "j1"}) {
    EXPECT_FALSE(parse_complex(text)) << text;
  }
}

TEST(complex_text, real_numbers_have_no_j) {
  EXPECT_EQ(parse_real(" 1.5e9 "), 1.5e9);
  EXPECT_EQ(parse_real("-3"), -3.0);
  for (const char* text : {"1j", "j", "", "(1)", "1+1", "1 2"})
    EXPECT_FALSE(parse_real(text)) << text;
}

TEST(complex_text, writes_as_python_prints) {
  EXPECT_EQ(complex_text({1.0f, 0.0f}), "1.0+0.0j");
  EXPECT_EQ(complex_text({-0.5f, -2.25f}), "-0.5-2.25j");
  EXPECT_EQ(complex_text({0.1f, -0.0f}), "0.1-0.0j");
  EXPECT_EQ(real_text(1764000000.125), "1764000000.125");
  EXPECT_EQ(real_text(1764000000.0), "1764000000.0");
  EXPECT_EQ(real_text(0.0001), "0.0001");
  EXPECT_EQ(real_text(1e-5), "1e-05");
  EXPECT_EQ(real_text(1e16), "1e+16");
  EXPECT_EQ(real_text(-INFINITY), "-inf");
}

TEST(complex_text, floats_survive_there_and_back) {
  std::mt19937 random(2);
  const auto draw = [&] {
    float value = 0.0f;
    do {
      const std::uint32_t bits = random();
      std::memcpy(&value, &bits, sizeof value);
    } while (!std::isfinite(value));
    return value;
  };
  for (int i = 0; i < 20000; ++i) {
    const std::complex<float> value(draw(), draw());
    const auto read = parse_complex(complex_text(value));
    ASSERT_TRUE(read) << complex_text(value);
    ASSERT_EQ(
        std::complex<float>(static_cast<float>(read->real()), static_cast<float>(read->imag())),
        value);
  }
}

}  // namespace
