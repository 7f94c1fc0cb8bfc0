// SPDX-License-Identifier: Apache-2.0
// Recipes: their passes multiply to the length, fit the device, chain from input to output.
#include "planner/recipe.hpp"

#include <gtest/gtest.h>

#include "wingbeat/error.hpp"  // plan_error

namespace {

using namespace wingbeat;
using planner::pass;
using planner::place;

device_info hopper() {
  device_info where;
  where.runs_on = engine::cuda;
  where.name = "H200";
  where.architecture = "sm_90";
  where.local_memory_bytes = 227 * 1024;
  where.max_workgroup = 1024;
  where.is_gpu = true;
  return where;
}

device_info opencl(bool is_gpu, std::size_t local_memory_bytes, std::size_t max_workgroup) {
  device_info where = hopper();
  where.runs_on = engine::opencl;
  where.is_gpu = is_gpu;
  where.local_memory_bytes = local_memory_bytes;
  where.max_workgroup = max_workgroup;
  return where;
}

void check(const plan_spec& what, const device_info& where) {
  const planner::recipe made = planner::make_recipe(what, where);
  const bool is_real =
      what.kind == transform::forward_from_real || what.kind == transform::inverse_to_real;
  std::size_t product = 1;
  place last = place::input;
  for (const pass& one : made.passes) {
    EXPECT_LE(one.scratch_bytes(), where.local_memory_bytes);
    EXPECT_LE(one.threads(), where.max_workgroup);
    EXPECT_EQ(one.from, last);
    EXPECT_NE(one.to, one.from) << "a Stockham pass never writes what it reads";
    last = one.to;
    if (one.does != pass::kind::transform) continue;
    EXPECT_EQ(one.prior, product);
    product *= one.length;
  }
  EXPECT_EQ(last, place::output);
  EXPECT_EQ(product, what.lengths.front() / (is_real ? 2 : 1));
}

TEST(recipe, is_sound_for_every_length_on_every_kind_of_device) {
  for (const device_info& where : {hopper(), opencl(true, 32 << 10, 256),
                                   opencl(false, 2 << 20, 4096), opencl(false, 64 << 10, 1024)}) {
    for (std::size_t n = 2; n <= max_length; n *= 2) {
      for (const precision real : {precision::fp32, precision::fp64}) {
        for (const transform kind : {transform::forward, transform::inverse,
                                     transform::forward_from_real, transform::inverse_to_real}) {
          SCOPED_TRACE(std::to_string(n) + " " + std::string{name_of(kind)});
          check({.lengths = {n}, .batch = 3, .kind = kind, .real = real}, where);
        }
      }
    }
  }
}

TEST(recipe, crosses_memory_once_while_a_workgroup_holds_the_transform) {
  const planner::recipe one = planner::make_recipe({.lengths = {8192}, .batch = 7}, hopper());
  EXPECT_EQ(one.passes.size(), 1U);
  EXPECT_EQ(one.workspace_bytes(), 0U);
  EXPECT_EQ(one.traffic_bytes(7), 2U * 7 * 8192 * 8);

  const std::size_t n = std::size_t{1} << 20;
  const planner::recipe two = planner::make_recipe({.lengths = {n}}, hopper());
  EXPECT_EQ(two.passes.size(), 2U);
  EXPECT_EQ(two.workspace_bytes(), n * 8);
  EXPECT_EQ(two.traffic_bytes(1), 4 * n * 8);
}

TEST(recipe, takes_three_passes_where_local_memory_is_small) {
  const auto where = opencl(true, 32 << 10, 256);
  const auto made = planner::make_recipe({.lengths = {max_length}, .real = precision::fp64}, where);
  EXPECT_EQ(made.passes.size(), 3U);
}

TEST(recipe, refuses_a_device_too_small_for_any_shape) {
  const auto tiny = opencl(true, 256, 16);
  EXPECT_THROW(static_cast<void>(planner::make_recipe({.lengths = {std::size_t{1} << 20}}, tiny)),
               plan_error);
}

TEST(recipe, scales_once) {
  for (const std::size_t n : {std::size_t{64}, std::size_t{1} << 20}) {
    const auto made = planner::make_recipe(
        {.lengths = {n}, .kind = transform::forward_from_real, .scale = scaling::by_length},
        hopper());
    double product = 1;
    for (const pass& one : made.passes) product *= one.scale;
    EXPECT_EQ(product, 1.0 / static_cast<double>(n));
  }
}

}  // namespace
