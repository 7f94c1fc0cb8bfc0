// SPDX-License-Identifier: Apache-2.0
#include "support/random_plan.hpp"

#include <fmt/format.h>

#include <algorithm>  // all_of, max, min, swap
#include <bit>        // bit_floor
#include <numeric>    // iota
#include <vector>

#include "request/resolved.hpp"           // resolved_spec
#include "support/dice.hpp"               // dice
#include "support/numbered_functors.hpp"  // numbered_load, numbered_multiplier
#include "wingbeat/good_length.hpp"       // good_length

namespace wingbeat::test {
namespace {

std::vector<std::size_t> random_lengths(dice& roll, std::size_t max_points) {
  constexpr std::size_t max_log2 = 12, axes[] = {1, 1, 1, 2, 2, 3};
  const std::size_t n_axes = roll.one_of(axes);
  std::vector<std::size_t> log2(n_axes, 1);
  std::size_t most = n_axes;
  while ((std::size_t{2} << most) <= max_points) ++most;
  for (std::size_t bits = roll.below(most - n_axes + 1); bits > 0; --bits) {
    std::size_t& grown = log2[roll.below(n_axes)];
    grown = std::min(grown + 1, max_log2);
  }
  std::vector<std::size_t> lengths;
  for (const std::size_t each : log2) lengths.push_back(std::size_t{1} << each);
  return lengths;
}

/// Square planes, as several engines make them at once, alone or several behind one another.
std::vector<std::size_t> random_planes(dice& roll, std::size_t max_points) {
  std::size_t most = 4;
  while (most < 8 && (std::size_t{1} << (2 * most)) < max_points) ++most;
  const std::size_t n = std::size_t{1} << roll.between(4, most);
  if (roll.one_in(2) || 2 * n * n > max_points) return {n, n};
  return {std::size_t{2} << roll.below(2), n, n};
}

/// Replaces each length by any of more than half of it, or by a good one; now and then by 1.
void shorten(dice& roll, std::vector<std::size_t>& lengths) {
  for (std::size_t& n : lengths) {
    n = roll.one_in(40) ? 1 : roll.between(n / 2 + 1, n);
    if (n > 1 && roll.one_in(2)) n = good_length(n);
  }
}

/// Makes a quarter of the longer lengths a prime, above all radices, times a power of two: of
/// several passes, the last may be convolved. By a sequence of its own.
void take_large_primes(std::uint64_t seed, std::vector<std::size_t>& lengths) {
  constexpr std::size_t primes[] = {37, 41, 47, 59, 127, 257, 509};
  dice roll{seed ^ 0x9e3779b1U};
  for (std::size_t& n : lengths) {
    const std::size_t prime = roll.one_of(primes);
    if (n >= 2 * prime && roll.one_in(4)) n = prime * std::bit_floor(n / prime);
  }
}

batch_shape random_batch(dice& roll, std::size_t room) {
  constexpr std::size_t dimensions[] = {1, 1, 2, 2, 3}, counts[] = {1, 2, 3, 4, 5, 17, 129};
  std::vector<std::size_t> batch(roll.one_of(dimensions));
  for (std::size_t& count : batch) {
    count = std::min(roll.one_of(counts), std::max<std::size_t>(room, 1));
    room /= count;
  }
  return batch_shape{std::move(batch)};
}

std::vector<index_range> random_ranges(dice& roll, const arrays::array& array) {
  std::vector<index_range> ranges;
  for (const arrays::axis& axis : array.axes) {
    index_range range{0, axis.length};
    if (!roll.one_in(3)) range.first = roll.below(axis.length);
    if (!roll.one_in(3)) range.end = roll.between(range.first + 1, axis.length);
    ranges.push_back(range);
  }
  return ranges;
}

/// The dimensions of one side, by number: its axes, its batches, its two planes.
struct dimensions {
  explicit dimensions(const arrays::array& array, bool is_planar) : n_axes(array.axes.size()) {
    for (const arrays::axis& axis : array.axes) counts.push_back(axis.length);
    for (const arrays::batch& batch : array.batches) counts.push_back(batch.count);
    if (is_planar) counts.push_back(2);
  }

  std::size_t n_axes;
  std::vector<std::size_t> counts;
};

enum class sequence { natural, interleaved, shuffled };

/// Returns the dimensions from the densest on.
std::vector<std::size_t> densest_first(dice& roll, const dimensions& sizes, sequence how) {
  std::vector<std::size_t> all(sizes.counts.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::reverse(all.begin(), all.end());  // planes, batches, axes: batches interleaved
  const auto behind = static_cast<std::ptrdiff_t>(sizes.counts.size() - sizes.n_axes);
  if (how == sequence::natural) std::rotate(all.begin(), all.begin() + behind, all.end());
  if (how == sequence::shuffled) {
    for (std::size_t left = all.size(); left > 1; --left) {
      std::swap(all[left - 1], all[roll.below(left)]);
    }
  }
  return all;
}

/// Gives each dimension a step beyond what the denser ones reach, by a random gap or by none.
std::vector<std::size_t> nested_steps(dice& roll, const dimensions& sizes, sequence how) {
  std::vector<std::size_t> steps(sizes.counts.size());
  std::size_t reach = 0;
  for (const std::size_t d : densest_first(roll, sizes, how)) {
    steps[d] = reach + 1 + (roll.one_in(2) ? 0 : roll.below(5));
    reach += (sizes.counts[d] - 1) * steps[d];
  }
  return steps;
}

memory_layout random_layout(dice& roll, const arrays::array& array, bool may_repeat) {
  constexpr sequence sequences[] = {sequence::natural, sequence::interleaved, sequence::shuffled};
  if (roll.one_in(3)) return {};
  const dimensions drawn{array, !array.is_real() && roll.one_in(3)};
  const std::size_t n_steps = array.axes.size() + array.batches.size();
  const bool is_planar = drawn.counts.size() > n_steps;
  if (is_planar && roll.one_in(4)) {  // two packed planes
    std::size_t elements = 1;
    for (std::size_t d = 0; d < n_steps; ++d) elements *= drawn.counts[d];
    return {.imaginary_at = elements + roll.below(3)};
  }
  const auto steps = nested_steps(roll, drawn, roll.one_of(sequences));
  const auto first_batch = steps.begin() + static_cast<std::ptrdiff_t>(drawn.n_axes);
  memory_layout layout;
  layout.strides.assign(steps.begin(), first_batch);
  layout.distances.assign(first_batch,
                          first_batch + static_cast<std::ptrdiff_t>(array.batches.size()));
  if (is_planar) layout.imaginary_at = steps.back();
  if (may_repeat && roll.one_in(5)) layout.distances[roll.below(layout.distances.size())] = 0;
  if (may_repeat && roll.one_in(12)) layout.strides[roll.below(layout.strides.size())] = 0;
  return layout;
}

/// States the strides or the distances alone, with the others left to default.
void leave_out_half(dice& roll, memory_layout& layout, const arrays::array& packed) {
  if (layout.strides.empty() || layout.imaginary_at != 0 || !roll.one_in(4)) return;
  if (roll.one_in(2)) {
    arrays::array axes_alone = packed;
    axes_alone.batches.clear();
    const dimensions axes{axes_alone, false};
    layout.strides = nested_steps(roll, axes, sequence::shuffled);
    layout.distances.clear();
    return;
  }
  layout.strides.clear();
  std::size_t extent = packed.axes.front().stride * packed.axes.front().length;
  for (std::size_t b = packed.batches.size(); b-- > 0;) {
    layout.distances[b] = extent + roll.below(9);
    extent = layout.distances[b] * packed.batches[b].count;
  }
}

/// Lets memory begin with an index of the range, or before.
void begin_later(dice& roll, memory_layout& layout, const std::vector<index_range>& ranges) {
  if (ranges.empty() || roll.one_in(2)) return;
  for (const index_range& range : ranges) {
    layout.origin.push_back(roll.one_in(2) ? range.first : roll.below(range.first + 1));
  }
}

/// Makes a quarter of the requests transforms from reals to reals. By a sequence of its own, too.
void make_real(std::uint64_t seed, plan_spec& spec) {
  dice roll{seed ^ 0x1b873593U};
  if (!roll.one_in(4)) return;
  const auto draw = [&](std::size_t n) {
    const auto first = static_cast<std::size_t>(transform::dct1);
    const auto last = static_cast<std::size_t>(transform::dht);
    const auto kind = static_cast<transform>(roll.between(first, last));
    return n < request::traits_of(kind).min_length() ? transform::dct2 : kind;
  };
  std::vector<transform> kinds;
  for (const std::size_t n : spec.lengths) kinds.push_back(draw(n));
  spec.kind = kinds.back();
  if (kinds.size() > 1) spec.axis_kinds = kinds;
  const auto is_hartley = [](transform kind) { return kind == transform::dht; };
  spec.orthogonalize = roll.one_in(3) && !std::all_of(kinds.begin(), kinds.end(), is_hartley);
}

void place(dice& roll, drawn_plan& drawn) {
  plan_spec& spec = drawn.spec;
  if (roll.one_in(6)) return;  // packed, whole, out of place
  const bool is_together = roll.one_in(4);
  if (is_together && request::traits_of(spec.kind).has_half_spectrum()) {
    spec.where = placement::in_place;
    drawn.is_one_buffer = !roll.one_in(4);
    return;
  }
  spec.in = random_layout(roll, request::input_array(spec), !is_together);
  leave_out_half(
      roll, spec.in,
      request::input_array(plan_spec{
          .lengths = spec.lengths, .batch = spec.batch, .kind = spec.kind, .real = spec.real}));
  if (roll.one_in(3)) spec.valid_in = random_ranges(roll, request::input_array(spec));
  begin_later(roll, spec.in, spec.valid_in);
  if (is_together) {
    spec.out = spec.in;
    spec.valid_out = spec.valid_in;
    spec.where = roll.one_in(2) ? placement::in_place : placement::out_of_place;
    drawn.is_one_buffer = true;
    return;
  }
  spec.out = random_layout(roll, request::output_array(spec), false);
  leave_out_half(
      roll, spec.out,
      request::output_array(plan_spec{
          .lengths = spec.lengths, .batch = spec.batch, .kind = spec.kind, .real = spec.real}));
  if (roll.one_in(3)) spec.valid_out = random_ranges(roll, request::output_array(spec));
  begin_later(roll, spec.out, spec.valid_out);
}

/// Gives sides other stored types than the plan's, and the output a factor. A sequence of its own
/// leaves the rest of each drawn request as it is.
void store_otherwise(std::uint64_t seed, drawn_plan& drawn) {
  constexpr precision narrow[] = {precision::fp32, precision::fp16, precision::bf16};
  constexpr double factors[] = {0.5, -0.75, 0.1};
  dice roll{seed ^ 0x5bd1e995U};
  plan_spec& spec = drawn.spec;
  if (roll.one_in(4)) spec.factor = roll.one_of(factors);
  const bool shares_memory = drawn.is_one_buffer || spec.where == placement::in_place;
  if (shares_memory || spec.real == precision::fp64) return;
  if (roll.one_in(4)) spec.in.stored = roll.one_of(narrow);
  if (roll.one_in(4)) spec.out.stored = roll.one_of(narrow);
  const bool may_overflow = request::points_of(spec) > 1U << 15 && spec.scale == scaling::none;
  if (may_overflow && spec.out.stored == precision::fp16) spec.out.stored = precision::bf16;
}

/// Gives a third of the requests from reals to reals a multiplier, and a scale that undoes them. By
/// a sequence of its own, too.
void multiply(std::uint64_t seed, plan_spec& spec) {
  dice roll{seed ^ 0x7feb352dU};
  if (!request::traits_of(spec.kind).is_real_to_real() || !roll.one_in(3)) return;
  spec.orthogonalize = false;
  spec.scale = scaling::by_length;
  spec.multiplier = numbered_multiplier(spec);
}

/// Gives sides functors in place of layouts. By a sequence of its own, too.
void fuse(std::uint64_t seed, drawn_plan& drawn) {
  dice roll{seed ^ 0x2545f491U};
  plan_spec& spec = drawn.spec;
  const bool loads = roll.one_in(4), stores = roll.one_in(4);
  if (!loads && !stores) return;
  spec.where = placement::out_of_place;
  drawn.is_one_buffer = false;
  if (loads) spec.in = {};
  if (stores) spec.out = {};
  // Both sides without functors as yet: one given packs the elements in its ranges.
  if (loads) spec.load = numbered_load(spec);
  if (stores) spec.store = numbered_store(spec);
}

std::string text_of(const std::vector<std::size_t>& numbers) {
  return fmt::format("{{{}}}", fmt::join(numbers, ", "));
}

std::string text_of(const std::vector<transform>& kinds) {
  std::vector<std::string> names;
  for (const transform kind : kinds) names.push_back(fmt::format("transform::{}", name_of(kind)));
  return fmt::format("{{{}}}", fmt::join(names, ", "));
}

std::string text_of(const memory_layout& layout) {
  std::vector<std::string> fields;
  if (!layout.strides.empty()) fields.push_back(".strides = " + text_of(layout.strides));
  if (!layout.distances.empty()) fields.push_back(".distances = " + text_of(layout.distances));
  if (layout.imaginary_at != 0)
    fields.push_back(fmt::format(".imaginary_at = {}", layout.imaginary_at));
  if (!layout.origin.empty()) fields.push_back(".origin = " + text_of(layout.origin));
  if (layout.stored)
    fields.push_back(fmt::format(".stored = precision::{}", name_of(*layout.stored)));
  return fmt::format("{{{}}}", fmt::join(fields, ", "));
}

std::string text_of(const std::vector<index_range>& ranges) {
  std::vector<std::string> each;
  for (const auto& [first, end] : ranges) each.push_back(fmt::format("{{{}, {}}}", first, end));
  return fmt::format("{{{}}}", fmt::join(each, ", "));
}

}  // namespace

drawn_plan random_plan(std::uint64_t seed, const draw_limits& within) {
  constexpr transform kinds[] = {transform::forward, transform::inverse,
                                 transform::forward_from_real, transform::inverse_to_real};
  constexpr precision reals[] = {precision::fp32, precision::fp64, precision::fp32, precision::fp16,
                                 precision::bf16};
  constexpr scaling scales[] = {scaling::none, scaling::by_length, scaling::by_sqrt_length};
  dice roll{seed};
  drawn_plan drawn;
  plan_spec& spec = drawn.spec;
  if (roll.one_in(16)) {  // several passes
    std::size_t n = within.longest_axis >> roll.below(6);
    spec.lengths = {n};
    spec.batch = roll.between(1, 2);
    if (within.has_mixed_lengths && roll.one_in(2)) shorten(roll, spec.lengths);
    if (within.has_mixed_lengths) take_large_primes(seed, spec.lengths);
  } else {
    spec.lengths = roll.one_in(8) ? random_planes(roll, within.max_points)
                                  : random_lengths(roll, within.max_points);
    if (within.has_mixed_lengths && roll.one_in(2)) shorten(roll, spec.lengths);
    if (within.has_mixed_lengths) take_large_primes(seed, spec.lengths);
    spec.batch = random_batch(roll, within.max_points / request::points_of(spec));
  }
  spec.kind = roll.one_of(kinds);
  if (within.has_real_kinds) make_real(seed, spec);
  spec.real = roll.one_of(reals);
  if (spec.real == precision::fp64 && !within.has_fp64) spec.real = precision::fp32;
  spec.scale = roll.one_of(scales);
  const bool may_overflow = spec.real == precision::fp16 && request::points_of(spec) > 1U << 15;
  if (may_overflow && spec.scale == scaling::none) spec.scale = scaling::by_sqrt_length;
  place(roll, drawn);
  drawn.has_own_workspace = roll.one_in(2);
  drawn.shift = roll.below(4);
  const auto& ranges_of_bins = spec.kind == transform::forward ? spec.valid_out : spec.valid_in;
  const bool may_scramble = !request::traits_of(spec.kind).is_real() && spec.lengths.size() == 1 &&
                            spec.in.is_packed() && spec.out.is_packed() && ranges_of_bins.empty();
  if (may_scramble && roll.one_in(2)) spec.bins = bin_order::scrambled;
  store_otherwise(seed, drawn);
  if (within.has_functors) multiply(seed, spec);
  if (within.has_functors) fuse(seed, drawn);
  return drawn;
}

std::string as_initialiser(const plan_spec& spec) {
  std::string text =
      fmt::format("{{.lengths = {}, .batch = {}, .kind = transform::{}", text_of(spec.lengths),
                  text_of(spec.batch.counts()), name_of(spec.kind));
  if (!spec.axis_kinds.empty()) text += ", .axis_kinds = " + text_of(spec.axis_kinds);
  text += fmt::format(", .real = precision::{}, .scale = scaling::{}", name_of(spec.real),
                      name_of(spec.scale));
  if (spec.orthogonalize) text += ", .orthogonalize = true";
  if (spec.factor != 1) text += fmt::format(", .factor = {}", spec.factor);
  if (spec.bins == bin_order::scrambled) text += ", .bins = bin_order::scrambled";
  if (spec.where == placement::in_place) text += ", .where = placement::in_place";
  if (!spec.in.is_packed() || spec.in.stored) text += ", .in = " + text_of(spec.in);
  if (!spec.out.is_packed() || spec.out.stored) text += ", .out = " + text_of(spec.out);
  if (!spec.valid_in.empty()) text += ", .valid_in = " + text_of(spec.valid_in);
  if (!spec.valid_out.empty()) text += ", .valid_out = " + text_of(spec.valid_out);
  if (spec.multiplier.is_given()) text += ", .multiplier = numbered_multiplier";
  if (spec.load.is_given()) text += ", .load = numbered_load";
  if (spec.store.is_given()) text += ", .store = numbered_store";
  return text + "}";
}

}  // namespace wingbeat::test
