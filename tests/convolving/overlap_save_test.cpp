// SPDX-License-Identifier: Apache-2.0
// Into which blocks long signals are cut, and what is refused; what blocks make is compared with
// the sums by convolution_test and random_convolutions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/refusal.hpp"  // refusal
#include "wingbeat/convolution.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

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
  const auto refused = [](const convolution_spec& spec) {
    return refusal([&] { (void)result_lengths(spec); });
  };
  convolution_spec spec{
      .image = {1000}, .kernel = {9}, .prepared = operand_role::kernel, .block = 34};
  EXPECT_EQ(refused(spec),
            "block is 34; choose a length from 16 to 131072 without prime factors above 13, or 0");
  spec.block = 8;
  EXPECT_EQ(refused(spec),
            "block is 8; choose a length from 16 to 131072 without prime factors above 13, or 0");
  spec.block = 1024;
  EXPECT_EQ(refused(spec),
            "block is 1024 and the image has 1000 values, fewer than the 2040 that its blocks "
            "take; choose a shorter block, or 0");
  spec.block = 64;
  spec.prepared = operand_role::image;
  EXPECT_EQ(refused(spec),
            "block is 64 and images are prepared; prepare the kernels, or choose block 0");
  EXPECT_EQ(refused({.image = {99, 99}, .kernel = {9, 9}, .block = 64}),
            "block is 64 and the image has 2 axes; only images of one axis are cut");
  spec.prepared = operand_role::kernel;
  spec.store.out_bytes = 4;
  EXPECT_EQ(refused(spec),
            "block is 64 and there is a functor, which needs one transform; choose block 0");
}

}  // namespace
