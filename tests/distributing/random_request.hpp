// SPDX-License-Identifier: Apache-2.0
// Random requests that ranks can be given: any lengths, kinds, ranges, boxes, strides and functors.
// Request i is drawn from seed WINGBEAT_RANDOM_SEED + i.
//
//     WINGBEAT_RANDOM_PLANS=2000 build/test/tests/distributing_tests
//         --gtest_filter='*random_requests_on*/host:thread_ranks.make_random_requests'
//     WINGBEAT_RANDOM_PLANS=1 WINGBEAT_RANDOM_SEED=4711 ..    repeats the one that failed
#pragma once

#include <gtest/gtest.h>

#include <cstdint>  // uint64_t
#include <random>   // mt19937
#include <string>
#include <vector>

#include "distributing/boxes.hpp"    // text_of
#include "distributing/phases.hpp"   // cut_lengths, ranges_of
#include "distributing/ranks.hpp"    // drawn_boxes, draw_strides
#include "distributing/weighed.hpp"  // weigh
#include "request/traits.hpp"        // traits_of, count_of
#include "support/environment.hpp"   // from_environment
#include "support/full_run.hpp"      // is_full_run
#include "support/sanitizer.hpp"     // has_thread_sanitizer
#include "text/formatted.hpp"        // formatted, joined

namespace wingbeat::test {

struct drawn_request {
  std::size_t n_ranks = 1;
  bool shares_memory = true;  ///< Of processes.
  distributed_spec spec = {};

  [[nodiscard]] std::string text() const {
    const plan_spec& t = spec.transform;
    const auto ranges = [](const std::vector<index_range>& list) {
      std::string result;
      for (const index_range& each : list) result += formatted(" {}..{}", each.first, each.end);
      return result;
    };
    return formatted(
        "{} ranks, {} of {} in {}, batch {}, {}ranges{} ;{}, in boxes {}, out boxes {}{}{}",
        n_ranks, name_of(t.kind), joined(t.lengths, " x "), name_of(t.real), std::size_t{t.batch},
        spec.bins == bin_distribution::natural ? "natural bins, " : "", ranges(t.valid_in),
        ranges(t.valid_out), distributing::text_of(spec.in_boxes),
        distributing::text_of(spec.out_boxes), t.load.is_given() ? ", load" : "",
        t.store.is_given() ? ", store" : "");
  }
};

class request_draw {
 public:
  request_draw(std::uint64_t seed, bool has_fp64)
      : dice_(static_cast<std::uint32_t>(seed)), has_fp64_(has_fp64) {
    constexpr std::size_t counts[] = {1, 2, 3, 4, 5, 7, 8};
    drawn_.n_ranks = counts[seed % std::size(counts)];
    drawn_.shares_memory = seed % 2 == 0;
  }

  drawn_request draw() {
    plan_spec& t = requested();
    draw_size();
    constexpr precision reals[] = {precision::fp32, precision::fp32, precision::fp32,
                                   precision::fp64, precision::fp16, precision::bf16};
    t.real = reals[roll(std::size(reals))];
    if (t.real == precision::fp64 && !has_fp64_) t.real = precision::fp32;
    t.scale = is_by_chance(2) ? scaling::by_length : scaling::none;
    t.factor = 1.5;
    const bool is_one_axis = t.lengths.size() == 1;
    const bool has_16_bits = t.real == precision::fp16 || t.real == precision::bf16;
    const bool must_be_transposed = is_one_axis || has_16_bits ||
                                    (t.lengths.size() == 2 && t.kind == transform::inverse_to_real);
    if (!must_be_transposed && is_by_chance(2)) drawn_.spec.bins = bin_distribution::natural;
    const bool is_cut = drawn_.n_ranks > 1 && t.batch < drawn_.n_ranks;
    if (!(is_one_axis && is_cut)) {
      if (is_by_chance(3)) draw_ranges();
      if (is_by_chance(3)) draw_boxes();
    }
    draw_functors();
    return drawn_;
  }

 private:
  plan_spec& requested() { return drawn_.spec.transform; }
  std::size_t roll(std::size_t sides) { return dice_() % sides; }
  bool is_by_chance(std::size_t sides) { return roll(sides) == 0; }

  void draw_size() {
    plan_spec& t = requested();
    constexpr transform kinds[] = {transform::forward, transform::inverse,
                                   transform::forward_from_real, transform::inverse_to_real};
    constexpr transform of_reals[] = {transform::dct2, transform::dct3, transform::dst4,
                                      transform::dht};
    constexpr std::size_t primes[] = {2, 3, 5, 7, 11, 13, 17, 19};
    t.kind = kinds[roll(std::size(kinds))];
    const std::size_t n_axes = is_by_chance(4) ? 1 : 2 + roll(2);
    for (std::size_t axis = 0; axis < n_axes; ++axis) {
      t.lengths.push_back(is_by_chance(3) ? primes[roll(std::size(primes))] : 1 + roll(16));
    }
    if (n_axes == 1) t.lengths[0] *= 2 + roll(30);
    t.batch = is_by_chance(4) ? drawn_.n_ranks + roll(3) : 1 + roll(2);
    if (t.batch >= drawn_.n_ranks && is_by_chance(3)) t.kind = of_reals[roll(std::size(of_reals))];
    // What is not cut is made of as many as there are ranks.
    const bool is_cut = t.batch < drawn_.n_ranks;
    if (is_cut && distributing::cut_lengths(t).empty()) t.batch = drawn_.n_ranks;
  }

  void draw_ranges() {
    plan_spec& t = requested();
    const request::traits& kind = request::traits_of(t.kind);
    for (const bool are_in : {true, false}) {
      for (std::size_t axis = 0; axis < t.lengths.size(); ++axis) {
        const bool is_last = axis + 1 == t.lengths.size();
        const std::size_t n = is_last
                                  ? request::count_of(are_in ? kind.in : kind.out, t.lengths[axis])
                                  : t.lengths[axis];
        const std::size_t first = roll(n);
        (are_in ? t.valid_in : t.valid_out).push_back({first, first + 1 + roll(n - first)});
      }
    }
  }

  [[nodiscard]] box whole(bool are_in) {
    plan_spec& t = requested();
    const request::traits& kind = request::traits_of(t.kind);
    box result{{0}, {t.batch}};
    for (const index_range& range : distributing::ranges_of(
             t.lengths, are_in ? t.valid_in : t.valid_out, are_in ? kind.in : kind.out)) {
      result.lower.push_back(range.first);
      result.upper.push_back(range.end);
    }
    return result;
  }

  void draw_boxes() {
    for (const bool are_in : {true, false}) {
      if (is_by_chance(3)) continue;
      std::vector<box>& boxes = are_in ? drawn_.spec.in_boxes : drawn_.spec.out_boxes;
      boxes = drawn_boxes(whole(are_in), drawn_.n_ranks, dice_);
      for (box& each : boxes) {
        if (is_by_chance(3)) draw_strides(each, dice_);
      }
    }
  }

  void draw_functors() {
    plan_spec& t = requested();
    const request::traits& kind = request::traits_of(t.kind);
    if (kind.is_real() || kind.is_real_to_real() || t.real != precision::fp32) return;
    const bool may_store = drawn_.spec.bins == bin_distribution::transposed;
    const bool at_load = drawn_.spec.in_boxes.empty() && is_by_chance(4);
    const bool at_store = drawn_.spec.out_boxes.empty() && may_store && is_by_chance(4);
    weigh(t, at_load, at_store, whole(true).count(), whole(false).count());
  }

  std::mt19937 dice_;
  bool has_fp64_;
  drawn_request drawn_ = {};
};

/// Returns how far the results of ranks may be from those of one device.
inline double tolerance_of(const plan_spec& spec) {
  switch (spec.real) {
    case precision::fp64: return 2e-14;
    case precision::fp16: return 1e-3;
    case precision::bf16: return 8e-3;
    default: return 2e-6;
  }
}

/// Returns what is wrong with the parts that this process's ranks make.
inline std::string fault_of(const domain& ranks, const distributed_spec& spec) {
  const double difference = difference_on(ranks, spec);
  if (difference <= tolerance_of(spec.transform)) return "";
  return formatted("off by {:.1e}", difference);
}

/// Checks requests, until five have failed: `fault` returns what is wrong with one, or nothing.
template <class Fault>
void check_requests(const device_info& device, Fault fault) {
  // Compiled engines take a second for each.
  const bool is_compiled = device.runs_on > engine::host;
  const std::uint64_t few = has_thread_sanitizer ? 14 : is_compiled ? 3 : 60;
  const std::uint64_t many = is_compiled ? 60 : 2000;
  const std::uint64_t n_requests =
      from_environment("WINGBEAT_RANDOM_PLANS", is_full_run() ? many : few);
  const std::uint64_t first = from_environment("WINGBEAT_RANDOM_SEED", 1);
  int n_wrong = 0;
  for (std::uint64_t seed = first; seed < first + n_requests && n_wrong < 5; ++seed) {
    const drawn_request drawn = request_draw{seed, device.has_fp64}.draw();
    const std::string found = fault(drawn);
    n_wrong += found.empty() ? 0 : 1;
    EXPECT_EQ(found, "") << "WINGBEAT_RANDOM_SEED=" << seed << ": " << drawn.text();
  }
}

}  // namespace wingbeat::test
