// SPDX-License-Identifier: Apache-2.0
// The tuning data: which architecture a device gets, how a shape is found, and that each list is
// sound: no shape contradicts itself or hides another.
#include "tuning/tuning.hpp"

#include <gtest/gtest.h>

#include <bit>  // has_single_bit
#include <string>

#include "programs/catalogue.hpp"       // sample_device
#include "support/refusal.hpp"          // refusal
#include "wingbeat/device/factors.hpp"  // is_product_of_radices

namespace {

using namespace wingbeat;
using test::refusal;
using namespace tuning;

TEST(tuning, is_chosen_by_what_a_device_can_do) {
  const auto name_for = [](const device_info& device) {
    return std::string{tuning::for_device(device).name};
  };
  EXPECT_EQ(name_for(programs::sample_device("sm_80")), "ampere");
  EXPECT_EQ(name_for(programs::sample_device("sm_90")), "hopper");
  EXPECT_EQ(name_for(programs::sample_device("sm_100")), "hopper");
  device_info renamed = programs::sample_device("sm_80");
  renamed.architecture = "sm_90";  // a string for people
  EXPECT_EQ(name_for(renamed), "ampere");
  device_info other;
  other.runs_on = engine::opencl;
  EXPECT_EQ(name_for(other), "opencl-cpu");
  other.is_gpu = true;
  EXPECT_EQ(name_for(other), "opencl-gpu");
}

TEST(tuning, has_sample_devices_of_known_names_alone) {
  EXPECT_EQ(programs::sample_device("sm_90").architecture, "sm_90");
  EXPECT_EQ(refusal([] { static_cast<void>(programs::sample_device("sm_1")); }),
            "there is no sample device 'sm_1'; choose sm_80, sm_90 or sm_100");
}

TEST(tuning, finds_a_shape_by_length_and_count_in_lists_of_any_order) {
  static constexpr shape list[] = {
      {.length = 64, .elements = 8},
      {.length = 12, .elements = 3},
      {.length = 16, .elements = 4, .counts = {.min = 3, .max = 5}},
      {.length = 16, .elements = 16, .counts = {.min = 5}},
  };
  const auto elements = [](std::size_t length, std::size_t count) {
    const shape* found = table<shape>{list}.find(length, count);
    return found == nullptr ? 0 : found->elements;
  };
  EXPECT_EQ(elements(64, 1), 8U);
  EXPECT_EQ(elements(64, std::size_t{1} << 40), 8U) << "any count";
  EXPECT_EQ(elements(12, 7), 3U) << "no power of two";
  EXPECT_EQ(elements(32, 7), 0U) << "not listed";
  EXPECT_EQ(elements(16, 2), 0U);
  EXPECT_EQ(elements(16, 3), 4U);
  EXPECT_EQ(elements(16, 5), 4U) << "the first";
  EXPECT_EQ(elements(16, 6), 16U);
}

TEST(tuning, takes_a_shape_of_the_first_list_that_has_one) {
  static constexpr shape own[] = {{.length = 64, .elements = 8, .counts = {.max = 3}}};
  static constexpr shape others[] = {{.length = 64, .elements = 16}, {.length = 32}};
  const table<shape> both{own, others};
  EXPECT_EQ(both.find(64, 3), &own[0]);
  EXPECT_EQ(both.find(64, 4), &others[0]);
  EXPECT_EQ(both.find(32, 1), &others[1]);
  EXPECT_TRUE(table<shape>{}.is_empty());
  EXPECT_FALSE(both.is_empty());
}

/// Shapes of one workgroup: one for each length and count.
void expect_sound(const table<shape>& shapes) {
  for (const shape& each : shapes) {
    SCOPED_TRACE(each.length);
    EXPECT_TRUE(device::is_product_of_radices(each.length) && std::has_single_bit(each.lanes));
    EXPECT_EQ(each.length % each.elements, 0U);
    EXPECT_LE(each.length / each.elements * each.lanes, 1024U) << "threads";
    EXPECT_LE(each.counts.min, each.counts.max);
    EXPECT_GE(each.fraction, 0);
    EXPECT_LE(each.fraction, 1);
    EXPECT_TRUE(shapes.find(each.length, each.counts.min) == &each ||
                shapes.find(each.length, each.counts.max) == &each)
        << "is hidden";
  }
}

void expect_sound_clusters(const table<shape>& shapes) {
  for (const shape& each : shapes) {
    SCOPED_TRACE(each.length);
    EXPECT_TRUE(device::is_product_of_radices(each.length));
    EXPECT_EQ(each.length % each.first, 0U);
    EXPECT_EQ(each.first % each.elements, 0U);
    EXPECT_EQ(each.length / each.first % each.elements, 0U);
    EXPECT_EQ(each.first % each.workgroups, 0U);
    EXPECT_EQ(each.length / each.first % each.workgroups, 0U);
    EXPECT_LE(each.workgroups, 16U);
    EXPECT_LE(each.length / each.elements * each.lanes / each.workgroups, 1024U) << "threads";
    EXPECT_LE(each.fraction, 1);
  }
}

void expect_sound(const tuning::row_shapes& rows) {
  expect_sound(rows.whole);
  expect_sound_clusters(rows.lines);
  expect_sound_clusters(rows.planes);
  expect_sound(rows.mirrored);
  for (const tuning::cut& cut : rows.cuts) {
    SCOPED_TRACE(cut.length);
    std::size_t product = 1;
    bool has_ended = false;
    for (const std::size_t length : cut.parts) {
      EXPECT_FALSE(has_ended && length > 0) << "a part behind the last";
      has_ended = length == 0;
      if (length > 0) product *= length;
    }
    EXPECT_EQ(product, cut.length);
  }
}

TEST(tuning, holds_sound_shapes) {
  for (const architecture* data :
       {&tuning::hopper(), &tuning::ampere(), &tuning::opencl_gpu(), &tuning::opencl_cpu()}) {
    SCOPED_TRACE(data->name);
    EXPECT_FALSE(data->fp32.rows.whole.is_empty() || data->fp64.rows.whole.is_empty());
    for (const tuning::shapes* each : {&data->fp32, &data->fp64, &data->stored_in_16_bits}) {
      expect_sound(each->rows);
      expect_sound(each->rows_of_reals);
      expect_sound(each->rows_of_bins);
      expect_sound(each->columns);
      expect_sound_clusters(each->column_lines);
    }
  }
}

}  // namespace
