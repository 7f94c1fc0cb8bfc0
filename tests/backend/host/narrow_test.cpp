// SPDX-License-Identifier: Apache-2.0
// fp16 and bf16: rounded once, at the end, to nearest even; what is kept between passes is fp32.
#include <gtest/gtest.h>

#include <cmath>    // isnan, ldexp
#include <cstdint>  // uint16_t
#include <cstring>  // memcpy
#include <vector>

#include "backend/host/on_instruction_set.hpp"  // on_instruction_set, every_instruction_set
#include "functors/stored_number.hpp"           // with_stored
#include "support/memory.hpp"                   // transformed
#include "support/plan_check.hpp"               // expect_right_plan
#include "wingbeat/device/half.hpp"             // half_float

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

class host_narrow : public on_instruction_set {
 protected:
  /// Returns the real parts of bins 0 and 1 of `count` transforms of (a, b): a + b and a - b.
  std::vector<float> sums(precision real, float a, float b, std::size_t count) {
    return with_stored<float>(real, [&](auto number) {
      using stored = decltype(number);
      std::vector<stored> x;
      for (std::size_t row = 0; row < count; ++row) {
        x.insert(x.end(), {stored(a), stored(0.0F), stored(b), stored(0.0F)});
      }
      const auto y = transformed(on, {.lengths = {2}, .batch = count, .real = real}, x);
      std::vector<float> result;
      for (std::size_t k = 0; k < 2 * count; ++k) result.push_back(static_cast<float>(y[2 * k]));
      return result;
    });
  }
};

/// One sum that a format cannot hold.
struct rounded {
  precision real;
  float a, b;  ///< Both in the format.
  float sum, difference;
};

TEST_P(host_narrow, numbers_are_rounded_to_nearest_even) {
  const float tiny = std::ldexp(1.0F, -24), infinite = HUGE_VALF;
  const std::vector<rounded> cases = {
      {precision::fp16, 2048, 1, 2048, 2047},         // half way, down to even
      {precision::fp16, 2048, 3, 2052, 2045},         // half way, up to even
      {precision::fp16, 4096, 3, 4100, 4092},         // above half way, and half way
      {precision::fp16, 65504, 8, 65504, 65504},      // below half way to 65536
      {precision::fp16, 65504, 16, infinite, 65472},  // half way: infinite
      {precision::fp16, 3 * tiny, tiny, 4 * tiny, 2 * tiny},
      {precision::fp16, 1024 * tiny, tiny, 1025 * tiny, 1023 * tiny},  // across the least normal
      {precision::fp16, -2048, -3, -2052, -2045},
      {precision::bf16, 256, 1, 256, 255},
      {precision::bf16, 256, 3, 260, 253},
      {precision::bf16, 512, 3, 516, 508},  // 509 is half way between 508 and 510: even
  };
  for (const auto& [real, a, b, sum, difference] : cases) {
    const auto got = sums(real, a, b, 37);
    for (std::size_t row = 0; row < 37; ++row) {
      EXPECT_EQ(got[2 * row], sum) << a << " + " << b;
      EXPECT_EQ(got[2 * row + 1], difference) << a << " - " << b;
    }
  }
}

TEST_P(host_narrow, go_through_unchanged_where_nothing_is_added) {
  for (const precision real : {precision::fp16, precision::bf16}) {
    with_stored<float>(real, [&](auto number) {
      for (unsigned first = 0; first < 0x10000; first += 0x25) {
        const auto bits = static_cast<std::uint16_t>(first);
        std::memcpy(&number, &bits, sizeof bits);
        const auto x = static_cast<float>(number);
        const float got = sums(real, x, 0, 17)[0];
        EXPECT_TRUE(got == x || (std::isnan(got) && std::isnan(x))) << first;
      }
    });
  }
}

/// 256 ones sum to 2^8 in each row, 2^16 in all: more than fp16 holds before the scale.
TEST_P(host_narrow, numbers_between_passes_may_exceed_the_format) {
  const plan_spec spec{.lengths = {256, 512}, .real = precision::fp16, .scale = scaling::by_length};
  expect_right_plan(on, spec);
  std::vector<device::half_float> ones(2 * 256 * 512);
  for (std::size_t j = 0; j < ones.size(); j += 2) ones[j] = device::half_float(1.0F);
  const auto y = transformed(on, spec, ones);
  EXPECT_EQ(static_cast<float>(y[0]), 1);
  EXPECT_EQ(static_cast<float>(y[2]), 0);
}

INSTANTIATE_TEST_SUITE_P(sets, host_narrow, every_instruction_set(), name_of_set);

}  // namespace
