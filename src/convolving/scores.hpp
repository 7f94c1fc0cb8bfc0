// SPDX-License-Identifier: Apache-2.0
// What a search keeps of its scores, as the store functor of a convolution, and the code to read
// it.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // uint32_t, uint64_t
#include <string>
#include <string_view>
#include <vector>

#include "convolving/geometry.hpp"             // axis_geometry
#include "wingbeat/arguments.hpp"              // kernel_argument
#include "wingbeat/buffer.hpp"                 // buffer
#include "wingbeat/device/functors/score.hpp"  // score_numbers
#include "wingbeat/fusion.hpp"                 // fused_store
#include "wingbeat/template_search.hpp"        // search_spec

namespace wingbeat::convolving {

/// A score and the number of its template in one integer, as `device::functors::score_key_of` makes
/// it. 0: no score yet.
struct score_key {
  std::uint64_t key = 0;

  [[nodiscard]] float score() const;           ///< -infinity if there is none.
  [[nodiscard]] std::uint32_t number() const;  ///< `no_template` if there is none.
};
inline constexpr std::uint32_t no_template = 0xffffffffU;

/// Throws `plan_error` if `count` templates after `before` others have numbers beyond those of a
/// search.
void require_numbers(std::size_t count, std::size_t before);

/// Returns a score as it is reported: a coefficient that rounding left beyond 1 is cut off here,
/// not before scores are compared. -infinity (no score) stays.
[[nodiscard]] float reported_score(float score, bool is_normalised);

/// What a search keeps of its scores.
struct kept_scores {
  std::vector<axis_geometry> axes = {};  ///< Axes y, x of the correlation.
  device::functors::score_numbers numbers = {};
  precision real = precision::fp32;  ///< Type of scores.
  bool has_fp64_sums = true;
  bool has_unit_sums = false;  ///< Sums of coefficients: see `device::functors::score`.
  std::size_t templates = 1;   ///< In one run.
  double sum_unit = 0;         ///< As in `search_spec`.
  std::size_t table_capacity = 0;
  score_bins histogram = {};

  [[nodiscard]] std::size_t places() const { return axes[0].result() * axes[1].result(); }
  /// Returns the reals of the table of a template's sums: [h + 1][w + 1], sums over the elements
  /// above and to the left.
  [[nodiscard]] std::size_t rim_reals() const;
};

/// Returns what a search keeps, with `templates` per run. has_fp64: whether the device has it.
[[nodiscard]] kept_scores kept_of(const search_spec& spec, std::size_t templates, bool has_fp64);

/// The bytes that the scores of one template read and write, as the functor's operands state them.
struct score_bytes {
  std::size_t most = 0;    ///< If each score is the largest yet of its place, and counted.
  std::size_t always = 0;  ///< The part that does not depend on the scores.
};
[[nodiscard]] score_bytes bytes_of_template(const kept_scores& kept);
/// The part for kept arrays. If a workgroup takes all templates of a run, it is moved once per run.
[[nodiscard]] score_bytes bytes_of_arrays(const kept_scores& kept);

/// Returns the functor, whose output is the keys [y][x]: 0 before the first run.
[[nodiscard]] fused_store score_store(const kept_scores& kept);

/// What a run reads beside scores.
struct score_inputs {
  buffer_view inverse_norms;  // [y][x]
  buffer_view rim;            // [template][h + 1][w + 1]
  double threshold = 0, mean = 0, table_threshold = 0;
  std::uint32_t end = 0;  ///< Number after the run's last template.
};

/// Returns the arguments of a run whose first template is number `first`. arrays: those that are
/// kept beside the keys, in the functor's order, then the table and its counter.
[[nodiscard]] std::vector<kernel_argument> score_arguments(const kept_scores& kept,
                                                           std::uint32_t first,
                                                           const std::vector<buffer_view>& arrays,
                                                           const score_inputs& inputs);

/// Selects arrays of a state.
struct state_arrays {
  bool keys = false, moments = false, counts = false;
};

/// The kept arrays, in memory of a device; none at first.
class score_memory {
 public:
  score_memory(const queue& on, const kept_scores& kept);

  void clear(const queue& on) const;  ///< Queues it.
  [[nodiscard]] buffer_view keys() const { return arrays_.front().memory.view(); }
  [[nodiscard]] std::vector<buffer_view> others() const;
  [[nodiscard]] std::string explain() const;  ///< Lines: what is kept, and its bytes.
  [[nodiscard]] std::size_t device_bytes() const;

  /// Returns some arrays, after all runs over `n_templates` templates. Throws `plan_error` for an
  /// array that is not kept.
  [[nodiscard]] search_state read(state_arrays wanted, std::size_t n_templates) const;
  [[nodiscard]] search_state read_all(std::size_t n_templates) const;

  /// Returns the table and its counter, after all runs.
  [[nodiscard]] std::size_t listed() const;
  [[nodiscard]] score_table take_table(const queue& on) const;

 private:
  struct array {
    std::string_view name;
    buffer memory;
  };
  template <class Value>
  [[nodiscard]] std::vector<Value> values_of(std::string_view name, std::string_view field) const;
  void read_moments(search_state& target) const;

  kept_scores kept_;
  std::vector<array> arrays_;  ///< Keys first.
  buffer table_, n_listed_;
};

}  // namespace wingbeat::convolving
