// SPDX-License-Identifier: Apache-2.0
// How axes are cut: into one piece, two or more, by clusters and without, within local memory;
// where bins are separated; with scrambled bins; and planes.
#include "planner/pieces.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "planner/devices.hpp"       // hopper, ampere, opencl
#include "planner/made_up_data.hpp"  // made_up_data
#include "wingbeat/error.hpp"        // plan_error

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using namespace planner;

/// n pairs of reals, or the bins of n pairs.
axis_request of_reals(std::size_t n, bool is_forward, precision stored = precision::fp32) {
  axis_request axis{.total = n, .stored = stored, .is_forward = is_forward};
  (is_forward ? axis.sink : axis.source) = row::half_spectrum;
  return axis;
}

std::vector<piece> cut(const axis_request& axis, const device_info& device = hopper()) {
  return pieces_of(axis, made_up_data(), device);
}

/// Returns the lengths of the pieces, having checked that they make up the axis and fit the device.
std::vector<std::size_t> lengths_of(const std::vector<piece>& pieces, const axis_request& axis,
                                    const device_info& device) {
  std::vector<std::size_t> lengths;
  std::size_t prior = 1;
  for (const piece& each : pieces) {
    EXPECT_EQ(each.prior, prior);
    EXPECT_EQ(each.total, axis.total);
    EXPECT_LE(each.shape.threads(), device.max_workgroup);
    EXPECT_LE(each.shape.scratch_bytes(), device.local_memory_bytes);
    EXPECT_EQ(each.shape.element_bytes, axis.stored == precision::fp64 ? 16U : 8U);
    EXPECT_TRUE(!each.shape.mirrored || each.shape.lanes >= 2);
    prior *= each.shape.length;
    lengths.push_back(each.shape.length);
  }
  EXPECT_EQ(prior, axis.total);
  return lengths;
}
using lengths = std::vector<std::size_t>;

lengths cut_lengths(const axis_request& axis, const device_info& device = hopper()) {
  return lengths_of(cut(axis, device), axis, device);
}

TEST(pieces, take_a_row_whole_as_the_data_describes_it) {
  const auto pieces = cut({.total = 8});
  ASSERT_EQ(pieces.size(), 1U);
  const piece& whole = pieces.front();
  EXPECT_EQ(whole.shape.makes, body::transform);
  EXPECT_EQ(whole.shape.length, 8U);
  EXPECT_EQ(whole.total, 8U);
  EXPECT_EQ(whole.prior, 1U);
  EXPECT_EQ(whole.shape.elements_per_thread, 4U);
  EXPECT_EQ(whole.shape.lanes, 16U);
  EXPECT_EQ(whole.shape.workgroups, 1U);
  EXPECT_EQ(whole.shape.bank_bytes, 128U);
  EXPECT_EQ(whole.shape.threads(), 32U);
  EXPECT_TRUE(whole.shape.half_trade && whole.shape.stage_in && !whole.shape.stage_out);
  EXPECT_FALSE(whole.shape.lanes_across || whole.shape.mirrored);
  EXPECT_EQ(whole.fraction, 0.75);
  EXPECT_EQ(whole.resident, 5U);
  EXPECT_EQ(whole.prefetch_bytes, 2U << 20);
  EXPECT_TRUE(whole.streams);
  EXPECT_FALSE(whole.is_in_place());
  EXPECT_TRUE(cut({.total = 16}).front().shape.stage_out);
}

TEST(pieces, prefetch_nothing_where_the_device_cannot) {
  EXPECT_EQ(cut({.total = 8}, ampere()).front().prefetch_bytes, 0U);
  EXPECT_EQ(cut({.total = 8}, opencl(true, 1 << 16, 1024)).front().prefetch_bytes, 0U);
}

TEST(pieces, make_rows_of_reals_at_once) {
  for (const bool is_forward : {true, false}) {
    const auto pieces = cut(of_reals(8, is_forward));
    ASSERT_EQ(pieces.size(), 1U);
    EXPECT_EQ(pieces.front().shape.makes, body::real_row);
    EXPECT_EQ(pieces.front().shape.source, is_forward ? row::complex_row : row::half_spectrum);
    EXPECT_EQ(pieces.front().shape.sink, is_forward ? row::half_spectrum : row::complex_row);
  }
}

TEST(pieces, take_clusters_where_the_device_has_them) {
  const auto pieces = cut({.total = 64});
  ASSERT_EQ(pieces.size(), 1U);
  const planner::tile_shape& line = pieces.front().shape;
  EXPECT_EQ(line.makes, body::line);
  EXPECT_EQ(line.first, 4U);
  EXPECT_EQ(line.second, 16U);
  EXPECT_EQ(line.elements_per_thread, 4U);
  EXPECT_EQ(line.workgroups, 4U);
  EXPECT_FALSE(line.lanes_across) << "of one lane";
  EXPECT_EQ(pieces.front().resident, 3U);
  EXPECT_EQ(pieces.front().fraction, 0.5);
  EXPECT_EQ(pieces.front().prefetch_bytes, 1U << 20);

  // Without clusters the next of that length, which is of one workgroup.
  for (const device_info& device : {ampere(), opencl(false, 1 << 20, 4096)}) {
    const auto others = cut({.total = 64}, device);
    ASSERT_EQ(others.size(), 1U);
    EXPECT_EQ(others.front().shape.workgroups, 1U);
    EXPECT_EQ(others.front().shape.first, 8U);
  }
  EXPECT_EQ(pieces_of({.total = 1 << 16, .transforms = 5}, tuning::hopper(), hopper()).size(), 1U);
  EXPECT_EQ(pieces_of({.total = 1 << 16}, tuning::hopper(), ampere()).size(), 2U);
}

TEST(pieces, are_cut_as_measured) {
  EXPECT_EQ(cut_lengths({.total = 1 << 7}), (lengths{8, 16}));
  EXPECT_EQ(cut_lengths({.total = 1 << 10}), (lengths{8, 16, 8})) << "and the rest";
  const auto pieces = cut({.total = 1 << 7});
  const planner::tile_shape& first = pieces.front().shape;
  EXPECT_TRUE(first.lanes_across) << "columns";
  EXPECT_EQ(first.lanes, 8U);
  EXPECT_TRUE(first.half_trade);
  EXPECT_EQ(pieces.front().resident, 6U);
  EXPECT_EQ(pieces.front().fraction, 0.25);
  EXPECT_TRUE(pieces.front().streams);
  EXPECT_EQ(pieces.back().shape.lanes, 8U) << "of 16 measured, because prior is 8";
}

TEST(pieces, are_cut_evenly_where_nothing_was_measured) {
  EXPECT_EQ(cut_lengths({.total = 1 << 8}), (lengths{16, 16}));
  EXPECT_EQ(cut_lengths({.total = 1 << 9}, ampere()), (lengths{32, 16}));
  EXPECT_EQ(cut_lengths({.total = 1 << 24}), (lengths{1 << 12, 1 << 12})) << "defaults";
}

TEST(pieces, are_more_the_less_local_memory_there_is) {
  // A column of n complex fp32 exchanges 8 n bytes and some of padding.
  device_info device = opencl(true, 0, 1024);
  const axis_request axis{.total = 1 << 16};
  const auto count_within = [&](std::size_t bytes) {
    device.local_memory_bytes = bytes;
    return cut_lengths(axis, device).size();
  };
  EXPECT_EQ(count_within(64 << 10), 2U);
  EXPECT_EQ(count_within(1 << 12), 2U) << "256 each";
  EXPECT_EQ(count_within(8 * 256 - 1), 3U) << "64, 32 and 32";
  EXPECT_EQ(count_within(8 * 64 - 1), 4U) << "16 each";
  EXPECT_THROW(count_within(8 * 16 / 2 - 1), plan_error) << "four at most";
}

TEST(pieces, take_fewer_lanes_before_they_are_cut) {
  device_info device = opencl(true, 1 << 16, 1024);
  const unsigned most = cut({.total = 16}, device).front().shape.scratch_bytes();
  device.local_memory_bytes = most - 1;
  const auto pieces = cut({.total = 16}, device);
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_EQ(pieces.front().shape.lanes, 1U);
  device.local_memory_bytes = 1 << 16;
  device.max_workgroup = 16;
  EXPECT_EQ(cut({.total = 8}, device).front().shape.lanes, 8U) << "of two threads each";
}

TEST(pieces, have_no_more_columns_than_there_are_neighbours) {
  const auto lanes = [](std::size_t total, std::size_t neighbours) {
    return cut({.total = total, .is_row = false, .columns = neighbours}).front().shape.lanes;
  };
  EXPECT_EQ(lanes(16, 100), 16U);
  EXPECT_EQ(lanes(16, 5), 8U) << "the next power of two";
  EXPECT_EQ(lanes(16, 1), 1U);
  const auto cluster = [](std::size_t neighbours) {
    return cut({.total = 32, .is_row = false, .columns = neighbours}).front().shape;
  };
  EXPECT_EQ(cluster(4).makes, body::line);
  EXPECT_TRUE(cluster(4).lanes_across);
  EXPECT_EQ(cluster(3).makes, body::transform) << "lines of four lanes would waste one";
}

TEST(pieces, mirror_the_columns_whose_bins_meet) {
  const axis_request forward = of_reals(1 << 8, true);
  const auto pieces = cut(forward);
  EXPECT_EQ(lengths_of(pieces, forward, hopper()), (lengths{16, 16}));
  EXPECT_FALSE(pieces[0].shape.mirrored);
  EXPECT_EQ(pieces[0].shape.sink, row::complex_row);
  EXPECT_TRUE(pieces[1].shape.mirrored);
  EXPECT_EQ(pieces[1].shape.sink, row::half_spectrum);
  EXPECT_EQ(pieces[1].shape.lanes, 4U) << "as measured for mirrored columns";
  EXPECT_EQ(pieces[1].resident, 2U);

  // Of bins, the first piece combines; nothing was measured for it, so its shape is any column's.
  const axis_request inverse = of_reals(1 << 8, false);
  const auto back = cut(inverse);
  EXPECT_EQ(lengths_of(back, inverse, hopper()), (lengths{16, 16}));
  EXPECT_TRUE(back[0].shape.mirrored);
  EXPECT_EQ(back[0].shape.source, row::half_spectrum);
  EXPECT_EQ(back[0].shape.lanes, 16U);
  EXPECT_FALSE(back[1].shape.mirrored || back[1].shape.has_half_spectrum());

  // Columns of another axis have no bins to separate.
  const auto columns_of_bins = cut({.total = 16, .is_row = false, .columns = 9});
  EXPECT_FALSE(columns_of_bins.front().shape.mirrored);
}

TEST(pieces, have_two_mirrored_columns_at_least) {
  for (const std::size_t kib : {8, 4, 2}) {
    const auto device = opencl(true, kib << 10, 1024);
    for (std::size_t n = 1 << 7; n <= 1 << 14; n *= 2) {
      for (const bool is_forward : {true, false}) {
        const axis_request axis = of_reals(n, is_forward);
        SCOPED_TRACE(fmt::format("{} in {} KiB", n, kib));
        std::size_t n_mirrored = 0;
        const auto pieces = cut(axis, device);
        lengths_of(pieces, axis, device);  // checks lanes
        for (const piece& each : pieces) n_mirrored += each.shape.mirrored ? 1 : 0;
        EXPECT_EQ(n_mirrored, 1U);
      }
    }
  }
}

TEST(pieces, of_unmeasured_mirrored_columns_exchange_whole_bins_and_do_not_spill) {
  auto data = made_up_data();
  data.fp32.rows_of_reals.mirrored = {};
  const auto pieces = [&](std::size_t n, precision stored = precision::fp32) {
    return pieces_of(of_reals(n, true, stored), data, hopper());
  };
  const piece last = pieces(1 << 6).back();
  EXPECT_EQ(last.shape.length, 8U);
  EXPECT_FALSE(last.shape.half_trade) << "which other columns of 8 do";
  EXPECT_EQ(last.resident, 1U);
  EXPECT_LE(pieces(1 << 24).back().shape.threads(), 512U);
  data.fp64 = data.fp32;
  data.fp64.unmeasured_mirrored = {.longest = 2048, .most_threads = 256};
  EXPECT_LE(pieces(1 << 22, precision::fp64).back().shape.threads(), 256U);
  for (const piece& each : pieces(1 << 24, precision::fp64)) {
    EXPECT_LT(each.shape.length, 1U << 12) << "spills in fp64";
  }
}

TEST(pieces, scramble_bins_by_two_in_place) {
  for (const device_info& device : {hopper(), ampere(), opencl(false, 1 << 20, 4096)}) {
    const tuning::architecture& data = tuning::for_device(device);
    int n_scrambled = 0;
    for (std::size_t n = 2; n <= max_length; n *= 2) {
      SCOPED_TRACE(n);
      const axis_request axis{.total = n};
      const auto forward = scrambled_pieces_of(axis, data, device);
      auto inverse = scrambled_pieces_of({.total = n, .is_forward = false}, data, device);
      ASSERT_EQ(forward.size(), inverse.size());
      if (forward.empty()) continue;
      ++n_scrambled;
      ASSERT_EQ(forward.size(), 2U);
      const piece &columns_first = forward[0], &rows_last = forward[1];
      lengths_of(forward, axis, device);
      lengths_of(inverse, axis, device);
      EXPECT_TRUE(columns_first.shape.lanes_across);
      EXPECT_FALSE(rows_last.shape.lanes_across);
      EXPECT_EQ(columns_first.in_place_spacing, rows_last.shape.length);
      EXPECT_EQ(rows_last.in_place_spacing, 1U);
      // Rows come first on the way back, of the same lengths.
      EXPECT_EQ(inverse[0].shape.length, rows_last.shape.length);
      EXPECT_EQ(inverse[0].in_place_spacing, 1U);
      EXPECT_EQ(inverse[1].in_place_spacing, columns_first.in_place_spacing);
    }
    EXPECT_GT(n_scrambled, 0) << device.architecture;
  }
}

TEST(pieces, keep_natural_order_where_it_takes_no_longer) {
  const auto data = made_up_data();
  EXPECT_TRUE(scrambled_pieces_of({.total = 16}, data, hopper()).empty()) << "a workgroup's";
  EXPECT_TRUE(scrambled_pieces_of({.total = 64}, data, hopper()).empty()) << "a cluster's";
  static constexpr tuning::shape slow[] = {
      {.length = 8, .elements = 8, .lanes = 8, .fraction = 0.1F},
      {.length = 16, .elements = 8, .lanes = 8, .fraction = 0.1F},
  };
  static constexpr tuning::shape swift[] = {
      {.length = 8, .elements = 8, .lanes = 8, .fraction = 1.0F},
      {.length = 16, .elements = 8, .lanes = 8, .fraction = 1.0F},
  };
  auto measured = data;
  // Natural order: columns of 16, twice. Scrambled: the same columns, and rows at half of a copy.
  measured.fp32.column_lines = {};
  measured.fp32.columns = slow;
  EXPECT_EQ(scrambled_pieces_of({.total = 1 << 8}, measured, hopper()).size(), 2U);
  measured.fp32.columns = swift;
  EXPECT_TRUE(scrambled_pieces_of({.total = 1 << 8}, measured, hopper()).empty());
}

TEST(pieces, of_planes_are_of_both_axes) {
  const auto data = made_up_data();
  const auto plane = plane_of(8, {.total = 8}, data, hopper());
  ASSERT_TRUE(plane);
  EXPECT_EQ(plane->shape.makes, body::plane);
  EXPECT_EQ(plane->shape.length, 64U);
  EXPECT_EQ(plane->total, 64U);
  EXPECT_EQ(plane->shape.first, 8U);
  EXPECT_EQ(plane->shape.second, 8U);
  EXPECT_EQ(plane->shape.workgroups, 2U);
  EXPECT_EQ(plane->prefetch_bytes, 1U << 20);
  EXPECT_FALSE(plane_of(8, {.total = 8}, data, ampere())) << "no clusters";
  EXPECT_TRUE(plane_of(16, {.total = 8}, data, ampere())) << "of one workgroup";
  EXPECT_FALSE(plane_of(8, {.total = 16}, data, hopper())) << "rows and columns differ";
  EXPECT_FALSE(plane_of(4, {.total = 4}, data, hopper()));
  device_info small = hopper();
  small.local_memory_bytes = 64;
  EXPECT_FALSE(plane_of(8, {.total = 8}, data, small));
}

TEST(pieces, of_planes_separate_bins_where_measured_for_them) {
  const auto data = made_up_data();
  const axis_request reals = of_reals(8, true);
  EXPECT_FALSE(plane_of(8, reals, data, hopper())) << "planes of complex numbers are no others'";
  const auto plane = plane_of(16, reals, data, hopper());
  ASSERT_TRUE(plane);
  EXPECT_EQ(plane->shape.sink, row::half_spectrum);
  EXPECT_FALSE(plane->shape.mirrored) << "opposite bins are in one cluster";
  const axis_request bins = of_reals(8, false);
  EXPECT_FALSE(plane_of(16, bins, data, hopper())) << "measured for reals alone";
}

TEST(pieces, use_the_data_of_their_precision) {
  auto data = made_up_data();
  static constexpr tuning::shape fp64_whole[] = {
      {.length = 1, .elements = 1},
      {.length = 2, .elements = 2},
      {.length = 4, .elements = 4},
      {.length = 8, .elements = 8},
  };
  static constexpr tuning::shape narrow_whole[] = {
      {.length = 1, .elements = 1, .lanes = 2},
      {.length = 2, .elements = 2, .lanes = 2},
      {.length = 4, .elements = 4, .lanes = 2},
      {.length = 8, .elements = 2, .lanes = 2},
  };
  data.fp64.rows.whole = fp64_whole;
  const auto elements = [&](precision stored) {
    return pieces_of({.total = 8, .stored = stored}, data, hopper())
        .front()
        .shape.elements_per_thread;
  };
  EXPECT_EQ(elements(precision::fp32), 4U);
  EXPECT_EQ(elements(precision::fp64), 8U);
  EXPECT_EQ(elements(precision::fp16), 4U) << "none of its own: fp32's";
  data.stored_in_16_bits.rows.whole = narrow_whole;
  EXPECT_EQ(elements(precision::fp16), 2U);
  EXPECT_EQ(elements(precision::bf16), 2U);
}

}  // namespace
