// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 300
// Long signals in blocks, against the sums, on every engine that is here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "convolving/convolution_check.hpp"  // check_convolution
#include "support/on_engine.hpp"             // on_engine, all_engines, engine_name
#include "wingbeat/convolution.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

constexpr operation operations[] = {operation::convolve, operation::correlate};
constexpr extent modes[] = {extent::full, extent::same, extent::valid};

class overlap_save_on : public on_engine {
 protected:
  void check(convolution_spec spec) {
    spec.prepared = operand_role::kernel;
    check_convolution(*on, spec);
  }
};

TEST_P(overlap_save_on, agrees_with_the_sums_in_every_mode) {
  for (const operation kind : operations) {
    for (const extent mode : modes) {
      for (const values holds : {values::real, values::complex}) {
        const bool is_sample = kind == operation::convolve
                                   ? holds == values::complex && mode == extent::valid
                                   : holds == values::real && mode == extent::same;
        if (leaves_out() && !is_sample) continue;
        check({.image = {1003},
               .kernel = {17},
               .kind = kind,
               .mode = mode,
               .holds = holds,
               .block = 128});
      }
    }
  }
}

TEST_P(overlap_save_on, takes_signals_that_blocks_fill_exactly) {
  // Blocks of 32 make 28 values of 5 taps, in pairs 56.
  for (const std::size_t image : cases<std::size_t>({4 + 113}, {4 + 56, 4 + 112, 4 + 56 * 3 - 1})) {
    check({.image = {image}, .kernel = {5}, .block = 32});
    if (leaves_out()) continue;
    check({.image = {image}, .kernel = {5}, .holds = values::complex, .block = 32});
  }
  if (leaves_out()) return;
  check({.image = {300}, .kernel = {1}, .block = 64});
  check({.image = {64}, .kernel = {2}, .mode = extent::same, .block = 32});
}

TEST_P(overlap_save_on, takes_blocks_that_are_no_powers_of_two) {
  check({.image = {1003}, .kernel = {17}, .block = 120});
  if (leaves_out()) return;
  check({.image = {400}, .kernel = {7}, .holds = values::complex, .block = 77});
  check({.image = {3000}, .kernel = {40}, .real = precision::fp64, .block = 1000});
}

TEST_P(overlap_save_on, pairs_signals_and_kernels_as_asked) {
  for (const values holds : cases<values>({values::real}, {values::complex})) {
    convolution_spec spec{.image = {401},
                          .kernel = {9},
                          .kind = operation::correlate,
                          .mode = extent::same,
                          .holds = holds,
                          .images = 3,
                          .kernels = 2,
                          .block = 64};
    check(spec);
    spec.kernels = 3;
    spec.pairs = pairing::pairwise;
    check(spec);
  }
}

TEST_P(overlap_save_on, computes_in_fp64) {
  if (!on->device().has_fp64) GTEST_SKIP() << on->device().name << " has no fp64";
  check({.image = {500}, .kernel = {12}, .real = precision::fp64, .block = 64});
  if (leaves_out()) return;
  check({.image = {500},
         .kernel = {12},
         .holds = values::complex,
         .real = precision::fp64,
         .block = 64});
}

INSTANTIATE_TEST_SUITE_P(engines, overlap_save_on, all_engines(), engine_name);

class overlap_save_choice : public ::testing::Test {
 protected:
  [[nodiscard]] std::size_t padded(const convolution_spec& spec) const {
    return convolution{on, spec}.padded()[0];
  }
  queue on{first_device(engine::host)};
};

TEST_F(overlap_save_choice, cuts_long_signals_whose_kernels_are_prepared) {
  convolution_spec spec{.image = {1 << 20}, .kernel = {255}, .prepared = operand_role::kernel};
  EXPECT_LE(padded(spec), 8192);
  EXPECT_GE(padded(spec), 512);
  EXPECT_THAT((convolution{on, spec}.explain()), ::testing::HasSubstr("in overlapping blocks"));
  spec.kernel = {4095};
  EXPECT_GE(padded(spec), 8192);
  EXPECT_LE(padded(spec), 1 << 16);
  spec.prepared = operand_role::image;
  EXPECT_GT(padded(spec), 1 << 20) << "spectra of images are not those of blocks";
}

TEST_F(overlap_save_choice, pads_short_signals_and_long_kernels) {
  EXPECT_EQ(padded({.image = {1000}, .kernel = {9}, .prepared = operand_role::kernel}), 1024);
  EXPECT_EQ(padded({.image = {1 << 18}, .kernel = {1 << 17}, .prepared = operand_role::kernel}),
            3 << 17);
}

TEST_F(overlap_save_choice, takes_signals_longer_than_any_transform) {
  const convolution_spec spec{
      .image = {max_length}, .kernel = {3}, .prepared = operand_role::kernel};
  EXPECT_LE(padded(spec), 8192);
}

TEST_F(overlap_save_choice, refuses_blocks_that_cannot_be) {
  const auto refusal = [&](const convolution_spec& spec) {
    try {
      (void)result_lengths(spec);
    } catch (const plan_error& failed) {
      return std::string{failed.what()};
    }
    return std::string{"no refusal"};
  };
  convolution_spec spec{
      .image = {1000}, .kernel = {9}, .prepared = operand_role::kernel, .block = 34};
  EXPECT_EQ(refusal(spec),
            "block is 34; choose a length from 16 to 131072 without prime factors above 13, or 0");
  spec.block = 8;
  EXPECT_EQ(refusal(spec),
            "block is 8; choose a length from 16 to 131072 without prime factors above 13, or 0");
  spec.block = 1024;
  EXPECT_EQ(refusal(spec),
            "block is 1024 and the image has 1000 values, fewer than the 2040 that its blocks "
            "take; choose a shorter block, or 0");
  spec.block = 64;
  spec.prepared = operand_role::image;
  EXPECT_EQ(refusal(spec),
            "block is 64 and images are prepared; prepare the kernels, or choose block 0");
  EXPECT_EQ(refusal({.image = {99, 99}, .kernel = {9, 9}, .block = 64}),
            "block is 64 and the image has 2 axes; only images of one axis are cut");
  spec.prepared = operand_role::kernel;
  spec.store.out_bytes = 4;
  EXPECT_EQ(refusal(spec),
            "block is 64 and there is a functor, which needs one transform; choose block 0");
}

}  // namespace
