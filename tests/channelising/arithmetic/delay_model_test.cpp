// SPDX-License-Identifier: Apache-2.0
// Delay arithmetic: integers exactly, and the rules of rounding, alignment and skipping against
// searches that follow their definitions.
#include "channelising/arithmetic/delay_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>  // abs
#include <limits>
#include <numbers>  // pi
#include <random>

#include "support/refusal.hpp"  // refusal

namespace {

using namespace wingbeat;
using namespace wingbeat::channelising;
using std::numbers::pi;
using ::testing::HasSubstr;
using wingbeat::test::refusal;

delay_schedule schedule_of(const std::vector<delay_model>& models) {
  delay_schedule schedule;
  for (const delay_model& model : models) schedule.add(model);
  return schedule;
}

TEST(delay_schedule, rounds_to_even_and_leaves_the_rest) {
  const auto value_of = [](double delay) { return schedule_of({{0, delay}}).at(1000); };
  const struct {
    double delay;
    std::int64_t coarse;
    double fine;
  } cases[] = {{0, 0, 0},        {0.5, 0, 0.5},   {1.5, 2, -0.5},   {2.5, 2, 0.5},
               {-0.5, 0, -0.5},  {-1.5, -2, 0.5}, {234.5, 234, .5}, {-42, -42, 0},
               {42.25, 42, .25}, {8192, 8192, 0}};
  for (const auto& c : cases) {
    const delay_value value = value_of(c.delay);
    EXPECT_EQ(value.coarse, c.coarse) << c.delay;
    EXPECT_EQ(value.input_start, 1000 - c.coarse) << c.delay;
    EXPECT_EQ(value.fine, c.fine) << c.delay;
  }
}

TEST(delay_schedule, counts_from_the_start_of_a_model) {
  const std::int64_t start = (std::int64_t{1} << 47) - 5;  // no double of seconds holds it
  const auto schedule = schedule_of({{start, 3.25, 0.25, 0.5, 0.125}});
  const delay_value value = schedule.at(start + 9);  // d = 5.5
  EXPECT_EQ(value.coarse, 6);
  EXPECT_EQ(value.input_start, start + 3);
  EXPECT_EQ(value.fine, -0.5);
  EXPECT_DOUBLE_EQ(value.phase_rad, 0.5 + 9 * 0.125);
  EXPECT_DOUBLE_EQ(schedule.at(start + 25).phase_rad, 0.5 + 25 * 0.125 - 2 * pi);
  EXPECT_EQ(schedule.at(start - 1).coarse, 0);
}

TEST(delay_schedule, evaluates_at_an_offset) {
  const auto schedule = schedule_of({{100, 10, 0.5, 0, 0.01}});
  EXPECT_EQ(schedule.at(84, 15.5).coarse, 0) << "half a sample too early";
  const delay_value value = schedule.at(85, 15.5);
  EXPECT_EQ(value.coarse, 10);
  EXPECT_EQ(value.input_start, 75);
  EXPECT_EQ(value.fine, 0.25);
  EXPECT_DOUBLE_EQ(value.phase_rad, 0.005);
  EXPECT_EQ(schedule.next_change(0, 15.5), 85);
  EXPECT_EQ(schedule.next_change(0, 15), 85);
  EXPECT_EQ(schedule.next_change(84, 15.5), 85);
  EXPECT_EQ(schedule.next_change(85, 15.5), std::nullopt);
}

TEST(delay_schedule, replaces_models_that_start_no_earlier) {
  auto schedule = schedule_of({{0, 1}, {100, 2}, {200, 3}, {300, 4}});
  EXPECT_EQ(schedule.at(99).coarse, 1);
  EXPECT_EQ(schedule.at(100).coarse, 2);
  schedule.add({200, 7});
  EXPECT_EQ(schedule.at(199).coarse, 2);
  EXPECT_EQ(schedule.at(200).coarse, 7);
  EXPECT_EQ(schedule.at(300).coarse, 7);
  schedule.add({50, 9});
  EXPECT_EQ(schedule.at(49).coarse, 1);
  EXPECT_EQ(schedule.at(150).coarse, 9);
}

TEST(delay_schedule, refuses_models_without_meaning) {
  delay_schedule schedule;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(refusal([&] { schedule.add({-1, 0}); }), HasSubstr("starts at sample -1"));
  EXPECT_THAT(refusal([&] { schedule.add({0, 0, 1}); }), HasSubstr("between -1 and 1"));
  EXPECT_THAT(refusal([&] { schedule.add({0, nan}); }), HasSubstr("finite"));
  EXPECT_THAT(refusal([&] { schedule.add({0, 0, 0, 0, nan}); }), HasSubstr("finite"));
  EXPECT_THAT(refusal([&] { schedule.add({0, 2e14}); }), HasSubstr("2^47"));
  EXPECT_EQ(schedule.at(5).coarse, 0);
}

TEST(delay_model, is_given_in_seconds) {
  const delay_model model = in_samples({2, 79.53e-6, 2.56e-9, 0.01, 49.22}, 1712e6);
  EXPECT_EQ(model.start_samples, 3424000000);
  EXPECT_DOUBLE_EQ(model.delay_samples, 136155.36);
  EXPECT_EQ(model.rate, 2.56e-9);
  EXPECT_EQ(model.phase_rad, 0.01);
  EXPECT_DOUBLE_EQ(model.phase_rate, 49.22 / 1712e6);
  EXPECT_THAT(refusal([] { static_cast<void>(in_samples({}, 0)); }), HasSubstr("0 Hz"));
  EXPECT_THAT(refusal([] { static_cast<void>(in_samples({1e300}, 1e9)); }), HasSubstr("2^60"));
}

TEST(alignment, takes_the_multiple_that_leaves_least) {
  for (const std::int64_t s : {2, 3, 5, 8, 16}) {
    for (std::int64_t start = -40; start <= 40; ++start) {
      for (const double fine : {-0.5, -0.25, 0.0, 0.25, 0.5}) {
        const delay_value value = aligned({start, 1000 - start, fine, 1}, s);
        EXPECT_EQ(value.input_start % s, 0);
        EXPECT_EQ(value.input_start + value.coarse, 1000);
        EXPECT_EQ(static_cast<double>(value.coarse) + value.fine,
                  static_cast<double>(1000 - start) + fine);
        // No other multiple leaves less.
        EXPECT_LE(std::abs(value.fine), static_cast<double>(s) / 2)
            << start << " " << fine << " of " << s;
      }
    }
  }
  EXPECT_EQ(aligned({4, 0, 0.25, 0}, 8).input_start, 0);   // a tie: -3.75 beats 4.25
  EXPECT_EQ(aligned({4, 0, -0.25, 0}, 8).input_start, 8);  // 3.75 beats -4.25
  EXPECT_EQ(aligned({4, 0, 0, 0}, 8).input_start, 8);
}

std::int64_t first_start_by_definition(std::span<const delay_schedule> pols,
                                       const start_rule& rule) {
  for (std::int64_t t = 0;; t += rule.alignment) {
    if (t < rule.earliest) continue;
    bool fits = true;
    for (const auto& pol : pols) {
      const auto value = aligned(pol.at(t, rule.offset), rule.subsampling);
      fits = fits && value.input_start >= rule.input_begin;
    }
    if (fits) return t;
  }
}

TEST(first_start, is_the_first_aligned_time_whose_windows_exist) {
  std::mt19937 bits{5};
  std::uniform_real_distribution<double> rate(-0.9, 0.9), delay(-3000, 3000);
  for (int i = 0; i < 500; ++i) {
    std::vector<delay_schedule> pols(1 + bits() % 2);
    for (auto& pol : pols) {
      std::int64_t start = 0;
      for (unsigned n = bits() % 4; n > 0; --n) {
        pol.add({start += static_cast<std::int64_t>(bits() % 3000), delay(bits), rate(bits)});
      }
    }
    const start_rule rule{static_cast<std::int64_t>(bits() % 4000),
                          static_cast<std::int64_t>(1 + bits() % 300),
                          static_cast<std::int64_t>(bits() % 9000), std::int64_t{1} << bits() % 5,
                          bits() % 2 == 0 ? 0 : 63.5};
    EXPECT_EQ(first_start(pols, rule), first_start_by_definition(pols, rule)) << i;
  }
}

TEST(first_start, needs_no_search_near_the_end_of_48_bits) {
  const std::int64_t begin = std::int64_t{1} << 47;
  const std::vector<delay_schedule> pols{schedule_of({{begin + 77, 1e6, 1e-5}}),
                                         schedule_of({{0, -42}})};
  const auto t = first_start(pols, {.alignment = 524288, .input_begin = begin});
  ASSERT_TRUE(t);
  EXPECT_EQ(*t, begin) << "before the model starts, delays are 0 and -42";
  const auto later = first_start(pols, {begin + 78, 524288, begin});
  ASSERT_TRUE(later);
  EXPECT_EQ(*later, begin + 2 * 524288);
  const std::vector<delay_schedule> never{schedule_of({{0, 0, std::nextafter(1.0, 0.0)}})};
  EXPECT_EQ(first_start(never, {.alignment = 1, .input_begin = begin}), std::nullopt);
}

TEST(wideband_phase, turns_with_the_fine_delay_and_corrects_the_centre) {
  // A delay d turns frequency k/(2N) of the ADC rate by -2 pi d k/(2N); relative to the centre.
  const auto schedule = schedule_of({{0, 6.375, 0, 0.75}});
  const delay_value value = schedule.at(0);
  EXPECT_NEAR(wideband_phase(value, 512, 1024), 0.75 + 6 % 4 * pi / 2 - 2 * pi, 1e-12);
  EXPECT_NEAR(wideband_phase(value, 0, 1024), 0.75 + pi + pi * 0.375 / 2 - 2 * pi, 1e-12);
  EXPECT_NEAR(wideband_phase({0, -1, 0, 0}, 7, 64), -pi / 2, 1e-12) << "-1 mod 4 is 3";
  EXPECT_EQ(wideband_phase({0, 2, 0, 0}, 7, 64), -pi) << "pi is excluded";
}

TEST(narrowband_phase, turns_about_the_middle_of_the_band) {
  EXPECT_EQ(narrowband_phase({0, 1, 3.5, 0.25}, 0, 128, 8), 0.25);
  EXPECT_NEAR(narrowband_phase({0, 1, 3.5, 0.25}, 16, 128, 8), 0.25 - pi * 3.5 / 4 * 16 / 128,
              1e-12);
}

}  // namespace
