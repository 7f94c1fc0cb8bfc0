// SPDX-License-Identifier: Apache-2.0
// The lengths that axes of convolutions are padded to, on each kind of device.
#include "tuning/padding.hpp"

#include <gtest/gtest.h>

#include <bit>  // bit_ceil, has_single_bit

#include "convolving/geometry.hpp"   // geometry_of
#include "wingbeat/good_length.hpp"  // is_good_length

namespace {

using namespace wingbeat;
using namespace tuning;

device_info device_of(engine runs_on, bool is_gpu) {
  device_info device;
  device.runs_on = runs_on;
  device.is_gpu = is_gpu;
  return device;
}

const device_info gpu = device_of(engine::cuda, true);
const device_info opencl_gpu = device_of(engine::opencl, true);
const device_info opencl_cpu = device_of(engine::opencl, false);
const device_info processor = device_of(engine::host, false);

TEST(padding, is_a_good_length_that_is_no_shorter) {
  for (const device_info& device : {gpu, opencl_gpu, opencl_cpu, processor}) {
    for (std::size_t least = 1; least < 20000; least += 1 + least / 50) {
      const std::size_t padded = padded_length(least, device);
      ASSERT_GE(padded, least);
      ASSERT_LE(padded, std::max<std::size_t>(std::bit_ceil(least), 2));
      ASSERT_TRUE(is_good_length(padded)) << padded;
      if (std::has_single_bit(padded)) continue;
      ASSERT_EQ(padded % 8, 0U) << padded;
      ASSERT_GT(padded, 64U);
    }
  }
}

TEST(padding, ends_at_the_longest_transform) {
  EXPECT_EQ(padded_length(max_length, gpu), max_length);
  EXPECT_EQ(padded_length(max_length - 1, processor), max_length);
  EXPECT_LT(padded_length(max_length / 2 + 1, gpu), max_length);
  EXPECT_GT(padded_length(max_length + 1, gpu), max_length);
}

/// Images of 5,760 x 4,092 and 3,838 x 3,710, with templates of 480 x 480.
TEST(padding, of_whole_images_is_near_their_size) {
  const auto padded = [](std::size_t image, extent mode) {
    const convolution_spec spec{
        .image = {image}, .kernel = {480}, .kind = operation::correlate, .mode = mode};
    return convolving::geometry_of(spec)[0].padded;
  };
  EXPECT_EQ(padded(5760, extent::full), 8192U) << "as measured";
  EXPECT_LE(padded(4092, extent::full), 4608U);
  EXPECT_LE(padded(3838, extent::full), 4608U);
  EXPECT_EQ(padded(5760, extent::valid), 8192U) << "as measured";
  EXPECT_EQ(padded(4092, extent::valid), 4096U);
}

TEST(padding, is_a_power_of_two_unless_another_is_clearly_shorter) {
  for (const device_info& device : {gpu, opencl_gpu, opencl_cpu, processor}) {
    EXPECT_EQ(padded_length(4096, device), 4096U);
    EXPECT_EQ(padded_length(3750, device), 4096U) << "less than a tenth";
    EXPECT_EQ(padded_length(60, device), 64U) << "in registers";
    EXPECT_EQ(padded_length(33, device), 64U);
  }
  EXPECT_EQ(padded_length(2559, gpu), 2560U);
  EXPECT_EQ(padded_length(1335, gpu), 2048U) << "of a bloom, as measured";
  EXPECT_EQ(padded_length(2175, gpu), 2304U) << "the same";
  EXPECT_EQ(padded_length(4317, gpu), 4320U);
  EXPECT_EQ(padded_length(5760, gpu), 8192U) << "as measured";
  EXPECT_EQ(padded_length(2559, processor), 2560U);
  EXPECT_EQ(padded_length(6239, processor), 6400U);
  EXPECT_EQ(padded_length(1530, processor), 1536U);
  EXPECT_EQ(padded_length(1530, opencl_cpu), 2048U) << "as measured";
}

TEST(padding, costs_the_time_of_powers_of_two_at_least) {
  for (const device_info& device : {gpu, opencl_cpu, processor}) {
    EXPECT_DOUBLE_EQ(relative_point_time(1024, device), 1);
    for (const std::size_t n : {80, 720, 2310, 5760, 30030}) {
      EXPECT_GT(relative_point_time(n, device), 1) << n;
    }
  }
}

}  // namespace
