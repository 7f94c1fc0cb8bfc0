// SPDX-License-Identifier: Apache-2.0
// How many transforms a call makes decides between shapes of one length; and the thresholds of an
// architecture decide what its shapes leave open. All by made-up data.
#include <gtest/gtest.h>

#include "planner/devices.hpp"       // hopper, ampere
#include "planner/made_up_data.hpp"  // made_up_data
#include "planner/pieces.hpp"
#include "programs/transforms.hpp"  // make_program

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using namespace planner;

// Few transforms of 8 points want one in a workgroup, many want 16.
constexpr tuning::shape rows_by_count[] = {
    {.length = 8, .elements = 2, .lanes = 1, .counts = {.max = 99}},
    {.length = 8, .elements = 4, .lanes = 16, .counts = {.min = 100}},
};
constexpr tuning::shape columns_by_count[] = {
    {.length = 8, .elements = 2, .lanes = 2, .counts = {.max = 16}},
    {.length = 8, .elements = 4, .lanes = 8},
    {.length = 16, .elements = 4, .lanes = 8},
};
constexpr tuning::shape lines_by_count[] = {
    {.length = 64, .first = 8, .elements = 8, .counts = {.max = 4}},
};
constexpr tuning::shape planes_by_count[] = {
    {.length = 64, .first = 8, .elements = 8, .lanes = 2, .counts = {.min = 5, .max = 6}},
};
constexpr tuning::cut cuts_by_count[] = {
    {.length = 128, .parts = {8, 16}, .counts = {.max = 1}},
    {.length = 128, .parts = {16, 8}, .counts = {.min = 2}},
};

tuning::architecture data_by_count() {
  tuning::architecture data;
  data.bank_bytes = 128;
  data.fp32 = {.rows = {.whole = rows_by_count,
                        .lines = lines_by_count,
                        .cuts = cuts_by_count,
                        .planes = planes_by_count},
               .columns = columns_by_count};
  return data;
}

TEST(pieces_by_count, of_rows_are_chosen_by_the_transforms_of_a_call) {
  const auto data = data_by_count();
  const auto lanes = [&](std::size_t transforms) {
    return pieces_of({.total = 8, .transforms = transforms}, data, hopper()).front().shape.lanes;
  };
  EXPECT_EQ(lanes(1), 1U);
  EXPECT_EQ(lanes(99), 1U);
  EXPECT_EQ(lanes(100), 16U);
}

TEST(pieces_by_count, of_lines_and_cuts_are_chosen_alike) {
  const auto data = data_by_count();
  const auto lengths = [&](std::size_t total, std::size_t transforms) {
    std::vector<std::size_t> result;
    for (const piece& each : pieces_of({.total = total, .transforms = transforms}, data, hopper()))
      result.push_back(each.shape.length);
    return result;
  };
  EXPECT_EQ(lengths(64, 4), std::vector<std::size_t>{64}) << "a line";
  EXPECT_EQ(lengths(64, 5), (std::vector<std::size_t>{8, 8})) << "none for so many";
  EXPECT_EQ(lengths(128, 1), (std::vector<std::size_t>{8, 16}));
  EXPECT_EQ(lengths(128, 2), (std::vector<std::size_t>{16, 8}));
}

TEST(pieces_by_count, of_few_rows_are_cut_although_a_shape_takes_them_whole) {
  constexpr tuning::cut few[] = {{.length = 64, .parts = {8, 8}, .counts = {.max = 3}}};
  auto data = data_by_count();
  data.fp32.rows.cuts = few;
  const auto passes = [&](axis_request axis) {
    axis.total = 64;
    return pieces_of(axis, data, hopper()).size();
  };
  EXPECT_EQ(passes({.transforms = 3}), 2U);
  EXPECT_EQ(passes({.transforms = 4}), 1U);
  constexpr tuning::cut any[] = {{.length = 64, .parts = {8, 8}}};
  data.fp32.rows.cuts = any;
  EXPECT_EQ(passes({.transforms = 3}), 1U)
      << "a cut for any number is for rows that no shape takes";
  // One whose passes do not fit leaves the row whole.
  constexpr tuning::cut odd[] = {{.length = 64, .parts = {1, 64}, .counts = {.max = 3}}};
  data.fp32.rows.cuts = odd;
  data.other_columns.longest = 32;
  EXPECT_EQ(passes({.transforms = 3}), 1U);
}

TEST(pieces_by_count, of_a_cut_axis_count_their_own_butterflies) {
  // One transform of 128 points is 16 butterflies of 8, two are 32.
  const auto data = data_by_count();
  const auto elements = [&](std::size_t transforms, std::size_t i) {
    return pieces_of({.total = 128, .transforms = transforms}, data, hopper())
        .at(i)
        .shape.elements_per_thread;
  };
  EXPECT_EQ(elements(1, 0), 2U);
  EXPECT_EQ(elements(2, 1), 4U);
}

TEST(pieces_by_count, of_a_request_count_the_batch_and_the_other_axes) {
  const auto data = data_by_count();
  const auto first = [&](const plan_spec& spec) {
    return programs::make_program(spec, hopper(), data).passes().front().shape();
  };
  EXPECT_EQ(first({.lengths = {8}, .batch = 96}).elements_per_thread, 2U);
  EXPECT_EQ(first({.lengths = {8}, .batch = 112}).elements_per_thread, 4U);
  EXPECT_EQ(first({.lengths = {16, 8}, .batch = 6}).elements_per_thread, 2U);
  EXPECT_EQ(first({.lengths = {16, 8}, .batch = 7}).elements_per_thread, 4U);
  // Planes of 8 x 8 where there are 5 or 6 of them.
  for (const std::size_t batch : {4, 5, 6, 7}) {
    const body makes = first({.lengths = {8, 8}, .batch = batch}).makes;
    EXPECT_EQ(makes == body::plane, batch == 5 || batch == 6) << batch;
  }
  // Columns beside 9 bins of 16 reals: 9 transforms of axis 0, in two batches 18.
  const auto columns = [&](std::size_t batch) {
    const plan_spec spec{.lengths = {8, 16}, .batch = batch, .kind = transform::forward_from_real};
    return programs::make_program(spec, hopper(), data).passes().back().shape().elements_per_thread;
  };
  EXPECT_EQ(columns(1), 2U);
  EXPECT_EQ(columns(2), 4U);
}

TEST(pieces, of_odd_rows_of_reals_have_data_of_their_own) {
  auto data = made_up_data();
  const auto elements = [&](transform kind, std::size_t n) {
    const plan_spec spec{.lengths = {n}, .batch = 100, .kind = kind};
    return programs::make_program(spec, hopper(), data)
        .passes()
        .front()
        .shape()
        .elements_per_thread;
  };
  const unsigned of_complex = elements(transform::forward, 625);
  const unsigned of_bins = elements(transform::inverse_to_real, 625);
  const unsigned by_rule = elements(transform::forward_from_real, 375);
  static constexpr tuning::shape odd[] = {{.length = 625, .elements = 125}};
  data.fp32.odd_rows_of_reals = odd;
  EXPECT_EQ(elements(transform::forward_from_real, 625), 125U);
  EXPECT_EQ(elements(transform::inverse_to_real, 625), of_bins);
  EXPECT_EQ(elements(transform::forward, 625), of_complex);
  EXPECT_EQ(elements(transform::forward_from_real, 375), by_rule);
  EXPECT_EQ(elements(transform::forward_from_real, 1250),
            elements(transform::inverse_to_real, 1250));
}

TEST(pieces_rules, shape_columns_that_no_data_describes) {
  auto data = made_up_data();
  data.fp32.columns = {};
  data.other_columns = {.longest = 1024,
                        .elements_per_workgroup = 512,
                        .max_columns = 16,
                        .short_length = 16,
                        .elements_per_thread_of_short = 4,
                        .elements_per_thread = 2};
  const auto column = [&](std::size_t length) {
    const auto pieces =
        pieces_of({.total = length, .is_row = false, .columns = 1000}, data, ampere());
    return pieces.front().shape;
  };
  EXPECT_EQ(column(16).lanes, 16U) << "at most";
  EXPECT_EQ(column(16).elements_per_thread, 4U);
  EXPECT_EQ(column(128).lanes, 4U) << "of 512 elements";
  EXPECT_EQ(column(128).elements_per_thread, 2U);
  EXPECT_EQ(column(1024).length, 1024U);
  EXPECT_EQ(column(2048).length, 64U) << "cut into two";
}

TEST(pieces_rules, keep_prefetches_and_streams_from_long_butterflies_with_twiddles) {
  static constexpr tuning::shape streamed[] = {
      {.length = 8, .elements = 4, .lanes = 8, .streams = true},
  };
  auto data = made_up_data();
  data.fp32.columns = streamed;
  const auto streams = [&](std::size_t long_bytes) {
    data.placing.long_bytes = long_bytes;
    const auto pieces = pieces_of({.total = 64}, data, [] {
      device_info device = ampere();
      device.max_workgroup = 32;
      device.local_memory_bytes = 8 * 64 - 1;  // no line
      return device;
    }());
    EXPECT_EQ(pieces.size(), 2U);
    EXPECT_TRUE(pieces.front().streams) << "has no twiddles";
    return pieces.back().streams;
  };
  EXPECT_TRUE(streams(64)) << "8 elements of 8 bytes are not long";
  EXPECT_FALSE(streams(63));
}

TEST(pieces_rules, weigh_scrambled_bins_by_the_times_expected) {
  static constexpr tuning::shape measured[] = {
      {.length = 16, .elements = 8, .lanes = 8, .fraction = 0.25F},
  };
  auto data = made_up_data();
  data.fp32.columns = measured;
  data.fp32.column_lines = data.fp32.rows.lines = {};
  // Natural order: columns of 16 twice, 8 copies. Scrambled: columns of 16, then rows of 16 at half
  // of a copy, 4 + 2 copies and what the twiddles take.
  const auto is_scrambled = [&] {
    return !planner::scrambled_pieces_of({.total = 256}, data, ampere()).empty();
  };
  data.times = {.twiddle_elements = 0, .least_gain = 0.76, .unmeasured_growth = 1};
  EXPECT_TRUE(is_scrambled());
  data.times.least_gain = 0.74;
  EXPECT_FALSE(is_scrambled());
  data.times = {.twiddle_elements = 7.9, .least_gain = 1, .unmeasured_growth = 1};
  EXPECT_TRUE(is_scrambled()) << "2 * 7.9 / 8 copies more";
  data.times.twiddle_elements = 8.1;
  EXPECT_FALSE(is_scrambled());
  // Columns of 32, which were not measured, and rows of 8 at 0.75 of a copy.
  data.times = {.unmeasured = 6, .twiddle_elements = 0, .least_gain = 1, .unmeasured_growth = 2};
  data.fp32.rows.whole = std::span{made_up_whole}.first(4);
  EXPECT_TRUE(is_scrambled());
  data.times.unmeasured = 7;
  EXPECT_FALSE(is_scrambled());
  data.times.unmeasured = 6;
  data.times.unmeasured_growth = 1;
  EXPECT_FALSE(is_scrambled()) << "twice as long as in natural order";
}

TEST(pieces_rules, give_processors_no_more_lanes_than_leave_few_without_a_column) {
  constexpr tuning::shape wide[] = {{.length = 8, .elements = 8, .lanes = 64}};
  tuning::architecture data;
  data.fp32 = {.columns = wide};
  const auto lanes = [&](std::size_t columns, unsigned bank_bytes) {
    data.bank_bytes = bank_bytes;
    const axis_request axis{.total = 8, .is_row = false, .columns = columns};
    return pieces_of(axis, data, hopper()).front().shape.lanes;
  };
  EXPECT_EQ(lanes(64, 0), 64U);
  EXPECT_EQ(lanes(60, 0), 64U) << "16 would leave as many";
  EXPECT_EQ(lanes(48, 0), 16U) << "none is left over";
  EXPECT_EQ(lanes(80, 0), 16U);
  EXPECT_EQ(lanes(33, 0), 16U) << "48 taken for 64";
  EXPECT_EQ(lanes(17, 0), 32U) << "fewer than 16 do not fill vectors";
  EXPECT_EQ(lanes(48, 128), 64U) << "a GPU's tiles go on in the next row";
}

TEST(pieces_rules, spread_calls_of_few_transforms_over_the_multiprocessors) {
  constexpr tuning::shape wide[] = {{.length = 64, .elements = 8, .lanes = 64}};
  constexpr tuning::shape rows[] = {{.length = 64, .elements = 8, .lanes = 16}};
  tuning::architecture data;
  data.bank_bytes = 128;
  data.fp32 = {.rows = {.whole = rows}, .columns = wide};
  data.fp64 = data.fp32;
  data.placing.least_workgroups_per_unit = 0.5;
  data.placing.least_side_by_side = 64;
  device_info device = hopper();
  device.compute_units = 16;
  const auto lanes = [&](bool is_row, std::size_t transforms, precision stored = precision::fp32) {
    const axis_request axis{.total = 64,
                            .stored = stored,
                            .is_row = is_row,
                            .columns = is_row ? 1U : transforms,
                            .transforms = transforms};
    return pieces_of(axis, data, device).front().shape.lanes;
  };
  EXPECT_EQ(lanes(false, 512), 64U) << "8 workgroups, a half of 16 multiprocessors";
  EXPECT_EQ(lanes(false, 448), 32U) << "7 would be too few, 14 are not";
  EXPECT_EQ(lanes(false, 100), 8U) << "64 bytes side by side stay";
  EXPECT_EQ(lanes(false, 100, precision::fp64), 8U) << "13 of them are enough";
  EXPECT_EQ(lanes(false, 30, precision::fp64), 4U);
  EXPECT_EQ(lanes(true, 128), 16U);
  EXPECT_EQ(lanes(true, 100), 8U);
  EXPECT_EQ(lanes(true, 1), 4U) << "a subgroup of 32 threads stays";
  device.is_gpu = false;
  EXPECT_EQ(lanes(true, 1), 16U) << "a processor has none to fill";
}

}  // namespace
