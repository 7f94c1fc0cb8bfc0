// SPDX-License-Identifier: Apache-2.0
// The fields of a pass's numbers by name, for the kernel's text and for a test that counts them,
// because a field that is missing here is missing in every kernel.
#pragma once

#include <string>
#include <string_view>

#include "planner/pass.hpp"    // pass_numbers, tile_shape, loop
#include "text/formatted.hpp"  // formatted

namespace wingbeat::planner {

template <class Visit>
void each_field_of_shape(const Visit& visit) {
  visit("makes", &tile_shape::makes);
  visit("length", &tile_shape::length);
  visit("first", &tile_shape::first);
  visit("second", &tile_shape::second);
  visit("elements_per_thread", &tile_shape::elements_per_thread);
  visit("lanes", &tile_shape::lanes);
  visit("workgroups", &tile_shape::workgroups);
  visit("element_bytes", &tile_shape::element_bytes);
  visit("bank_bytes", &tile_shape::bank_bytes);
  visit("lanes_across", &tile_shape::lanes_across);
  visit("along_out", &tile_shape::along_out);
  visit("half_trade", &tile_shape::half_trade);
  visit("stage_in", &tile_shape::stage_in);
  visit("stage_out", &tile_shape::stage_out);
  visit("overlaid", &tile_shape::overlaid);
  visit("mirrored", &tile_shape::mirrored);
  visit("source", &tile_shape::source);
  visit("sink", &tile_shape::sink);
  visit("bins", &tile_shape::bins);
  visit("times", &tile_shape::times);
  visit("points", &tile_shape::points);
  visit("partial_bytes", &tile_shape::partial_bytes);
  visit("kept", &tile_shape::kept);
  visit("kept_bytes", &tile_shape::kept_bytes);
  visit("held_bytes", &tile_shape::held_bytes);
  visit("twiddles", &tile_shape::twiddles);
}

template <class Visit>
void each_field_of_side(const Visit& visit) {
  using device::grid::side;
  visit("base", &side::base);
  visit("distance", &side::distance);
  visit("second", &side::second);
  visit("stride", &side::stride);
  visit("first_stride", &side::first_stride);
  visit("unit", &side::unit);
  visit("step", &side::step);
  visit("is_limited", &side::is_limited);
  visit("valid_begin", &side::valid_begin);
  visit("valid_end", &side::valid_end);
  visit("is_pairs", &side::is_pairs);
  visit("is_hermitian", &side::is_hermitian);
  visit("is_conjugated", &side::is_conjugated);
  visit("block", &side::block);
  visit("block_stride", &side::block_stride);
  visit("block_first", &side::block_first);
}

template <class Visit>
void each_field_of_loop(const Visit& visit) {
  visit("count", &loop::count);
  visit("in", &loop::in);
  visit("out", &loop::out);
  visit("role", &loop::role);
  visit("filter", &loop::filter);
  visit("block", &loop::block);
  visit("block_in", &loop::block_in);
}

template <class Visit>
void each_own_field(const Visit& visit) {
  visit("prior", &pass_numbers::prior);
  visit("total", &pass_numbers::total);
  visit("depth", &pass_numbers::depth);
  visit("is_flat", &pass_numbers::is_flat);
  visit("is_full", &pass_numbers::is_full);
  visit("prefetch_tiles", &pass_numbers::prefetch_tiles);
  visit("prefetch_elements", &pass_numbers::prefetch_elements);
  visit("starts_early", &pass_numbers::starts_early);
  visit("max_workgroups", &pass_numbers::max_workgroups);
  visit("roots_at", &pass_numbers::roots_at);
  visit("filter_distance", &pass_numbers::filter_distance);
  visit("factors_in", &pass_numbers::factors_in);
  visit("factors_out", &pass_numbers::factors_out);
  visit("has_bins_alone", &pass_numbers::has_bins_alone);
  visit("n_turns", &pass_numbers::n_turns);
  visit("prefetches_filter", &pass_numbers::prefetches_filter);
  visit("has_own_filter", &pass_numbers::has_own_filter);
  visit("terms", &pass_numbers::terms);
  visit("term_distance", &pass_numbers::term_distance);
  visit("returns_terms", &pass_numbers::returns_terms);
  visit("scale", &pass_numbers::scale);
}

/// Calls visit(name, field, default value) for each number, as in "shape.length", "loops[0].count";
/// for loops, only up to `depth`.
template <class Numbers, class Visit>
void each_field(Numbers& numbers, const Visit& visit) {
  const auto visit_in = [&](std::string prefix, auto& object, const auto& plain) {
    return [&visit, &object, prefix, plain](std::string_view name, auto member) {
      visit(prefix + std::string{name}, object.*member, plain.*member);
    };
  };
  each_field_of_shape(visit_in("shape.", numbers.shape, tile_shape{}));
  each_field_of_side(visit_in("in.", numbers.in, device::grid::side{}));
  each_field_of_side(visit_in("out.", numbers.out, device::grid::side{}));
  for (unsigned i = 0; i < numbers.depth; ++i) {
    each_field_of_loop(visit_in(formatted("loops[{}].", i), numbers.loops[i], loop{}));
  }
  each_own_field(visit_in("", numbers, pass_numbers{}));
}

}  // namespace wingbeat::planner
