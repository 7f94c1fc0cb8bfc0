// SPDX-License-Identifier: Apache-2.0
// What a planned pass reads and writes, element by element, by the formulas of device/grid and
// device/cluster: places count reals as they are stored, so that every layout compares.
#pragma once

#include <vector>

#include "planner/pass.hpp"  // pass, pass_side
#include "side.hpp"          // side

namespace wingbeat::test {

using planner::pass;
using planner::pass_side;
using planner::row;

/// Real numbers by place.
using places = std::vector<std::size_t>;

/// Which butterflies one workgroup or cluster makes at once, and where one of them lies.
struct butterfly {
  std::size_t tile = 0;
  std::size_t in = 0, out = 0;              ///< Place of the first element, in units of the side.
  std::size_t in_index = 0, out_index = 0;  ///< Its index on the axis.
  std::size_t lane = 0;                     ///< Its number in the first two loops, if flat.
};

/// Adds a complex element at `at`, index i of its axis, if it is in memory.
inline void add_element(places& to, const pass_side& side, std::size_t at, std::size_t i) {
  const auto is_there = [&](std::size_t index) {
    return !side.is_limited || (index >= side.valid_first && index < side.valid_end);
  };
  const bool is_cut = side.is_pairs && side.has_parts;  // a pair of which one may be outside
  const std::size_t re = side.has_parts ? at : 2 * at;
  const std::size_t im = side.has_parts ? at + side.apart : 2 * at + 1;
  if (is_there(is_cut ? 2 * i : i)) to.push_back(re);
  if (is_there(is_cut ? 2 * i + 1 : i)) to.push_back(im);
}

/// Returns every butterfly of a pass.
inline std::vector<butterfly> butterflies_of(const pass& one) {
  std::vector<butterfly> all;
  for (std::size_t r = 0; r < one.rows; ++r) {
    all.push_back({one.loops.empty() ? r / one.lanes : r, one.in.base + r * one.in.distance,
                   one.out.base + r * one.out.distance, 0, 0});
  }
  for (std::size_t l = one.loops.size(); l-- > 0;) {
    const planner::loop& each = one.loops[l];
    const bool is_lane = l < (one.is_flat ? 2U : 1U);
    std::vector<butterfly> longer;
    for (const butterfly& from : all) {
      for (std::size_t i = 0; i < each.count; ++i) {
        butterfly to = from;
        const std::size_t mirrored = std::min(i, each.count - i) % (each.count / 2 + (i == 0));
        const std::size_t shared = one.is_mirrored ? mirrored / (one.lanes / 2) : i / one.lanes;
        if (one.is_flat && is_lane) {
          // Of the second loop the index alone, of the first their common number.
          to.lane = l == 1 ? i : to.lane * each.count + i;
          if (l == 0) to.tile = to.tile * one.lane_count() + to.lane / one.lanes;
        } else {
          to.tile = to.tile * each.count + (is_lane ? shared : i);
        }
        to.in += i * each.in;
        to.out += i * each.out;
        if (one.in.along == l) to.in_index = i;
        if (one.out.along == l) to.out_index = i;
        longer.push_back(to);
      }
    }
    all = longer;
  }
  return all;
}

/// Adds the bin behind a row's others, if bin 0 of it lies at `at`.
inline void add_last_bin(places& to, const pass& one, const pass_side& side, std::size_t at,
                         std::size_t of_first, std::size_t i) {
  if (side.holds != row::half_spectrum) return;
  if (one.does == pass::kind::plane) {
    if (of_first == 0) add_element(to, side, at + one.second * side.stride, one.second);
  } else if (i == 0) {
    add_element(to, side, at + one.total * side.unit, one.total);
  }
}

/// Returns what a butterfly reads.
inline places read_by(const pass& one, const butterfly& at) {
  places made;
  for (std::size_t q = 0; q < one.length; ++q) {
    std::size_t place = at.in + q * one.in.stride;
    if (one.is_cluster()) {
      place = at.in + q / one.second * one.in.stride_of_first + q % one.second * one.in.stride;
    }
    const std::size_t i = at.in_index + q * one.in.step;
    add_element(made, one.in, place, i);
    add_last_bin(made, one, one.in, place, q % one.second, i);
  }
  return made;
}

/// Returns what a butterfly writes.
inline places written_by(const pass& one, const butterfly& at) {
  places made;
  for (std::size_t k = 0; k < one.length; ++k) {
    std::size_t place = at.out + k * one.out.stride;
    const bool is_line = one.does == pass::kind::line;
    const std::size_t k1 = is_line ? k % one.first : k / one.second;
    const std::size_t k2 = is_line ? k / one.first : k % one.second;
    if (one.is_cluster()) {
      place = at.out + k1 * one.out.stride_of_first + k2 * one.out.stride;
    }
    const std::size_t i = at.out_index + k * one.out.step;
    add_element(made, one.out, place, i);
    add_last_bin(made, one, one.out, place, k2, i);
  }
  return made;
}

/// Returns the reals of a request's side.
inline places places_of(const side& of) {
  places units{0};
  const auto widen = [&](std::size_t first, std::size_t end, std::size_t step) {
    places longer;
    for (const std::size_t at : units) {
      for (std::size_t i = first; i < end; ++i) longer.push_back(at + i * step);
    }
    units = longer;
  };
  for (const side_axis& axis : of.axes) widen(axis.valid.first, axis.valid.end, axis.stride);
  for (const side_batch& batch : of.batches) widen(0, batch.count, batch.distance);
  places reals;
  for (const std::size_t at : units) {
    const bool is_plain = !of.is_real && of.imaginary_at == 0;
    reals.push_back(is_plain ? 2 * at : at);
    if (!of.is_real) reals.push_back(is_plain ? 2 * at + 1 : at + of.imaginary_at);
  }
  return reals;
}

}  // namespace wingbeat::test
