// SPDX-License-Identifier: Apache-2.0
// The filter bank's kernels of every instruction set of this processor against their formulas in
// scalars: the same bits.
#include "backend/host/bank/bank_kernels.hpp"

#include <gtest/gtest.h>

#include <random>

#include "backend/host/bank/sample_reader.hpp"         // read_samples
#include "backend/host/cpu.hpp"                        // supported_sets
#include "channelising/arithmetic/dither.hpp"          // dither_at
#include "channelising/arithmetic/packed_samples.hpp"  // unpack_samples
#include "channelising/arithmetic/quantise.hpp"        // quantise, store_complex

namespace {

using namespace wingbeat;
using namespace wingbeat::backend::host;
using complex = std::complex<float>;

class bank_kernels_of : public ::testing::TestWithParam<named_set> {
 protected:
  const bank_kernels& kernels = *GetParam().bank;
};

std::vector<float> noise(std::size_t n, float size, unsigned seed) {
  std::mt19937 random{seed};
  std::uniform_real_distribution<float> value{-size, size};
  std::vector<float> all(n);
  for (float& each : all) each = value(random);
  return all;
}

/// Rows of `step` samples, the last ones of the last row those that may be read.
void expect_filtered(const bank_kernels& kernels, std::size_t step, std::size_t taps,
                     std::size_t rows) {
  const std::size_t pitch = (step + bank_block - 1) / bank_block * bank_block + 8;
  const auto x = noise((taps + rows - 1) * step + 1, 500, 1), w = noise(taps * step, 1, 2);
  std::vector<float> blocks;
  for (std::size_t begin = 0; begin < step; begin += bank_block) {
    for (std::size_t m = 0; m < taps; ++m) {
      for (std::size_t j = begin; j < begin + bank_block; ++j) {
        blocks.push_back(j < step ? w[m * step + j] : 0);
      }
    }
  }
  std::vector<float> y(rows * pitch), scratch((taps + rows - 1) * bank_block);
  kernels.filter({x.data() + 1, blocks.data(), y.data(), step, taps, rows, pitch, scratch.data()});
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t j = 0; j < step; ++j) {
      float sum = w[j] * x[1 + r * step + j];
      for (std::size_t m = 1; m < taps; ++m) sum += w[m * step + j] * x[1 + (r + m) * step + j];
      ASSERT_EQ(y[r * pitch + j], sum) << r << " " << j;
    }
  }
}

TEST_P(bank_kernels_of, filter) {
  for (const std::size_t step : {6, 54, 256, 2000}) {
    for (const std::size_t taps : {1, 3, 16}) {
      for (const std::size_t rows : {1, 3, 4, 8, 13}) {
        SCOPED_TRACE(step * 10000 + taps * 100 + rows);
        expect_filtered(kernels, step, taps, rows);
      }
    }
  }
}

TEST_P(bank_kernels_of, dither) {
  constexpr std::int64_t time = 0x123456789abc;
  constexpr std::uint64_t seed = 0xfedcba9876543210;
  std::vector<float> out(4 * bank_block);
  // In the lower half of all channels, across its end, and in the upper half.
  for (const std::uint32_t channels : {4096, 1355, 1024}) {
    kernels.dither({seed, std::uint64_t{time}, 640, channels, 3, out.data()});
    for (std::uint32_t k = 0; k < bank_block; ++k) {
      for (std::uint32_t p = 0; p < 2; ++p) {
        const complex expected = channelising::dither_at(seed, time, 640 + k, channels, 6 + p);
        ASSERT_EQ(out[2 * p * bank_block + k], expected.real());
        ASSERT_EQ(out[(2 * p + 1) * bank_block + k], expected.imag());
      }
    }
  }
}

TEST_P(bank_kernels_of, finish) {
  for (const heap_sample kind : {heap_sample::int4, heap_sample::int8, heap_sample::int16,
                                 heap_sample::fp16, heap_sample::fp32}) {
    SCOPED_TRACE(static_cast<int>(kind));
    const float limit = channelising::limit_of(kind);
    auto bins = noise(2 * bank_block, 1.5F * std::min(limit, 1e5F), 3);
    bins[5] = 0.5F;  // a tie, where nothing turns or weighs
    bins[6] = -0.0F;
    auto gains = noise(2 * bank_block, 1, 4), steps = noise(2 * bank_block, 1, 5);
    gains[4] = steps[2] = gains[6] = steps[3] = 1;
    gains[5] = gains[7] = steps[bank_block + 2] = steps[bank_block + 3] = 0;
    const auto dither = noise(2 * bank_block, 0.5, 6);
    const std::size_t unit = channelising::complex_bytes(kind);
    for (const bool has_dither : {false, true}) {
      for (const std::size_t count :
           {std::size_t{1}, std::size_t{15}, std::size_t{32}, std::size_t{55}, bank_block}) {
        std::vector<std::byte> out(unit * bank_block), expected(unit * bank_block);
        std::uint32_t n_limited = 0;
        for (std::size_t k = 0; k < count; ++k) {
          const float c[] = {0.75F, -0.5F}, s[] = {steps[k], steps[bank_block + k]};
          const complex w{c[0] * s[0] - c[1] * s[1], c[0] * s[1] + c[1] * s[0]};
          const complex z{bins[2 * k], bins[2 * k + 1]}, g{gains[2 * k], gains[2 * k + 1]};
          const complex t{z.real() * w.real() - z.imag() * w.imag(),
                          z.real() * w.imag() + z.imag() * w.real()};
          const complex q{t.real() * g.real() - t.imag() * g.imag(),
                          t.real() * g.imag() + t.imag() * g.real()};
          const complex d = has_dither ? complex{dither[k], dither[bank_block + k]} : complex{};
          const auto rounded = channelising::quantise(q, kind, d);
          n_limited += rounded.is_saturated ? 1 : 0;
          channelising::store_complex(rounded.value, kind, std::span(expected).subspan(k * unit));
        }
        const finished_bins what{bins.data(),
                                 gains.data(),
                                 steps.data(),
                                 {0.75F, -0.5F},
                                 has_dither ? dither.data() : nullptr,
                                 count,
                                 limit,
                                 out.data()};
        EXPECT_EQ(kernels.finish(kind, what), n_limited);
        EXPECT_EQ(out, expected);
        EXPECT_TRUE(count < 32 || (n_limited > 0) == (kind != heap_sample::fp32));
      }
    }
  }
}

TEST_P(bank_kernels_of, read) {
  std::mt19937 random{7};
  for (unsigned bits = 2; bits <= 16; ++bits) {
    for (const std::size_t first : {std::size_t{0}, std::size_t{3}, std::size_t{4096 + 5}}) {
      for (const std::size_t count : {std::size_t{1}, std::size_t{2049}, std::size_t{300000}}) {
        SCOPED_TRACE(bits * 10 + first % 8);
        std::vector<std::byte> packed(channelising::packed_bytes(first + count, bits));
        for (std::byte& each : packed) each = static_cast<std::byte>(random());
        std::vector<std::int16_t> expected(count), ahead(first + count);
        channelising::unpack_samples(packed, bits, first, expected);
        channelising::unpack_samples(packed, bits, 0, ahead);
        std::vector<std::uint64_t> histogram(std::size_t{1} << bits);
        std::uint64_t sum = 0;
        for (const std::int64_t x : expected) {
          sum += static_cast<std::uint64_t>(x * x);
          ++histogram[histogram.size() / 2 + static_cast<std::size_t>(x)];
        }
        for (const bool is_packed : {true, false}) {
          std::vector<float> out(count);
          std::vector<std::uint64_t> counted(histogram.size());
          std::uint64_t squares = 0;
          backend::sample_run run{.integers = ahead.data(),
                                  .bits = bits,
                                  .first = first,
                                  .count = count,
                                  .out = out.data(),
                                  .histogram = counted.data(),
                                  .sum_of_squares = &squares};
          if (is_packed) run.packed = packed;
          read_samples(GetParam(), {&run, 1});
          EXPECT_TRUE(std::equal(out.begin(), out.end(), expected.begin()));
          EXPECT_EQ(counted, histogram);
          EXPECT_EQ(squares, sum);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(sets, bank_kernels_of, ::testing::ValuesIn(supported_sets()),
                         [](const auto& of) { return of.param.name; });

}  // namespace
