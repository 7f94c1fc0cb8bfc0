// SPDX-License-Identifier: Apache-2.0
// Which rows of primes are made in halves, or as reals, and the numbers of their tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "planner/devices.hpp"      // hopper, opencl
#include "planner/pass.hpp"         // pass
#include "programs/transforms.hpp"  // make_program
#include "roots/rader.hpp"          // rader, real_factors_of
#include "support/oracle.hpp"       // widened
#include "wingbeat/roots.hpp"       // root

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using planner::body;
using ::testing::HasSubstr;

planner::pass row_pass(const plan_spec& spec, const device_info& device = hopper()) {
  return programs::make_program(request::resolved_spec{spec}, device).passes().front();
}
body made_by(const plan_spec& spec, const device_info& device = hopper()) {
  return row_pass(spec, device).shape().makes;
}

constexpr std::size_t many = 100000;
constexpr transform to_bins = transform::forward_from_real, from_bins = transform::inverse_to_real;

TEST(prime_rows, are_made_in_halves_where_they_are_many) {
  for (const std::size_t p : {43, 47, 61, 67, 89}) {
    EXPECT_EQ(made_by({.lengths = {p}, .batch = many}), body::halved_rader) << p;
  }
  EXPECT_EQ(made_by({.lengths = {97}, .batch = many}), body::rader) << "by four threads each";
  EXPECT_EQ(made_by({.lengths = {61}, .batch = many, .real = precision::fp64}), body::halved_rader);
  EXPECT_NE(made_by({.lengths = {127}, .batch = 1}), body::halved_rader) << "in many threads";
  EXPECT_NE(made_by({.lengths = {127}, .batch = many, .in = {.strides = {2}}}), body::halved_rader);
  EXPECT_NE(made_by({.lengths = {128, 127}, .batch = 100, .kind = to_bins}), body::real_rader)
      << "two rows of an image";
  EXPECT_EQ(made_by({.lengths = {61}, .batch = many}, opencl(false, 1 << 16, 1024)), body::rader);
}

TEST(prime_rows, are_convolved_as_reals_where_both_sides_are) {
  for (const std::size_t p : {37, 127, 131, 257, 1009, 2017}) {
    EXPECT_EQ(made_by({.lengths = {p}, .batch = many, .kind = to_bins}), body::real_rader) << p;
    EXPECT_EQ(made_by({.lengths = {p}, .batch = many, .kind = from_bins}), body::real_rader) << p;
  }
  EXPECT_NE(made_by({.lengths = {257}, .batch = 1, .kind = to_bins}), body::real_rader);
  EXPECT_EQ(made_by({.lengths = {61}, .batch = 3, .kind = to_bins}, opencl(false, 1 << 16, 1024)),
            body::real_rader);
  const auto long_rows = programs::make_program(
      request::resolved_spec{{.lengths = {81 * 1009}, .batch = 5000, .kind = to_bins}}, hopper());
  EXPECT_GT(long_rows.passes().size(), 1U);
  for (const planner::pass& each : long_rows.passes())
    EXPECT_NE(each.shape().makes, body::real_rader) << "columns";
  EXPECT_THAT(row_pass({.lengths = {61}, .batch = many, .kind = to_bins}).describe(),
              HasSubstr(", by Rader's algorithm within 60 reals (61 is prime"));
}

TEST(prime_rows, are_padded_reals_where_there_are_large_factors) {
  const auto row = [](std::size_t p, const auto& kind) {
    return row_pass({.lengths = {p}, .batch = many, .kind = kind});
  };
  for (const std::size_t p : {263, 1019, 2039, 4093}) {
    for (const transform kind : {to_bins, from_bins}) {
      const planner::pass padded = row(p, kind);
      EXPECT_EQ(padded.shape().makes, body::real_rader) << p;
      EXPECT_GE(padded.shape().length, p - 1) << p;
      EXPECT_EQ(padded.shape().elements(), p);
      if (padded.shape().lanes_across) continue;
      const std::size_t row_bytes = padded.shape().length * padded.shape().element_bytes;
      const std::size_t at_once = padded.resident * padded.shape().lanes * row_bytes;
      EXPECT_TRUE(at_once <= 96 << 10 && at_once > 64 << 10) << p << ": in registers " << at_once;
    }
  }
  EXPECT_THAT(row(2039, to_bins).describe(),
              HasSubstr(", by Rader's algorithm within 4096 reals (2039 is prime, 2038 has the "
                        "factor 1019)"));
  EXPECT_THAT(row(4093, to_bins).describe(), HasSubstr("(expected to take less time than within "
                                                       "4092)"));
  EXPECT_EQ(row(1009, to_bins).shape().length, 504U);
  EXPECT_NE(row(2 * 1019, to_bins).shape().makes, body::real_rader);
}

/// The factors of two reals as one complex number, against the convolution that they are to make:
/// of an impulse at each of the first two numbers.
TEST(prime_rows, have_factors_that_convolve_reals) {
  using number = std::complex<long double>;
  for (const auto& [p, n] :
       {std::pair<std::size_t, std::size_t>{5, 2}, {13, 6}, {61, 30}, {23, 22}, {83, 96}}) {
    const rader prime{p, true, n};
    const auto factors = real_factors_of(prime);
    const std::size_t reals = p - 1;
    const auto cas = [&](std::size_t i) {  // of root g^-i
      const number w = root(prime.powers[(reals - i % reals) % reals], p);
      return w.real() - w.imag();
    };
    for (const bool is_second : {false, true}) {
      const number impulse = is_second ? number{0, 1} : number{1};  // of all bins
      for (std::size_t m = 0; m < reals / 2; ++m) {
        number z = 0;
        for (std::size_t k = 0; k < n; ++k) {
          const number bin =
              impulse * widened(factors[0][k]) + std::conj(impulse) * widened(factors[1][k]);
          z += bin * std::conj(root(k * m % n, n));
        }
        const std::size_t before = is_second ? 1 : 0;
        EXPECT_LT(std::abs(z.real() - cas(2 * m + reals - before)), 1e-15L * p) << p << " " << m;
        EXPECT_LT(std::abs(z.imag() - cas(2 * m + 1 + reals - before)), 1e-15L * p);
      }
    }
  }
}

}  // namespace
