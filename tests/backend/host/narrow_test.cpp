// SPDX-License-Identifier: Apache-2.0
// fp16 and bf16: rounded once, at the end, to nearest even; what is kept between passes is fp32.
#include <gtest/gtest.h>

#include <cmath>  // ldexp
#include <vector>

#include "backend/host/placed_run.hpp"  // number_at, put_number, bound_of

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

/// Returns the real parts of bins 0 and 1 of `count` transforms of (a, b): a + b and a - b.
std::vector<long double> sums(const backend::host::named_set& set, precision real, long double a,
                              long double b, std::size_t count) {
  const plan_spec spec{.lengths = {2}, .batch = count, .real = real};
  const auto& engine = backend::host_engine();
  const auto queue = engine.open(engine.devices().front());
  const auto plan = backend::host::make_plan(set, spec);
  std::vector<unsigned char> in(input_bytes(spec)), out(output_bytes(spec));
  std::vector<unsigned char> scratch(plan->workspace_bytes());
  for (std::size_t row = 0; row < count; ++row) {
    put_number(in.data(), real, 4 * row, a);
    put_number(in.data(), real, 4 * row + 2, b);
  }
  plan->enqueue(*queue, {.in = {in.data(), 0, in.size()},
                         .out = {out.data(), 0, out.size()},
                         .workspace = {scratch.data(), 0, scratch.size()}});
  std::vector<long double> result;
  for (std::size_t k = 0; k < 2 * count; ++k) result.push_back(number_at(out.data(), real, 2 * k));
  return result;
}

/// One sum that a format cannot hold.
struct rounded {
  precision real;
  long double a, b;  ///< Both in the format.
  long double sum, difference;
};

TEST(host_narrow, numbers_are_rounded_to_nearest_even) {
  const long double tiny = std::ldexp(1.0L, -24), infinite = HUGE_VALL;
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
  for (const auto& set : backend::host::supported_sets()) {
    for (const auto& [real, a, b, sum, difference] : cases) {
      const auto got = sums(set, real, a, b, 37);
      for (std::size_t row = 0; row < 37; ++row) {
        EXPECT_EQ(got[2 * row], sum) << set.name << " " << double(a) << " + " << double(b);
        EXPECT_EQ(got[2 * row + 1], difference)
            << set.name << " " << double(a) << " - " << double(b);
      }
    }
  }
}

TEST(host_narrow, go_through_unchanged_where_nothing_is_added) {
  for (const precision real : {precision::fp16, precision::bf16}) {
    for (const auto& set : backend::host::supported_sets()) {
      for (unsigned first = 0; first < 0x10000; first += 0x25) {
        std::uint16_t bits = static_cast<std::uint16_t>(first);
        const long double x = number_at(reinterpret_cast<unsigned char*>(&bits), real, 0);
        const auto got = sums(set, real, x, 0, 17);
        if (x != x) {
          EXPECT_NE(got[0], got[0]) << set.name << " " << first;
        } else {
          EXPECT_EQ(got[0], x) << set.name << " " << first;
        }
      }
    }
  }
}

/// 256 ones sum to 2^8 in each row, 2^16 in all: more than fp16 holds before the scale.
TEST(host_narrow, numbers_between_passes_may_exceed_the_format) {
  const plan_spec spec{.lengths = {256, 512}, .real = precision::fp16, .scale = scaling::by_length};
  for (const auto& set : backend::host::supported_sets()) {
    const auto run = placed_run(set, spec);
    expect_placed(spec, run);
    std::vector<unsigned char> ones(input_bytes(spec)), out(output_bytes(spec));
    for (std::size_t j = 0; j < 256 * 512; ++j) put_number(ones.data(), spec.real, 2 * j, 1);
    const auto& engine = backend::host_engine();
    const auto queue = engine.open(engine.devices().front());
    const auto plan = backend::host::make_plan(set, spec);
    std::vector<unsigned char> scratch(plan->workspace_bytes());
    plan->enqueue(*queue, {.in = {ones.data(), 0, ones.size()},
                           .out = {out.data(), 0, out.size()},
                           .workspace = {scratch.data(), 0, scratch.size()}});
    EXPECT_EQ(number_at(out.data(), spec.real, 0), 1) << set.name;
    EXPECT_EQ(number_at(out.data(), spec.real, 2), 0) << set.name;
  }
}

TEST(host_narrow, rows_of_every_method_are_accurate) {
  for (const precision real : {precision::fp16, precision::bf16}) {
    for (const std::size_t n : {8, 64, 1024, 32768}) {
      for (const transform kind :
           {transform::forward, transform::forward_from_real, transform::inverse_to_real}) {
        const plan_spec spec{.lengths = {n},
                             .batch = 2,
                             .kind = kind,
                             .real = real,
                             .scale = scaling::by_sqrt_length};
        const auto& set = backend::host::supported_sets().back();
        SCOPED_TRACE(described(set, spec));
        expect_placed(spec, placed_run(set, spec));
      }
    }
  }
}

}  // namespace
