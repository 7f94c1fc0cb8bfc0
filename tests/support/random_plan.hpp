// SPDX-License-Identifier: Apache-2.0
// Requests drawn from a seed: any a plan may be given, of functors those of numbered_functors.hpp.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // uint64_t
#include <string>

#include "wingbeat/plan.hpp"  // plan_spec

namespace wingbeat::test {

/// What to draw from.
struct draw_limits {
  std::size_t max_points = std::size_t{1} << 15;    ///< Of all transforms of one run.
  std::size_t longest_axis = std::size_t{1} << 18;  ///< Of a request of one axis, now and then.
  bool has_fp64 = true;
  bool has_mixed_lengths = false;  ///< Of half the requests lengths are any.
  bool has_functors = false;       ///< A quarter of the inputs and of the outputs have one.
  bool has_real_kinds = false;     ///< A quarter of the requests are from reals to reals.
};

/// A request and how to run it.
struct drawn_plan {
  plan_spec spec;
  bool is_one_buffer = false;      ///< The output's buffer is the input's.
  bool has_own_workspace = false;  ///< The caller's workspace, not the queue's.
  std::size_t shift = 0;           ///< Complex numbers that each buffer starts behind.
};

/// Returns a request that every plan must accept. The same seed gives the same one everywhere.
[[nodiscard]] drawn_plan random_plan(std::uint64_t seed, const draw_limits& within = {});

/// Returns a request as C++ that makes it, on one line.
[[nodiscard]] std::string as_initialiser(const plan_spec& spec);

}  // namespace wingbeat::test
