// SPDX-License-Identifier: Apache-2.0
// Compiles passes that a plan for an NVIDIA GPU can hold, without a GPU: no register may spill and
// no array may live in local memory, but for a few bytes in clusters of 8 and 16, which are worth
// it. A kernel has the threads, scratch and table that the planner computes.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>  // fill, min
#include <atomic>
#include <bit>  // has_single_bit
#include <map>
#include <mutex>
#include <thread>

#include "backend/cuda/nvrtc.hpp"            // compile_for
#include "kernel_text/pass_text.hpp"         // pass_text, entry_name
#include "programs/catalogue.hpp"            // passes_of, sample_device
#include "wingbeat/device/grid/numbers.hpp"  // twiddle_row
#include "wingbeat/error.hpp"                // device_error

namespace wingbeat::test {

using planner::pass;
using planner::pass_side;

/// Forgets where a side lies; its stored type remains.
inline void forget_places(pass_side& stored, device::grid::side& placed) {
  stored.location = planner::place::input;
  const bool is_limited = placed.is_limited, is_pairs = placed.is_pairs;
  placed = {};
  placed.is_limited = is_limited;
  placed.is_pairs = is_pairs;
}

/// One pass of each shape: others differ from it in strides, counts and roots alone.
inline std::vector<pass> shapes_of(const std::vector<plan_spec>& requests,
                                   const device_info& device) {
  std::map<std::string, pass> distinct;
  for (pass& each : programs::passes_of(requests, device)) {
    pass shape = each;
    planner::pass_numbers& numbers = shape.numbers;
    forget_places(shape.in, numbers.in);
    forget_places(shape.out, numbers.out);
    std::fill(std::begin(numbers.loops), std::end(numbers.loops), planner::loop{});
    numbers.depth = 0;
    numbers.prior = device::grid::twiddle_row(numbers.prior).is_direct()
                        ? std::min<std::size_t>(numbers.prior, 2)
                        : std::size_t{1} << 16;
    numbers.total = 0;
    numbers.starts_early = false;
    distinct.insert_or_assign(kernel_text::pass_text(shape), std::move(each));
  }
  std::vector<pass> result;
  for (auto& [key, each] : distinct) result.push_back(std::move(each));
  return result;
}

/// Returns the kernel's text, and that its own constants are those of the pass.
inline std::string checked_text(const pass& planned) {
  return kernel_text::pass_text(planned) +
         fmt::format(
             "namespace wingbeat::device {{\n"
             "static_assert(body::workgroup_threads == {});\n"
             "static_assert(body::scratch_bytes == {});\n"
             "static_assert(policy::numbers().tiles_per_row() == {});\n"
             "static_assert(policy::numbers().table_entries() == {});\n}}\n",
             planned.shape().threads(), planned.shape().scratch_bytes(),
             planned.numbers.tiles_per_row(), planned.numbers.table_entries());
}

inline std::string title_of(const pass& planned) {
  return fmt::format("{} {}: {}", planned.real == precision::fp64 ? "fp64" : "fp32",
                     planned.is_forward ? "forward" : "inverse", planned.describe());
}

inline auto figures_of(const pass& planned, const std::string& architecture) {
  return backend::cuda::compile_for({.text = checked_text(planned),
                                     .entry = std::string{kernel_text::entry_name},
                                     .threads = planned.shape().threads(),
                                     .scratch_bytes = planned.shape().scratch_bytes(),
                                     .path = "pass.cpp"},
                                    architecture)
      .figures;
}

/// Bytes a thread may keep in local memory: clusters of 8 and 16 fill the register file, and miss
/// it by up to eight registers a thread. On an H200 five such workgroups on a multiprocessor make
/// 2^24 points at 0.34 of a copy, four without a spill at 0.32
/// (bench/lessons/passes.md#columns-and-cuts).
/// Columns whose output streams miss it by one, which costs less than streaming gains.
/// Of 420 shapes of lengths that are no powers of two, two of fp64 keep a word where opposite bins
/// meet.
inline int spill_allowance(const pass& planned) {
  const bool is_other = !std::has_single_bit(planned.shape().length);
  if (is_other && planned.real == precision::fp64 && planned.shape().has_half_spectrum()) return 8;
  if (planned.shape().lanes_across && planned.out.streams) return 8;
  return planned.shape().workgroups >= 8 ? 32 : 0;
}

/// Compiles each `step`-th shape of requests for an architecture. Skips where there is no NVRTC.
inline void check_shapes(const std::string& architecture, std::size_t step,
                         const std::vector<plan_spec>& requests = programs::every_request()) {
  const std::string& problem = backend::cuda::process_nvrtc().problem;
  if (!problem.empty()) GTEST_SKIP() << problem;
  const std::vector<pass> result = shapes_of(requests, programs::sample_device(architecture));
  ASSERT_GT(result.size(), 200U);
  std::atomic<std::size_t> next = 0;
  std::mutex report;
  const auto work = [&] {
    for (std::size_t i = next += step; i - step < result.size(); i = next += step) {
      const pass& each = result[i - step];
      try {
        const auto figures = figures_of(each, architecture);
        const std::lock_guard held{report};
        EXPECT_LE(figures.spill_bytes, spill_allowance(each)) << title_of(each);
        EXPECT_LE(figures.stack_bytes, spill_allowance(each)) << title_of(each);
        EXPECT_GT(figures.registers, 0) << title_of(each);
      } catch (const device_error& refused) {
        const std::lock_guard held{report};
        ADD_FAILURE() << title_of(each) << "\n" << refused.what();
      }
    }
  };
  std::vector<std::jthread> threads(std::max(2U, std::thread::hardware_concurrency()));
  for (auto& thread : threads) thread = std::jthread{work};
}

}  // namespace wingbeat::test
