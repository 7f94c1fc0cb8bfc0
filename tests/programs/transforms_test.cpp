// SPDX-License-Identifier: Apache-2.0
// Programs: their passes multiply to the lengths, fit the device, chain from input to output, and
// count the bytes they move and keep.
#include "programs/transforms.hpp"

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
using namespace planner;
using programs::make_program;

constexpr transform every_kind[] = {transform::forward, transform::inverse,
                                    transform::forward_from_real, transform::inverse_to_real};

std::size_t elements_of(const plan_spec& spec) {
  return request::points_of(spec) / (request::traits_of(spec.kind).is_real() ? 2 : 1);
}

/// Twiddles read which k < P of w^(q k) a butterfly has from a loop.
void expect_prior_loop(const pass& twiddled) {
  const planner::pass_numbers& numbers = twiddled.numbers;
  const unsigned i = numbers.loop_of(planner::loop_role::prior);
  ASSERT_LT(i, numbers.depth) << twiddled.describe();
  EXPECT_EQ(numbers.loops[i].count, numbers.prior) << twiddled.describe();
}

void check(const plan_spec& spec, const device_info& device) {
  const programs::program program = make_program(spec, device);
  std::size_t product = 1, prior = 1;
  place last = place::input;
  for (const pass& each : program.passes()) {
    EXPECT_LE(each.shape().scratch_bytes(), device.local_memory_bytes);
    EXPECT_LE(each.shape().threads(), device.max_workgroup);
    EXPECT_EQ(each.in.location, last);
    if (!each.is_whole()) {
      EXPECT_NE(each.out.location, each.in.location)
          << "a Stockham pass never writes where it reads";
    }
    last = each.out.location;
    EXPECT_EQ(each.numbers.prior, prior);
    if (prior > 1) expect_prior_loop(each);
    product *= each.shape().length;
    prior = prior * each.shape().length == each.numbers.total ? 1 : prior * each.shape().length;
  }
  EXPECT_EQ(last, place::output);
  EXPECT_EQ(prior, 1U) << "every axis that was begun is finished";
  EXPECT_EQ(product, elements_of(spec));
}

TEST(program, is_sound_for_every_length_on_every_kind_of_device) {
  for (const device_info& device : {hopper(), ampere(), opencl(true, 32 << 10, 256),
                                    opencl(false, 2 << 20, 4096), opencl(false, 64 << 10, 1024)}) {
    for (std::size_t n = 2; n <= max_length; n *= 2) {
      for (const precision real : {precision::fp32, precision::fp64}) {
        for (const transform kind : every_kind) {
          SCOPED_TRACE(std::to_string(n) + " " + std::string{name_of(kind)});
          check({.lengths = {n}, .batch = 3, .kind = kind, .real = real}, device);
        }
      }
    }
  }
}

TEST(program, is_sound_for_two_and_three_axes) {
  for (const device_info& device :
       {hopper(), ampere(), opencl(true, 32 << 10, 256), opencl(false, 2 << 20, 4096)}) {
    for (const transform kind : every_kind) {
      for (const precision real : {precision::fp32, precision::fp64, precision::bf16}) {
        for (const std::vector<std::size_t>& lengths :
             std::initializer_list<std::vector<std::size_t>>{
                 {2, 2}, {512, 512}, {64, 32768}, {65536, 16}, {128, 128, 128}, {2, 16384, 4}}) {
          SCOPED_TRACE(fmt::format("{} {}", fmt::join(lengths, "x"), name_of(kind)));
          check({.lengths = lengths, .batch = {2, 3}, .kind = kind, .real = real}, device);
        }
      }
    }
  }
}

TEST(program, has_clusters_where_the_device_has_them) {
  bool has_any = false;
  for (std::size_t n = 2; n <= max_length; n *= 2) {
    for (const std::vector<std::size_t>& lengths : {std::vector{n}, {n, 64}, {64, n}}) {
      const plan_spec spec{.lengths = lengths, .batch = 4};
      for (const auto& device :
           {ampere(), opencl(true, 64 << 10, 1024), opencl(false, 1 << 20, 4096)}) {
        for (const pass& each : make_program(spec, device, tuning::hopper()).passes()) {
          EXPECT_EQ(each.shape().workgroups, 1U) << each.describe();
        }
      }
      for (const pass& each : make_program(spec, hopper()).passes()) {
        has_any |= each.shape().workgroups > 1;
      }
    }
  }
  EXPECT_TRUE(has_any);
}

// Bytes, by data without clusters.

TEST(program, crosses_memory_once_while_a_workgroup_holds_the_transform) {
  const programs::program whole = make_program(plan_spec{.lengths = {4096}, .batch = 7}, ampere());
  EXPECT_EQ(whole.passes().size(), 1U);
  EXPECT_EQ(whole.workspace_bytes(), 0U);
  EXPECT_EQ(whole.traffic_bytes(), 2U * 7 * 4096 * 8);

  const std::size_t n = std::size_t{1} << 20;
  const programs::program cut = make_program(plan_spec{.lengths = {n}, .batch = 3}, ampere());
  EXPECT_EQ(cut.passes().size(), 2U);
  EXPECT_EQ(cut.workspace_bytes(), 3 * n * 8);
  EXPECT_EQ(cut.traffic_bytes(), 4 * 3 * n * 8);
}

TEST(program, keeps_data_between_axes_in_the_output_where_it_can) {
  const auto workspace_of = [](plan_spec spec) {
    spec.lengths = {64, 32};
    spec.batch = 5;
    return make_program(spec, ampere()).workspace_bytes();
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

TEST(program, moves_neither_zeros_that_pad_nor_what_is_cropped) {
  const auto traffic_of = [](plan_spec spec) {
    spec.lengths = {64, 32};
    return make_program(spec, ampere()).traffic_bytes();
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

TEST(program, counts_an_odd_row_of_reals) {
  plan_spec row{.lengths = {4096}, .kind = transform::inverse_to_real, .valid_out = {{0, 3585}}};
  EXPECT_EQ(make_program(row, ampere()).traffic_bytes(), 2049U * 8 + 3585 * 4);
}

TEST(program, takes_columns_where_neighbours_belong_to_other_transforms) {
  const plan_spec spec{.lengths = {1024}, .batch = 64, .in = {.strides = {64}, .distances = {1}}};
  const auto passes = make_program(spec, hopper()).passes();
  ASSERT_EQ(passes.size(), 1U);
  EXPECT_TRUE(passes.front().shape().lanes_across);
  EXPECT_EQ(passes.front().numbers.in.stride, 64U);
  EXPECT_EQ(passes.front().numbers.out.stride, 1U);
  EXPECT_TRUE(passes.front().shape().along_out);
}

TEST(program, keeps_alternating_transforms_alternating_between_passes) {
  const memory_layout alternating{.strides = {64}, .distances = {1}};
  plan_spec spec{.lengths = {1 << 15}, .batch = 64, .in = alternating, .out = alternating};
  for (const device_info& device : {hopper(), ampere(), opencl(false, 1 << 20, 4096)}) {
    const programs::program program = make_program(spec, device);
    ASSERT_GE(program.passes().size(), 2U);
    EXPECT_EQ(program.workspace_bytes() % ((64U << 15) * 8), 0U);
    for (const pass& each : program.passes()) {
      ASSERT_GT(each.numbers.depth, 0U);
      EXPECT_EQ(each.numbers.loops[0].count, 64U) << "of the batch: " << each.describe();
      EXPECT_EQ(each.numbers.loops[0].in, 1U) << each.describe();
      EXPECT_EQ(each.numbers.loops[0].out, 1U) << each.describe();
    }
  }
  spec.out = {};
  const pass last = make_program(spec, ampere()).passes().back();
  EXPECT_EQ(last.numbers.loops[0].count, last.numbers.prior)
      << "one behind another, as in the output";
}

TEST(program, prefetches_long_rows_where_the_device_can) {
  const auto prefetch_tiles = [](const plan_spec& spec, const device_info& device) {
    return make_program(spec, device).passes().front().numbers.prefetch_tiles;
  };
  const device_info late = hopper_of_late_launches();
  const std::size_t n = 1 << 14;
  plan_spec spec{.lengths = {n}, .batch = 64};
  EXPECT_EQ(prefetch_tiles(spec, late), 64U) << "8 MiB in rows of 128 KiB";
  EXPECT_EQ(make_program(spec, late).passes().front().numbers.prefetch_elements, n);
  spec.in.imaginary_at = 64 * n;
  EXPECT_EQ(prefetch_tiles(spec, late), 64U) << "both halves of planar rows";
  spec.in = {.strides = {2}, .distances = {2 * n}};
  EXPECT_EQ(prefetch_tiles(spec, late), 0U) << "elements lie apart";
  spec.in = {};
  spec.valid_in = {{0, n / 2}};
  EXPECT_EQ(prefetch_tiles(spec, late), 0U) << "not all of a row is in memory";
  spec.valid_in = {};
  spec.load = {.in_bytes = 64 * n * 4,
               .element_bytes = 4,
               .source = {.text = "struct pairs_of_int16 {};", .type = "pairs_of_int16"}};
  EXPECT_EQ(prefetch_tiles(spec, late), 128U) << "of rows half as long";
  spec.load.in_bytes += 4;
  EXPECT_EQ(prefetch_tiles(spec, late), 0U) << "it is not known where a functor reads";
  spec.kind = transform::forward_from_real;
  spec.lengths = {2187};
  spec.load.in_bytes = 64 * 2187 * 4;
  EXPECT_EQ(make_program(spec, late).passes().front().numbers.prefetch_elements, 2187U)
      << "of reals, each an element";
  spec = {.lengths = {1 << 13}, .batch = 64};
  EXPECT_EQ(prefetch_tiles(spec, ampere()), 0U) << "no bulk prefetch before sm_90";
  EXPECT_EQ(prefetch_tiles({.lengths = {n / 2}, .kind = transform::inverse_to_real}, late), 0U)
      << "measured: no gain";
}

TEST(program, streams_only_output) {
  const auto last = [](const plan_spec& spec) {
    return make_program(spec, hopper_of_late_launches()).passes().back();
  };
  const std::size_t n = 1 << 14;
  EXPECT_TRUE(last({.lengths = {n}, .batch = 64}).out.streams);
  EXPECT_FALSE(last({.lengths = {n / 4}}).out.streams) << "measured: a loss";
  EXPECT_TRUE(last({.lengths = {1024, 1024}, .batch = 4}).out.streams) << "over their own input";
  const auto rows_first =
      make_program(plan_spec{.lengths = {64, n}}, hopper_of_late_launches()).passes();
  ASSERT_EQ(rows_first.front().shape().length, n);
  EXPECT_FALSE(rows_first.front().out.streams) << "columns read it next";
  plan_spec twiddled{.lengths = {1 << 24}, .bins = bin_order::scrambled};
  ASSERT_EQ(last(twiddled).shape().length, n);
  EXPECT_FALSE(last(twiddled).out.streams) << "measured: a loss";
  twiddled.kind = transform::inverse;
  ASSERT_EQ(last(twiddled).shape().length, 1024U);
  EXPECT_FALSE(last(twiddled).out.streams) << "columns, too";
}

/// Returns the bins of a request's elements, each once.
std::vector<std::size_t> bins_of(const plan_spec& spec, const device_info& device) {
  const programs::program program = make_program(spec, device);
  std::vector<std::size_t> bins;
  for (std::size_t p = 0; p < spec.lengths.front(); ++p) bins.push_back(program.bin_at(p));
  auto sorted = bins;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t k = 0; k < sorted.size(); ++k) EXPECT_EQ(sorted[k], k);
  return bins;
}

TEST(program, scrambles_bins_by_two_passes_in_place) {
  constexpr std::size_t n = std::size_t{1} << 22;
  const plan_spec spec{.lengths = {n}, .batch = 3, .bins = bin_order::scrambled};
  const auto program = make_program(spec, hopper());
  const auto passes = program.passes();
  ASSERT_EQ(passes.size(), 2U);
  EXPECT_EQ(program.workspace_bytes(), 0U) << "the output holds the intermediate array";
  const std::size_t columns = passes[0].shape().length, rows = passes[1].shape().length;
  ASSERT_EQ(columns * rows, n);
  for (const pass& each : passes) {
    EXPECT_TRUE(each.in_place_spacing.has_value());
    EXPECT_EQ(each.numbers.in.stride, each.numbers.out.stride);
  }
  expect_prior_loop(passes[1]);
  EXPECT_EQ(passes[0].numbers.in.stride, rows);
  EXPECT_EQ(passes[1].numbers.in.stride, 1U);
  const auto bins = bins_of(spec, hopper());
  EXPECT_EQ(bins[1], columns) << "the next in a row";
  EXPECT_EQ(bins[rows], 1U) << "the next row";
  plan_spec back = spec;
  back.kind = transform::inverse;
  back.batch = 1;
  back.scale = scaling::by_length;
  EXPECT_EQ(bins_of(back, hopper()), bins);
}

TEST(program, keeps_natural_order_where_no_other_is_quicker) {
  for (const std::size_t n : {std::size_t{8}, std::size_t{1} << 13, std::size_t{1} << 16}) {
    const auto bins = bins_of({.lengths = {n}, .bins = bin_order::scrambled}, hopper());
    for (std::size_t p = 0; p < n; ++p) ASSERT_EQ(bins[p], p);
  }
}

// Planes, by data of the test's own.

tuning::architecture data_with(const tuning::shapes& fp32) {
  tuning::architecture data = tuning::ampere();
  data.fp32 = fp32;
  return data;
}

TEST(program, makes_planes_at_once_where_nothing_is_in_the_way) {
  static constexpr tuning::shape planes[] = {
      {.length = 4096, .first = 64, .elements = 16, .workgroups = 4},
  };
  tuning::shapes shapes = tuning::ampere().fp32;
  shapes.rows.planes = planes;
  static constexpr tuning::shape of_reals[] = {
      {.length = 8192, .first = 128, .elements = 8, .workgroups = 4},
  };
  shapes.rows_of_reals.planes = shapes.rows_of_bins.planes = of_reals;
  const auto data = data_with(shapes);
  const auto has_plane = [&](plan_spec spec, const device_info& device) {
    const auto passes = make_program(spec, device, data).passes();
    const bool is_first = spec.kind != transform::inverse_to_real;
    return (is_first ? passes.front() : passes.back()).shape().makes == planner::body::plane;
  };
  const plan_spec square{.lengths = {64, 64}, .batch = 3};
  EXPECT_TRUE(has_plane(square, hopper()));
  EXPECT_EQ(make_program(square, hopper(), data).traffic_bytes(), 2U * 3 * 4096 * 8);
  EXPECT_EQ(make_program(plan_spec{.lengths = {8, 64, 64}}, hopper(), data).passes().size(), 2U);
  EXPECT_FALSE(has_plane(square, ampere()));
  EXPECT_FALSE(has_plane({.lengths = {64, 32}}, hopper()));
  for (const transform kind : {transform::forward_from_real, transform::inverse_to_real}) {
    EXPECT_FALSE(has_plane({.lengths = {64, 64}, .kind = kind}, hopper()));
    EXPECT_TRUE(has_plane({.lengths = {8, 128, 128}, .kind = kind}, hopper()));
    EXPECT_EQ(make_program(plan_spec{.lengths = {8, 128, 128}, .kind = kind}, hopper(), data)
                  .passes()
                  .size(),
              2U);
  }
  EXPECT_FALSE(has_plane({.lengths = {64, 64}, .valid_in = {{0, 9}, {0, 64}}}, hopper()));
  EXPECT_FALSE(has_plane({.lengths = {64, 64}, .valid_out = {{0, 9}, {0, 64}}}, hopper()));
}

TEST(program, takes_no_more_than_the_device_has) {
  constexpr transform kinds[] = {transform::forward, transform::inverse,
                                 transform::forward_from_real, transform::inverse_to_real};
  for (const std::size_t kib : {99, 64, 48, 32}) {
    for (device_info device : {hopper(), ampere(), opencl(true, kib << 10, 1024)}) {
      device.local_memory_bytes = kib << 10;
      for (const transform kind : kinds) {
        for (const precision real : {precision::fp32, precision::fp64, precision::fp16}) {
          for (std::size_t n = 2; n <= max_length; n *= 2) {
            const auto program =
                make_program(plan_spec{.lengths = {n}, .kind = kind, .real = real}, device);
            for (const pass& each : program.passes()) {
              const planner::tile_shape& shape = each.shape();
              ASSERT_LE(shape.scratch_bytes(), device.local_memory_bytes) << n << each.describe();
              ASSERT_TRUE(!shape.mirrored || shape.lanes >= 2) << n << each.describe();
            }
          }
        }
      }
    }
  }
}

TEST(program, falls_back_on_clusters_of_less_local_memory) {
  device_info small = hopper();
  small.local_memory_bytes = 99 << 10;
  for (const device_info& device : {hopper(), small}) {
    const auto plane = make_program(plan_spec{.lengths = {128, 128}}, device);
    EXPECT_EQ(plane.passes().size(), 1U) << plane.describe();
    const auto line =
        make_program(plan_spec{.lengths = {1 << 14}, .real = precision::fp64}, device);
    EXPECT_EQ(line.passes().size(), 1U) << line.describe();
  }
}

TEST(program, takes_three_passes_where_local_memory_is_small) {
  const auto device = opencl(true, 32 << 10, 256);
  const std::size_t n = std::size_t{1} << 24;
  EXPECT_EQ(
      make_program(plan_spec{.lengths = {n}, .real = precision::fp64}, device).passes().size(), 3U);
}

TEST(program, refuses_a_device_too_small_for_any_shape) {
  const auto tiny = opencl(true, 256, 16);
  EXPECT_THROW(static_cast<void>(make_program(plan_spec{.lengths = {std::size_t{1} << 20}}, tiny)),
               plan_error);
}

TEST(program, refuses_more_workgroups_than_one_launch_takes) {
  const plan_spec spec{.lengths = {8192}, .batch = std::size_t{1} << 32};
  EXPECT_THROW(static_cast<void>(make_program(spec, hopper())), plan_error);
}

TEST(program, scales_once) {
  for (const std::size_t n : {std::size_t{64}, std::size_t{1} << 20}) {
    const plan_spec spec{
        .lengths = {4, n}, .kind = transform::forward_from_real, .scale = scaling::by_length};
    const auto program = make_program(spec, hopper());
    double product = 1;
    for (const pass& each : program.passes()) product *= each.numbers.scale;
    EXPECT_EQ(product, 0.25 / static_cast<double>(n));
  }
}

}  // namespace
