// SPDX-License-Identifier: Apache-2.0
// Recipes: their passes multiply to the lengths, fit the device, chain from input to output, and
// count the bytes they move and keep.
#include "planner/recipe.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>  // sort
#include <vector>

#include "planner/devices.hpp"  // hopper, ampere, opencl
#include "tuning/tuning.hpp"    // shapes
#include "wingbeat/error.hpp"   // plan_error

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using planner::make_recipe;
using planner::pass;
using planner::place;

constexpr transform every_kind[] = {transform::forward, transform::inverse,
                                    transform::forward_from_real, transform::inverse_to_real};

bool is_of_reals(transform kind) {
  return kind == transform::forward_from_real || kind == transform::inverse_to_real;
}

std::size_t elements_of(const plan_spec& what) {
  std::size_t product = 1;
  for (const std::size_t n : what.lengths) product *= n;
  return product / (is_of_reals(what.kind) ? 2 : 1);
}

void check(const plan_spec& what, const device_info& where) {
  const planner::recipe made = make_recipe(what, where);
  std::size_t product = 1, prior = 1;
  place last = place::input;
  for (const pass& one : made.passes()) {
    EXPECT_LE(one.scratch_bytes(), where.local_memory_bytes);
    EXPECT_LE(one.threads(), where.max_workgroup);
    EXPECT_EQ(one.in.where, last);
    if (!one.is_whole()) {
      EXPECT_NE(one.out.where, one.in.where) << "a Stockham pass never writes what it reads";
    }
    last = one.out.where;
    EXPECT_EQ(one.prior, prior);
    product *= one.length;
    prior = prior * one.length == one.total ? 1 : prior * one.length;
  }
  EXPECT_EQ(last, place::output);
  EXPECT_EQ(prior, 1U) << "every axis that was begun is finished";
  EXPECT_EQ(product, elements_of(what));
}

TEST(recipe, is_sound_for_every_length_on_every_kind_of_device) {
  for (const device_info& where : {hopper(), ampere(), opencl(true, 32 << 10, 256),
                                   opencl(false, 2 << 20, 4096), opencl(false, 64 << 10, 1024)}) {
    for (std::size_t n = 2; n <= max_length; n *= 2) {
      for (const precision real : {precision::fp32, precision::fp64}) {
        for (const transform kind : every_kind) {
          SCOPED_TRACE(std::to_string(n) + " " + std::string{name_of(kind)});
          check({.lengths = {n}, .batch = 3, .kind = kind, .real = real}, where);
        }
      }
    }
  }
}

TEST(recipe, is_sound_for_two_and_three_axes) {
  for (const device_info& where :
       {hopper(), ampere(), opencl(true, 32 << 10, 256), opencl(false, 2 << 20, 4096)}) {
    for (const transform kind : every_kind) {
      for (const precision real : {precision::fp32, precision::fp64, precision::bf16}) {
        for (const std::vector<std::size_t>& lengths :
             std::initializer_list<std::vector<std::size_t>>{
                 {2, 2}, {512, 512}, {64, 32768}, {65536, 16}, {128, 128, 128}, {2, 16384, 4}}) {
          SCOPED_TRACE(fmt::format("{} {}", fmt::join(lengths, "x"), name_of(kind)));
          check({.lengths = lengths, .batch = {2, 3}, .kind = kind, .real = real}, where);
        }
      }
    }
  }
}

TEST(recipe, has_clusters_where_the_device_has_them) {
  bool has_any = false;
  for (std::size_t n = 2; n <= max_length; n *= 2) {
    for (const std::vector<std::size_t>& lengths : {std::vector{n}, {n, 64}, {64, n}}) {
      const plan_spec what{.lengths = lengths, .batch = 4};
      for (const auto& where :
           {ampere(), opencl(true, 64 << 10, 1024), opencl(false, 1 << 20, 4096)}) {
        for (const pass& one : make_recipe(what, where, tuning::hopper()).passes()) {
          EXPECT_EQ(one.workgroups_of_cluster, 1U) << one.describe();
        }
      }
      for (const pass& one : make_recipe(what, hopper()).passes()) {
        has_any |= one.workgroups_of_cluster > 1;
      }
    }
  }
  EXPECT_TRUE(has_any);
}

// Bytes, by data without clusters and chains.

TEST(recipe, crosses_memory_once_while_a_workgroup_holds_the_transform) {
  const planner::recipe one = make_recipe({.lengths = {4096}, .batch = 7}, ampere());
  EXPECT_EQ(one.launches.size(), 1U);
  EXPECT_EQ(one.workspace_bytes(), 0U);
  EXPECT_EQ(one.traffic_bytes(), 2U * 7 * 4096 * 8);

  const std::size_t n = std::size_t{1} << 20;
  const planner::recipe two = make_recipe({.lengths = {n}, .batch = 3}, ampere());
  EXPECT_EQ(two.launches.size(), 2U);
  EXPECT_EQ(two.workspace_bytes(), 3 * n * 8);
  EXPECT_EQ(two.traffic_bytes(), 4 * 3 * n * 8);
}

TEST(recipe, keeps_what_lies_between_axes_in_the_output_where_it_can) {
  const auto workspace_of = [](plan_spec what) {
    what.lengths = {64, 32};
    what.batch = 5;
    return make_recipe(what, ampere()).workspace_bytes();
  };
  constexpr std::size_t n = 5 * 64 * 32;
  EXPECT_EQ(workspace_of({.lengths = {}}), 0U);
  EXPECT_EQ(workspace_of({.lengths = {}, .kind = transform::forward_from_real}), 0U);
  EXPECT_EQ(workspace_of({.lengths = {}, .real = precision::fp64}), 0U);
  EXPECT_EQ(workspace_of({.lengths = {}, .real = precision::fp16}), n * 8)
      << "fp32 between the passes";
  EXPECT_EQ(workspace_of({.lengths = {}, .out = {.imaginary_at = n}}), n * 8);
  EXPECT_EQ(workspace_of({.lengths = {}, .valid_out = {{0, 8}, {0, 32}}}), n * 8);
  EXPECT_EQ(workspace_of({.lengths = {}, .kind = transform::inverse_to_real}), 5U * 64 * 17 * 8);
}

TEST(recipe, moves_neither_zeros_that_pad_nor_what_is_cropped) {
  const auto traffic_of = [](plan_spec what) {
    what.lengths = {64, 32};
    return make_recipe(what, ampere()).traffic_bytes();
  };
  EXPECT_EQ(traffic_of({.lengths = {}}), 4U * 64 * 32 * 8);
  // 16 rows come in and go out, then columns of which 16 elements are there.
  EXPECT_EQ(traffic_of({.lengths = {}, .valid_in = {{8, 24}, {0, 32}}}), (3U * 16 + 64) * 32 * 8);
  EXPECT_EQ(traffic_of({.lengths = {}, .valid_in = {{0, 64}, {4, 8}}}), (4U + 3 * 32) * 64 * 8);
  // Columns 5 to 14 are wanted alone, and of those rows 0 to 7.
  EXPECT_EQ(traffic_of({.lengths = {}, .valid_out = {{0, 8}, {5, 15}}}),
            (32U * 64 + 10 * 64 + 10 * 64 + 10 * 8) * 8);
  // 16 pairs of reals a row make 17 bins.
  EXPECT_EQ(traffic_of({.lengths = {}, .kind = transform::forward_from_real}),
            (16U + 3 * 17) * 64 * 8);
  EXPECT_EQ(traffic_of({.lengths = {}, .real = precision::bf16}), (4U + 8 + 8 + 4) * 64 * 32);
}

TEST(recipe, takes_columns_where_neighbours_belong_to_other_transforms) {
  const plan_spec what{.lengths = {1024}, .batch = 64, .in = {.strides = {64}, .distances = {1}}};
  const auto passes = make_recipe(what, hopper()).passes();
  ASSERT_EQ(passes.size(), 1U);
  EXPECT_TRUE(passes.front().lanes_across);
  EXPECT_EQ(passes.front().in.stride, 64U);
  EXPECT_EQ(passes.front().out.stride, 1U);
  EXPECT_TRUE(passes.front().along_out || passes.front().is_cluster());
}

TEST(recipe, keeps_alternating_transforms_alternating_between_passes) {
  const memory_layout alternating{.strides = {64}, .distances = {1}};
  plan_spec what{.lengths = {1 << 15}, .batch = 64, .in = alternating, .out = alternating};
  for (const device_info& where : {hopper(), ampere(), opencl(false, 1 << 20, 4096)}) {
    const planner::recipe made = make_recipe(what, where);
    ASSERT_GE(made.passes().size(), 2U);
    EXPECT_EQ(made.workspace_bytes() % ((64U << 15) * 8), 0U);
    for (const pass& one : made.passes()) {
      ASSERT_FALSE(one.loops.empty());
      EXPECT_EQ(one.loops.front().count, 64U) << "of the batch: " << one.describe();
      EXPECT_EQ(one.loops.front().in, 1U) << one.describe();
      EXPECT_EQ(one.loops.front().out, 1U) << one.describe();
    }
  }
  what.out = {};
  const pass last = make_recipe(what, ampere()).passes().back();
  EXPECT_EQ(last.loops.front().count, last.prior) << "one behind another, as in the output";
}

TEST(recipe, requests_long_rows_ahead_where_the_device_can) {
  const auto ahead = [](const plan_spec& what, const device_info& where) {
    return make_recipe(what, where).passes().front().ahead;
  };
  const std::size_t n = 1 << 14;
  plan_spec what{.lengths = {n}, .batch = 64};
  EXPECT_EQ(ahead(what, hopper()), 64U) << "8 MiB in rows of 128 KiB";
  EXPECT_EQ(make_recipe(what, hopper()).passes().front().run, n);
  what.in.imaginary_at = 64 * n;
  EXPECT_EQ(ahead(what, hopper()), 64U) << "both halves of planar rows";
  what.in = {.strides = {2}, .distances = {2 * n}};
  EXPECT_EQ(ahead(what, hopper()), 0U) << "no runs";
  what.in = {};
  what.valid_in = {{0, n / 2}};
  EXPECT_EQ(ahead(what, hopper()), 0U) << "not all of a row is in memory";
  what.valid_in = {};
  what.load = {.in_bytes = 64 * n * 4,
               .element_bytes = 4,
               .source = {.text = "struct pairs_of_int16 {};", .type = "pairs_of_int16"}};
  EXPECT_EQ(ahead(what, hopper()), 128U) << "of rows half as long";
  what.load.in_bytes += 4;
  EXPECT_EQ(ahead(what, hopper()), 0U) << "it is not known where a functor reads";
  what.load = {};
  what.lengths = {1 << 13};
  EXPECT_EQ(ahead(what, ampere()), 0U) << "no such request before sm_90";
  EXPECT_EQ(ahead({.lengths = {n / 2}, .kind = transform::inverse_to_real}, hopper()), 0U)
      << "measured: no gain";
}

TEST(recipe, lets_only_output_leave_the_caches_first) {
  const auto last = [](const plan_spec& what) {
    return make_recipe(what, hopper()).passes().back();
  };
  const std::size_t n = 1 << 14;
  EXPECT_TRUE(last({.lengths = {n}, .batch = 64}).out.is_once);
  EXPECT_FALSE(last({.lengths = {n / 4}}).out.is_once) << "measured: a loss";
  EXPECT_TRUE(last({.lengths = {1024, 1024}}).out.is_once) << "columns over what they read";
  const auto rows_first = make_recipe({.lengths = {64, n}}, hopper()).passes();
  ASSERT_EQ(rows_first.front().length, n);
  EXPECT_FALSE(rows_first.front().out.is_once) << "columns read it next";
  plan_spec turned{.lengths = {1 << 24}, .bins = bin_order::scrambled};
  ASSERT_EQ(last(turned).length, n);
  EXPECT_FALSE(last(turned).out.is_once) << "measured: a loss";
  turned.kind = transform::inverse;
  ASSERT_EQ(last(turned).length, 1024U);
  EXPECT_FALSE(last(turned).out.is_once) << "columns, too";
}

/// Returns the bins of a request's elements, each once.
std::vector<std::size_t> bins_of(const plan_spec& what, const device_info& where) {
  const planner::recipe made = make_recipe(what, where);
  std::vector<std::size_t> bins;
  for (std::size_t p = 0; p < what.lengths.front(); ++p) bins.push_back(made.bin_at(p));
  auto sorted = bins;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t k = 0; k < sorted.size(); ++k) EXPECT_EQ(sorted[k], k);
  return bins;
}

TEST(recipe, scrambles_bins_by_two_passes_that_stay) {
  constexpr std::size_t n = std::size_t{1} << 22;
  const plan_spec what{.lengths = {n}, .batch = 3, .bins = bin_order::scrambled};
  const auto made = make_recipe(what, hopper());
  const auto passes = made.passes();
  ASSERT_EQ(passes.size(), 2U);
  EXPECT_EQ(made.workspace_bytes(), 0U) << "the output holds what lies between";
  const std::size_t columns = passes[0].length, rows = passes[1].length;
  ASSERT_EQ(columns * rows, n);
  for (const pass& one : passes) {
    EXPECT_TRUE(one.stays);
    EXPECT_EQ(one.in.stride, one.out.stride);
  }
  EXPECT_EQ(passes[0].in.stride, rows);
  EXPECT_EQ(passes[1].in.stride, 1U);
  const auto bins = bins_of(what, hopper());
  EXPECT_EQ(bins[1], columns) << "the next in a row";
  EXPECT_EQ(bins[rows], 1U) << "the next row";
  plan_spec back = what;
  back.kind = transform::inverse;
  back.batch = 1;
  back.scale = scaling::by_length;
  EXPECT_EQ(bins_of(back, hopper()), bins);
}

TEST(recipe, keeps_natural_order_where_no_other_is_quicker) {
  for (const std::size_t n : {std::size_t{8}, std::size_t{1} << 13, std::size_t{1} << 16}) {
    const auto bins = bins_of({.lengths = {n}, .bins = bin_order::scrambled}, hopper());
    for (std::size_t p = 0; p < n; ++p) ASSERT_EQ(bins[p], p);
  }
}

// Planes and chains, by data of the test's own.

tuning::architecture with(const tuning::shapes& fp32) {
  tuning::architecture data = tuning::ampere();
  data.fp32 = fp32;
  return data;
}

TEST(recipe, makes_planes_at_once_where_nothing_is_in_the_way) {
  static constexpr tuning::cluster_shape planes[] = {{12, 6, 16, 4}};
  tuning::shapes shapes = tuning::ampere().fp32;
  shapes.rows.planes = planes;
  static constexpr tuning::cluster_shape of_reals[] = {{13, 7, 8, 4}};
  shapes.rows_of_reals.planes = shapes.rows_of_bins.planes = of_reals;
  const auto data = with(shapes);
  const auto has_plane = [&](plan_spec what, const device_info& where) {
    const auto passes = make_recipe(what, where, data).passes();
    const bool is_first = what.kind != transform::inverse_to_real;
    return (is_first ? passes.front() : passes.back()).does == pass::kind::plane;
  };
  const plan_spec square{.lengths = {64, 64}, .batch = 3};
  EXPECT_TRUE(has_plane(square, hopper()));
  EXPECT_EQ(make_recipe(square, hopper(), data).traffic_bytes(), 2U * 3 * 4096 * 8);
  EXPECT_EQ(make_recipe({.lengths = {8, 64, 64}}, hopper(), data).passes().size(), 2U);
  EXPECT_FALSE(has_plane(square, ampere()));
  EXPECT_FALSE(has_plane({.lengths = {64, 32}}, hopper()));
  for (const transform kind : {transform::forward_from_real, transform::inverse_to_real}) {
    EXPECT_FALSE(has_plane({.lengths = {64, 64}, .kind = kind}, hopper()));
    EXPECT_TRUE(has_plane({.lengths = {8, 128, 128}, .kind = kind}, hopper()));
    EXPECT_EQ(make_recipe({.lengths = {8, 128, 128}, .kind = kind}, hopper(), data).passes().size(),
              2U);
  }
  EXPECT_FALSE(has_plane({.lengths = {64, 64}, .valid_in = {{0, 9}, {0, 64}}}, hopper()));
  EXPECT_FALSE(has_plane({.lengths = {64, 64}, .valid_out = {{0, 9}, {0, 64}}}, hopper()));
}

TEST(recipe, chains_two_passes_through_the_cache) {
  constexpr std::size_t n = std::size_t{1} << 18, row = n * 8, batch = 20;
  tuning::shapes shapes = tuning::ampere().fp32;
  shapes.chain = {row, row, 4 * row, 3};
  static constexpr tuning::column_shape columns[] = {{9, 16, 16}};
  shapes.columns = columns;
  const auto data = with(shapes);
  const plan_spec what{.lengths = {n}, .batch = batch};
  const auto made = make_recipe(what, hopper(), data);
  ASSERT_EQ(made.launches.size(), 1U);
  const planner::launch& both = made.launches.front();
  EXPECT_TRUE(both.is_chained());
  EXPECT_EQ(both.chunk_rows, 4U);
  EXPECT_EQ(made.workspace_bytes(), 256 + 3 * 4 * row) << "counters and three chunks";
  EXPECT_EQ(made.traffic_bytes(), 2 * batch * row) << "what lies between stays in the cache";
  EXPECT_EQ(both.workgroups(), (batch / 4 + 1) * 4 * 2 * (n / (512 * 16)));
  EXPECT_EQ(make_recipe(what, opencl(true, 160 << 10, 1024), data).launches.size(), 2U);
  EXPECT_EQ(make_recipe({.lengths = {2 * n}}, hopper(), data).launches.size(), 2U);
  const memory_layout alternating{.strides = {batch}, .distances = {1}};
  const auto apart = make_recipe(
      {.lengths = {n}, .batch = batch, .in = alternating, .out = alternating}, hopper(), data);
  EXPECT_EQ(apart.launches.size(), 2U) << "chunks are of rows one behind another";
  EXPECT_EQ(apart.workspace_bytes(), batch * row);
}

TEST(recipe, asks_for_no_more_than_the_device_has) {
  constexpr transform kinds[] = {transform::forward, transform::inverse,
                                 transform::forward_from_real, transform::inverse_to_real};
  for (const std::size_t kib : {99, 64, 48, 32}) {
    for (device_info where : {hopper(), ampere(), opencl(true, kib << 10, 1024)}) {
      where.local_memory_bytes = kib << 10;
      for (const transform kind : kinds) {
        for (const precision real : {precision::fp32, precision::fp64, precision::fp16}) {
          for (std::size_t n = 2; n <= max_length; n *= 2) {
            const auto made = make_recipe({.lengths = {n}, .kind = kind, .real = real}, where);
            for (const pass& one : made.passes()) {
              ASSERT_LE(one.scratch_bytes(), where.local_memory_bytes) << n << one.describe();
              ASSERT_TRUE(!one.is_mirrored || one.lanes >= 2) << n << one.describe();
            }
          }
        }
      }
    }
  }
}

TEST(recipe, falls_back_on_clusters_of_less_local_memory) {
  device_info small = hopper();
  small.local_memory_bytes = 99 << 10;
  for (const device_info& where : {hopper(), small}) {
    const auto plane = make_recipe({.lengths = {128, 128}}, where);
    EXPECT_EQ(plane.launches.size(), 1U) << plane.describe();
    const auto line = make_recipe({.lengths = {1 << 14}, .real = precision::fp64}, where);
    EXPECT_EQ(line.launches.size(), 1U) << line.describe();
  }
}

TEST(recipe, takes_three_passes_where_local_memory_is_small) {
  const auto where = opencl(true, 32 << 10, 256);
  const std::size_t n = std::size_t{1} << 24;
  EXPECT_EQ(make_recipe({.lengths = {n}, .real = precision::fp64}, where).launches.size(), 3U);
}

TEST(recipe, refuses_a_device_too_small_for_any_shape) {
  const auto tiny = opencl(true, 256, 16);
  EXPECT_THROW(static_cast<void>(make_recipe({.lengths = {std::size_t{1} << 20}}, tiny)),
               plan_error);
}

TEST(recipe, refuses_more_workgroups_than_one_launch_takes) {
  const plan_spec what{.lengths = {8192}, .batch = std::size_t{1} << 32};
  EXPECT_THROW(static_cast<void>(make_recipe(what, hopper())), plan_error);
}

TEST(recipe, scales_once) {
  for (const std::size_t n : {std::size_t{64}, std::size_t{1} << 20}) {
    const auto made = make_recipe(
        {.lengths = {4, n}, .kind = transform::forward_from_real, .scale = scaling::by_length},
        hopper());
    double product = 1;
    for (const pass& one : made.passes()) product *= one.scale;
    EXPECT_EQ(product, 0.25 / static_cast<double>(n));
  }
}

}  // namespace
