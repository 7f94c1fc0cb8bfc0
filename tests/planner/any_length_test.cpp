// SPDX-License-Identifier: Apache-2.0
// Axes of any length, on devices that are not here: which pieces they are, that those fit, and the
// numbers of a chirp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>  // max, sort
#include <complex>
#include <vector>

#include "planner/convolved_pieces.hpp"   // convolution_of
#include "planner/devices.hpp"            // hopper, opencl
#include "planner/expected_time.hpp"      // time_of_convolved
#include "planner/pieces.hpp"             // pieces_of
#include "programs/prepared_program.hpp"  // transform_forward
#include "programs/transforms.hpp"        // make_program
#include "roots/chirp.hpp"                // chirp
#include "roots/rader.hpp"                // rader, is_rader_length
#include "support/oracle.hpp"             // widened
#include "tuning/tuning.hpp"              // for_device
#include "wingbeat/device/factors.hpp"    // is_product_of_radices
#include "wingbeat/device/index.hpp"      // is_power_of_two
#include "wingbeat/roots.hpp"             // root

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using namespace planner;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<piece> cut(const axis_request& axis, const device_info& device) {
  return pieces_of(axis, tuning::for_device(device), device);
}

void expect_pieces_fit(const axis_request& axis, const device_info& device) {
  const auto pieces = cut(axis, device);
  ASSERT_FALSE(pieces.empty()) << axis.total;
  bool is_convolved = false;
  std::size_t prior = 1;
  for (const piece& each : pieces) {
    const tile_shape& shape = each.shape;
    ASSERT_LE(shape.threads(), device.max_workgroup) << axis.total;
    ASSERT_LE(shape.scratch_bytes(), device.local_memory_bytes) << axis.total;
    ASSERT_TRUE(!each.is_padded() || each.total >= 2 * axis.total - 1) << axis.total;
    ASSERT_TRUE(shape.points == 0 || shape.length >= 2 * shape.points - 1) << axis.total;
    ASSERT_TRUE(!each.by_rader || is_rader_length(shape.elements())) << axis.total;
    is_convolved |= each.chirped || each.by_rader;
    prior *= shape.elements();
  }
  ASSERT_TRUE(pieces.front().is_padded() || prior == axis.total) << axis.total;
  ASSERT_TRUE(is_convolved || device::is_product_of_radices(axis.total)) << axis.total;
}

TEST(any_length, has_pieces_that_fit_every_device) {
  for (const device_info& device : {hopper(), ampere(), opencl(false, 1 << 16, 1024)}) {
    for (const precision real : {precision::fp32, precision::fp64}) {
      for (const bool is_row : {true, false}) {
        for (std::size_t n = 1; n <= 6000; n += n < 400 ? 1 : n / 9) {
          expect_pieces_fit({.total = n, .stored = real, .is_row = is_row, .columns = 100}, device);
        }
      }
    }
  }
}

TEST(any_length, is_one_piece_where_the_padded_row_fits_a_workgroup) {
  for (const std::size_t n : {17, 31, 37, 68, 131, 509, 1009, 2053, 4093}) {
    EXPECT_EQ(cut({.total = n}, hopper()).size(), 1U) << n;
  }
  EXPECT_FALSE(cut({.total = 31}, hopper()).front().chirped) << "a radix";
  EXPECT_TRUE(cut({.total = 59}, hopper()).front().chirped) << "58 = 2 x 29";
  EXPECT_TRUE(cut({.total = 74}, hopper()).front().chirped) << "no prime";
  EXPECT_FALSE(cut({.total = 37}, hopper()).front().chirped);
  EXPECT_TRUE(cut({.total = 37}, hopper()).front().by_rader);
  EXPECT_TRUE(cut({.total = 239}, hopper()).front().chirped) << "within 512 it is quicker";
  for (const std::size_t n : {127, 41, 43, 53, 61, 67, 97, 101, 151, 211, 257, 337, 1009, 2017}) {
    EXPECT_TRUE(cut({.total = n}, hopper()).front().by_rader) << n;
  }
  EXPECT_TRUE(cut({.total = 107}, hopper()).front().chirped) << "106 = 2 x 53";
  EXPECT_TRUE(cut({.total = 127, .is_row = false}, hopper()).front().by_rader) << "columns";
}

/// They wait for the order of their elements, or for one thread.
TEST(any_length, convolves_few_short_rows_with_a_chirp) {
  device_info device = hopper();
  device.compute_units = 132;
  const auto has_chirp = [&](std::size_t n, std::size_t count) {
    return cut({.total = n, .transforms = count}, device).front().chirped.has_value();
  };
  for (const std::size_t n : {29, 31, 37, 257, 1009}) {
    EXPECT_TRUE(has_chirp(n, 1)) << n;
    EXPECT_FALSE(has_chirp(n, 33)) << n << ", of a quarter as many rows as multiprocessors";
  }
  EXPECT_FALSE(has_chirp(23, 1)) << "one thread has few enough";
  EXPECT_TRUE(has_chirp(93, 1)) << "three threads, of 31 each";
  EXPECT_FALSE(has_chirp(2 * 17 * 31, 1)) << "longer";
  EXPECT_EQ(cut({.total = 257}, device).front().shape.length, 1024U) << "passes fewest barriers";
  EXPECT_FALSE(has_chirp(2017, 1)) << "by Rader's order, because a chirp is twice as long";
}

TEST(any_length, convolves_rows_by_the_shapes_that_were_measured) {
  static constexpr tuning::shape measured[] = {
      {.length = 36, .elements = 12, .lanes = 32, .resident = 5}};
  tuning::architecture data = tuning::for_device(hopper());
  data.fp32.primes = measured;
  const piece row = pieces_of({.total = 37}, data, hopper()).front();
  EXPECT_TRUE(row.by_rader);
  EXPECT_EQ(row.shape.elements_per_thread, 12U);
  EXPECT_EQ(row.shape.lanes, 32U);
  EXPECT_EQ(row.resident, 5U);
  const auto columns = pieces_of({.total = 37, .is_row = false, .columns = 64}, data, hopper());
  EXPECT_EQ(columns.front().resident, 0U) << "of columns nothing was measured";
}

TEST(any_length, has_rows_of_primes_across_threads_where_both_sides_are_staged) {
  static constexpr tuning::shape measured[] = {
      {.length = 36, .elements = 12, .lanes = 32, .across = true}};
  tuning::architecture data = tuning::for_device(hopper());
  data.fp32.primes = measured;
  const auto shape_of = [&](plan_spec spec) {
    const auto steps =
        programs::make_program(request::resolved_spec{std::move(spec)}, hopper(), data);
    return steps.passes().front().shape();
  };
  const tile_shape rows = shape_of({.lengths = {37}, .batch = 1000});
  EXPECT_TRUE(rows.lanes_across && rows.stage_in && rows.stage_out);
  EXPECT_EQ(shape_of({.lengths = {199}, .batch = 1000}).lanes, 8U) << "by rule";
  EXPECT_EQ(shape_of({.lengths = {331}, .batch = 1000}).lanes, 4U) << "of 132 threads";
  EXPECT_FALSE(shape_of({.lengths = {257}, .batch = 1000}).lanes_across) << "in place";
  const tile_shape apart = shape_of({.lengths = {37}, .batch = 1000, .in = {.strides = {2}}});
  EXPECT_FALSE(apart.lanes_across || apart.stage_in) << "neighbours would read far apart";
}

TEST(any_length, convolves_with_a_chirp_by_shapes_of_their_own) {
  static constexpr tuning::shape chirps[] = {
      {.length = 256, .elements = 32, .lanes = 16, .fraction = 1.1F, .prefetch_mib = 4}};
  tuning::architecture data = tuning::for_device(hopper());
  data.fp32.chirps = chirps;
  const piece row = pieces_of({.total = 107}, data, hopper()).front();
  EXPECT_TRUE(row.chirped);
  EXPECT_EQ(row.shape.length, 256U);
  EXPECT_EQ(row.shape.elements_per_thread, 32U);
  EXPECT_EQ(row.shape.bins, device::order::scrambled);
  EXPECT_DOUBLE_EQ(time_of_convolved(row.shape, data.fp32, data.times), 128.5 / 1.1F);
  const auto yours = convolution_of({.total = 256}, data, hopper());
  EXPECT_EQ(yours->shape.elements_per_thread, 16U) << "convolutions are as they were";
}

/// As measured, whatever the model expects.
TEST(any_length, takes_the_quicker_of_both_ways_as_measured) {
  for (const float fraction : {0.01F, 1.0F}) {
    const tuning::shape prime[] = {
        {.length = 58, .elements = 29, .lanes = 32, .fraction = fraction}};
    const tuning::shape chirp[] = {{.length = 128, .elements = 16, .lanes = 16, .fraction = 0.5F}};
    tuning::architecture data = tuning::for_device(hopper());
    data.fp32.primes = prime;
    data.fp32.chirps = chirp;
    const piece row = pieces_of({.total = 59}, data, hopper()).front();
    EXPECT_EQ(row.by_rader != nullptr, fraction == 1) << fraction;
  }
}

TEST(any_length, is_columns_convolved_rows_and_columns_back_where_it_does_not) {
  for (const std::size_t n : {20011, 65537, 100003, 1000003}) {
    const auto pieces = cut({.total = n}, hopper());
    ASSERT_EQ(pieces.size(), 3U) << n;
    EXPECT_TRUE(pieces[0].chirped->begins && pieces[2].chirped->ends);
    EXPECT_TRUE(pieces[1].shape.makes == body::convolve);
    EXPECT_TRUE(*pieces[1].is_forward && !*pieces[2].is_forward);
    EXPECT_EQ(pieces[0].shape.length * pieces[1].shape.length, pieces[0].total);
    EXPECT_EQ(pieces[1].prior, pieces[0].shape.length);
    EXPECT_EQ(pieces[2].prior, pieces[1].shape.length);
  }
}

/// Not where a prime is too large for columns of a workgroup.
TEST(any_length, is_convolved_within_a_length_whose_columns_are_wide) {
  for (const std::size_t n : {10'000'019, 16'777'259}) {
    const auto pieces = cut({.total = n, .transforms = 8}, hopper());
    ASSERT_EQ(pieces.size(), 3U) << n;
    EXPECT_GE(pieces.front().shape.lanes, 8U) << n << " within " << pieces.front().total;
    EXPECT_TRUE(device::is_power_of_two(pieces[1].shape.length)) << n;
  }
}

TEST(any_length, is_cut_into_pieces_of_which_the_last_has_the_large_factors) {
  const auto last_of = [](std::size_t n, bool is_forward) {
    const auto pieces = cut({.total = n, .is_forward = is_forward, .transforms = 1000}, hopper());
    EXPECT_EQ(pieces.size(), 2U) << n;
    EXPECT_TRUE(device::is_product_of_radices(pieces.front().shape.length)) << n;
    EXPECT_EQ(pieces.front().shape.length, pieces.back().prior) << n;
    return pieces.back();
  };
  EXPECT_TRUE(last_of(1024 * 37, true).by_rader);
  EXPECT_EQ(last_of(1024 * 37, true).shape.elements(), 37U);
  const piece chirped = last_of(1024 * 1019, false);
  EXPECT_EQ(chirped.shape.points % 1019, 0U);
  EXPECT_EQ(chirped.chirped->numbers->points, chirped.shape.points);
  EXPECT_FALSE(*chirped.is_forward) << "the direction of its twiddles";
  EXPECT_EQ(last_of(512 * 37 * 41, true).shape.elements(), 37U * 41) << "two primes in one";
  for (const piece& each : cut({.total = std::size_t{37} << 20}, hopper())) {
    EXPECT_TRUE(each.by_rader || !each.chirped) << "three";
  }
  EXPECT_TRUE(cut({.total = 8 * 10007}, hopper()).front().is_padded());
  EXPECT_TRUE(cut({.total = 65537}, hopper()).front().is_padded());
}

TEST(any_length, says_which_algorithm_and_why) {
  const auto text = [](std::size_t n) {
    const auto request = request::resolved_spec{{.lengths = {n}}};
    return programs::make_program(request, hopper()).passes().front().describe();
  };
  EXPECT_THAT(text(37), HasSubstr(", by Rader's algorithm within 36 (37 is prime, 36 has small"));
  EXPECT_THAT(text(107), HasSubstr("(107 is prime, 106 has the factor 53)"));
  EXPECT_THAT(text(107), HasSubstr(", by Bluestein's chirp within "));
  EXPECT_THAT(text(74), HasSubstr("(74 has the factor 37)"));
  EXPECT_THAT(text(65537), HasSubstr("(no workgroup holds 65537 points)"));
  EXPECT_THAT(text(1024 * 37), Not(HasSubstr("algorithm"))) << "columns of 1024";
}

/// A pass that moves elements must not write where other workgroups still read.
TEST(any_length, overwrites_no_array_that_it_reads_elsewhere) {
  std::size_t longest = 0;
  for (const device_info& device : {hopper(), opencl(false, 1 << 11, 64)}) {
    for (const transform kind : {transform::forward, transform::inverse}) {
      for (const std::size_t n : {1009, 4099, 20011, 65537}) {
        const auto request = request::resolved_spec{{.lengths = {n}, .batch = 3, .kind = kind}};
        const auto passes = programs::make_program(request, device).passes();
        longest = std::max(longest, passes.size());
        for (const pass& each : passes) {
          if (each.in.location != each.out.location) continue;
          EXPECT_EQ(each.numbers.in.stride, each.numbers.out.stride) << n;
          for (unsigned i = 0; i < each.numbers.depth; ++i) {
            EXPECT_EQ(each.numbers.loops[i].in, each.numbers.loops[i].out) << n;
          }
        }
      }
    }
  }
  EXPECT_GT(longest, 3U) << "forward and back, too";
}

/// Of one image: rows of a batch do not touch each other.
TEST(any_length, takes_two_rows_of_reals_as_one_where_they_are_of_one_transform) {
  const auto first_pass = [](plan_spec spec) {
    return programs::make_program(request::resolved_spec{std::move(spec)}, hopper()).passes()[0];
  };
  const transform real = transform::forward_from_real;
  const pass image = first_pass({.lengths = {6, 15}, .batch = 4, .kind = real});
  EXPECT_EQ(image.numbers.in.second, 15U);
  EXPECT_EQ(image.rows, 12U);
  EXPECT_EQ(first_pass({.lengths = {5, 15}, .batch = 4, .kind = real}).numbers.in.second, 0U);
  EXPECT_EQ(first_pass({.lengths = {15}, .batch = 4, .kind = real}).numbers.in.second, 0U);
  EXPECT_EQ(first_pass({.lengths = {6, 16}, .batch = 4, .kind = real}).numbers.in.second, 0U);
}

TEST(rader, takes_primes_that_are_one_more_than_a_product_of_radices) {
  for (const std::size_t p : {3, 5, 13, 37, 59, 257, 311, 1009, 1021, 65537}) {
    EXPECT_TRUE(is_rader_length(p)) << p;
  }
  for (const std::size_t n : {0, 1, 2, 9, 49, 83, 107, 2047, 2049}) {
    EXPECT_FALSE(is_rader_length(n)) << n;
  }
}

TEST(rader, has_every_index_once_and_convolves_to_the_transform) {
  for (const std::size_t p : {3, 5, 37, 59, 257}) {
    for (const bool is_forward : {true, false}) {
      const rader numbers{p, is_forward};
      const std::size_t n = p - 1;
      auto indices = numbers.powers;
      std::sort(indices.begin(), indices.end());
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(indices.at(i), i + 1) << p;
      for (std::size_t m = 0; m < n; ++m) {  // the filter's element m
        std::complex<long double> sum = 0;
        for (std::size_t b = 0; b < n; ++b) {
          sum += widened(numbers.spectrum[b]) * std::conj(root(b * m % n, n));
        }
        const auto w = root(numbers.powers[(n - m) % n], p);
        EXPECT_LT(std::abs(sum - (is_forward ? w : std::conj(w))), 2e-16L * p) << p << " " << m;
      }
    }
  }
}

/// Checks the first `bins` bins of a transform of n points by a chirp within m, or of an inverse
/// one what they make.
void expect_convolves(std::size_t n, std::size_t m, std::size_t bins, bool is_forward) {
  const chirp numbers{n, m, is_forward, precision::fp64, bins};
  ASSERT_EQ(numbers.factors.size(), n);
  ASSERT_EQ(numbers.spectrum.size(), m);
  for (std::size_t j = 0; j < (is_forward ? n : bins); ++j) {  // of an impulse at j
    for (std::size_t k = 0; k < (is_forward ? bins : n); ++k) {
      std::complex<long double> sum = 0;
      for (std::size_t b = 0; b < m; ++b) {
        sum += widened(numbers.spectrum[b]) * root(b * (m + j - k) % m, m);
      }
      const auto got = widened(numbers.factors[k]) * sum * widened(numbers.factors[j]);
      const auto w = root(j * k % n, n);
      EXPECT_LT(std::abs(got - (is_forward ? w : std::conj(w))), 2e-16L) << n << " " << k;
    }
  }
}

TEST(chirp, convolves_to_the_transform) {
  for (const bool is_forward : {true, false}) {
    expect_convolves(1, 2, 1, is_forward);
    expect_convolves(5, 12, 5, is_forward);
    expect_convolves(17, 64, 17, is_forward);
    expect_convolves(37, 80, 37, is_forward);
    expect_convolves(5, 7, 3, is_forward);  // and no more
    expect_convolves(47, 70, 24, is_forward);
  }
}

TEST(any_length, needs_half_as_much_again_for_reals_and_their_bins) {
  const auto padded = [](plan_spec spec) {
    const auto passes = programs::make_program(request::resolved_spec{std::move(spec)}, hopper());
    return passes.passes()[0].convolved_by.by_chirp->total;
  };
  constexpr std::size_t n = 263;  // 262 = 2 x 131
  EXPECT_GE(padded({.lengths = {n}, .batch = 9}), 2 * n - 1);
  const std::size_t of_reals =
      padded({.lengths = {n}, .batch = 9, .kind = transform::forward_from_real});
  EXPECT_GE(of_reals, n + n / 2);
  EXPECT_LT(of_reals, 2 * n - 1);
  EXPECT_EQ(padded({.lengths = {n}, .batch = 9, .kind = transform::inverse_to_real}), of_reals);
  // Two rows of an image as one have all bins.
  EXPECT_GE(padded({.lengths = {6, n}, .kind = transform::forward_from_real}), 2 * n - 1);
  EXPECT_EQ(padded({.lengths = {5, n}, .kind = transform::forward_from_real}), of_reals);
}

/// Both are rounded to double; one is computed by the engine host.
TEST(chirp, has_the_same_spectrum_in_fp32_but_for_the_last_places) {
  constexpr std::size_t points = 4099, total = 8400;
  const chirp wide{points, total, true, precision::fp64},
      narrow{points, total, true, precision::fp32, 0, programs::transform_forward};
  ASSERT_EQ(narrow.spectrum.size(), total);
  long double error = 0, sum = 0;
  for (std::size_t k = 0; k < total; ++k) {
    error += std::norm(widened(narrow.spectrum[k]) - widened(wide.spectrum[k]));
    sum += std::norm(widened(wide.spectrum[k]));
  }
  EXPECT_GT(error, 0) << "the same computation";
  EXPECT_LT(std::sqrt(error / sum), 1e-15L);
}

}  // namespace
