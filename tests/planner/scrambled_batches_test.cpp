// SPDX-License-Identifier: Apache-2.0
// Plans of any batch, and back, have scrambled bins in the same places, though shapes of few
// transforms differ from those of many.
#include <gtest/gtest.h>

#include <vector>

#include "planner/devices.hpp"      // hopper, ampere
#include "programs/transforms.hpp"  // make_program

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

std::vector<std::size_t> some_bins(const plan_spec& spec, const device_info& device) {
  const programs::program program = programs::make_program(spec, device);
  const std::size_t n = spec.lengths.front();
  std::vector<std::size_t> bins;
  for (const std::size_t place : {std::size_t{1}, n / 64 + 3, n / 2 + 1, n - 1}) {
    bins.push_back(program.bin_at(place));
  }
  return bins;
}

void expect_one_order(const device_info& device, precision real) {
  for (std::size_t n = 1 << 10; n <= (1U << 24); n *= 2) {
    const auto bins_of = [&](std::size_t batch, transform kind) {
      return some_bins({.lengths = {n},
                        .batch = batch,
                        .kind = kind,
                        .real = real,
                        .bins = bin_order::scrambled},
                       device);
    };
    const auto expected = bins_of(1, transform::forward);
    for (const std::size_t batch : {1, 2, 8, 64, 600, 4096}) {
      EXPECT_EQ(bins_of(batch, transform::forward), expected) << n << " x " << batch;
      EXPECT_EQ(bins_of(batch, transform::inverse), expected) << n << " x " << batch << ", back";
    }
  }
}

TEST(scrambled_batches, have_their_bins_in_the_same_places) {
  device_info device = hopper();
  device.compute_units = 132;
  for (const precision real : {precision::fp32, precision::fp64}) {
    expect_one_order(device, real);
    expect_one_order(ampere(), real);
  }
}

}  // namespace
