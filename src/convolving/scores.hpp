// SPDX-License-Identifier: Apache-2.0
// What a search keeps of its scores, as the store functor of a convolution.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // uint32_t, uint64_t
#include <vector>

#include "convolving/geometry.hpp"  // axis_geometry
#include "wingbeat/arguments.hpp"   // kernel_argument
#include "wingbeat/fusion.hpp"      // fused_store
#include "wingbeat/plan.hpp"        // precision

namespace wingbeat::convolving {

/// A score and the number of its template in one integer, as `device::functors::score_key_of` makes
/// it. 0: no score yet.
struct score_key {
  std::uint64_t key = 0;

  [[nodiscard]] float score() const;           ///< -infinity where there is none.
  [[nodiscard]] std::uint32_t number() const;  ///< `no_template` where there is none.
};
inline constexpr std::uint32_t no_template = 0xffffffffU;

/// What becomes of the scores.
struct kept_scores {
  std::vector<axis_geometry> axes = {};  ///< Of the correlation: y, x.
  precision real = precision::fp32;      ///< Of scores.
  std::size_t templates = 1;             ///< Of one run.
  bool is_normalised = false;
  bool has_sums = false;
  bool has_fp64_sums = true;
  bool has_counts = false;

  [[nodiscard]] std::size_t places() const { return axes[0].result() * axes[1].result(); }
  /// Whether some windows reach beyond the image. A template's sum over the part inside is then
  /// needed, because the image's mean was subtracted there only.
  [[nodiscard]] bool has_rim() const;
  /// Returns the reals of the table of a template's sums: [h + 1][w + 1], of the elements above and
  /// to the left.
  [[nodiscard]] std::size_t rim_reals() const;
};

/// The memory of the functor's operands, and their values.
struct score_memory {
  buffer_view moments;        // [2][y][x]: sums of scores and of their squares
  buffer_view counts;         // [y][x]
  buffer_view inverse_norms;  // [y][x]
  buffer_view rim;            // [template][h + 1][w + 1]
  double threshold = 0, mean = 0;
};

/// The bytes that the scores of one template read and write, as the functor's operands state them.
struct score_bytes {
  std::size_t most = 0;    ///< Where each score is the largest yet of its place, and counted.
  std::size_t always = 0;  ///< Of these whatever the scores are.
};
[[nodiscard]] score_bytes bytes_of_template(const kept_scores& kept);

/// Returns the functor, whose output are keys [y][x]: 0 before the first run.
[[nodiscard]] fused_store score_store(const kept_scores& kept);

/// Returns the arguments of a run whose first template has that number.
[[nodiscard]] std::vector<kernel_argument> score_arguments(const kept_scores& kept,
                                                           std::uint32_t first,
                                                           const score_memory& memory);

}  // namespace wingbeat::convolving
