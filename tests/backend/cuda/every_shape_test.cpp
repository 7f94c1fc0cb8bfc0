// SPDX-License-Identifier: Apache-2.0
// Label: unit
// Timeout: 900
// Compiles every launch that a plan for an NVIDIA GPU can hold, for three architectures, without a
// GPU: no register may spill and no array may live in local memory, but for a few bytes in clusters
// of 8 and 16, which are worth it; and what the planner computes of a pass is what its templates
// say.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include "backend/cuda/device_of.hpp"
#include "backend/cuda/nvrtc.hpp"         // compile_for
#include "planner/catalogue.hpp"          // every_launch
#include "planner/unit.hpp"               // unit_text, entry_of
#include "wingbeat/device/grid/turn.hpp"  // turn_row
#include "wingbeat/error.hpp"             // absent_error, device_error

namespace {

using namespace wingbeat;
using planner::launch;
using planner::pass;
using planner::pass_side;
using test::device_of;

/// Forgets where a side lies; what it holds, and how, remains.
void forget_places(pass_side& side) {
  side.where = planner::place::input;
  side.base = side.distance = side.valid_first = side.valid_end = 0;
  side.stride = side.stride_of_first = side.unit = side.step = 0;
  side.along = planner::no_loop;
}

/// One launch of each shape: others differ from it in strides, counts and roots alone.
std::vector<launch> shapes_of(const device_info& where) {
  std::map<std::string, launch> distinct;
  for (launch& one : planner::every_launch(where)) {
    std::string key;
    for (pass shape : one.passes) {
      forget_places(shape.in);
      forget_places(shape.out);
      shape.loops.clear();
      shape.prior = device::grid::turn_row(shape.prior).is_direct()
                        ? std::min<std::size_t>(shape.prior, 2)
                        : std::size_t{1} << 16;
      shape.total = 0;
      if (shape.turn_along != planner::no_loop) shape.turn_along = 0;
      key += planner::unit_text({{shape}});
    }
    distinct.insert_or_assign(std::move(key), std::move(one));
  }
  std::vector<launch> all;
  for (auto& [key, one] : distinct) all.push_back(std::move(one));
  return all;
}

/// Returns what the templates must agree with, of the pass declared in namespace `in`.
std::string twin_text(const pass& one, std::string_view in) {
  const bool has_real_roots = one.is_of_bins() && (one.is_cluster() || one.is_mirrored);
  return fmt::format(
      "namespace {0} {{\n"
      "static_assert(body::workgroup_threads == {1});\n"
      "static_assert(body::scratch_bytes == {2});\n"
      "static_assert(body::tile_type::per_row() == {3});\n"
      "static_assert(body::step::real_roots_at + {4} == {5});\n}}\n",
      in, one.threads(), one.scratch_bytes(), one.loops.empty() ? 1 : one.tiles_of_row(),
      has_real_roots ? fmt::format("twiddle::root_tables{{{}}}.entries()",
                                   2 * (one.does == pass::kind::plane ? one.second : one.total))
                     : "0",
      launch{{one}}.roots_of_pass(0));
}

std::string text_of(const launch& one) {
  std::string text = planner::unit_text(one);
  if (!one.is_chained()) return text + twin_text(one.passes.front(), "wingbeat::device");
  return text + twin_text(one.passes[0], "wingbeat::device::first") +
         twin_text(one.passes[1], "wingbeat::device::second");
}

std::string named(const launch& one) {
  const pass& first = one.passes.front();
  return fmt::format("{} {}: {}", first.real == precision::fp64 ? "fp64" : "fp32",
                     first.is_forward ? "forward" : "inverse", one.describe());
}

auto figures_of(const launch& one, const std::string& architecture) {
  return backend::cuda::compile_for({.text = text_of(one),
                                     .entry = planner::entry_of(one),
                                     .threads = one.passes.front().threads(),
                                     .scratch_bytes = one.scratch_bytes(),
                                     .path = "pass.cpp"},
                                    architecture)
      .figures;
}

/// Bytes a thread may keep in local memory: clusters of 8 and 16 fill the register file, and miss
/// it by up to eight registers a thread. On an H200 five such workgroups on a multiprocessor make
/// 2^24 points at 0.34 of a copy, four without a spill at 0.32 (bench/NOTES.md, section 8).
/// Columns that let their output leave the caches first miss it by one, which costs less than that
/// gains (section 13).
int spill_allowance(const launch& one) {
  if (one.passes.front().lanes_across && one.passes.front().out.is_once) return 8;
  return one.passes.front().workgroups_of_cluster >= 8 ? 32 : 0;
}

class every_shape : public ::testing::TestWithParam<std::string> {};

TEST_P(every_shape, compiles_without_spills) {
  try {
    static_cast<void>(
        backend::cuda::compile_for({"extern \"C\" __global__ void k() {}", "k", 1, 0}, "sm_90"));
  } catch (const absent_error& why) {
    GTEST_SKIP() << why.what();
  }
  const std::vector<launch> all = shapes_of(device_of(GetParam()));
  ASSERT_GT(all.size(), 200U);
  std::atomic<std::size_t> next = 0;
  std::mutex report;
  const auto work = [&] {
    for (std::size_t i = next++; i < all.size(); i = next++) {
      const launch& one = all[i];
      try {
        const auto figures = figures_of(one, GetParam());
        const std::lock_guard held{report};
        EXPECT_LE(figures.spill_bytes, spill_allowance(one)) << named(one);
        EXPECT_LE(figures.stack_bytes, spill_allowance(one)) << named(one);
        EXPECT_GT(figures.registers, 0) << named(one);
      } catch (const device_error& refused) {
        const std::lock_guard held{report};
        ADD_FAILURE() << named(one) << "\n" << refused.what();
      }
    }
  };
  std::vector<std::jthread> threads(std::max(2U, std::thread::hardware_concurrency()));
  for (auto& each : threads) each = std::jthread{work};
}

INSTANTIATE_TEST_SUITE_P(architectures, every_shape, ::testing::Values("sm_80", "sm_90", "sm_100"),
                         [](const auto& of) { return of.param; });

}  // namespace
