// SPDX-License-Identifier: Apache-2.0
// The elements that a planned pass reads and writes, by the formulas of device/grid and
// device/cluster: places count reals as they are stored, so that every layout compares.
#pragma once

#include <algorithm>  // min
#include <vector>

#include "planner/pass.hpp"  // pass, pass_side
#include "side.hpp"          // side

namespace wingbeat::test {

using planner::body;
using planner::loop_role;
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

/// One side of a pass: what its elements are stored as, and where they lie.
struct walked_side {
  const pass_side& stored;
  const device::grid::side& placed;
  row holds;
};

inline walked_side input_of(const pass& of) {
  return {of.in, of.numbers.in, of.shape().source};
}
inline walked_side output_of(const pass& of) {
  return {of.out, of.numbers.out, of.shape().sink};
}

/// Adds a complex element at `at`, index i of its axis, if it is in memory.
inline void add_element(places& to, const walked_side& side, std::size_t at, std::size_t i) {
  const auto is_valid = [&](std::size_t index) {
    return !side.placed.is_limited ||
           (index >= side.placed.valid_begin && index < side.placed.valid_end);
  };
  const bool has_parts = side.stored.has_parts;
  const bool is_cut = side.placed.is_pairs && has_parts;  // a pair of which one may be outside
  const std::size_t re = has_parts ? at : 2 * at;
  const std::size_t im = has_parts ? at + side.stored.apart : 2 * at + 1;
  if (is_valid(is_cut ? 2 * i : i)) to.push_back(re);
  if (is_valid(is_cut ? 2 * i + 1 : i)) to.push_back(im);
}

/// Returns every butterfly of a pass.
inline std::vector<butterfly> butterflies_of(const pass& of) {
  const planner::pass_numbers& numbers = of.numbers;
  const planner::tile_shape& shape = of.shape();
  std::vector<butterfly> all;
  for (std::size_t r = 0; r < of.rows; ++r) {
    all.push_back({numbers.depth == 0 ? r / shape.lanes : r,
                   numbers.in.base + r * numbers.in.distance,
                   numbers.out.base + r * numbers.out.distance, 0, 0});
  }
  for (std::size_t l = numbers.depth; l-- > 0;) {
    const planner::loop& each = numbers.loops[l];
    const bool is_lane = l < (numbers.is_flat ? 2U : 1U);
    std::vector<butterfly> longer;
    for (const butterfly& from : all) {
      for (std::size_t i = 0; i < each.count; ++i) {
        butterfly to = from;
        const std::size_t mirrored = std::min(i, each.count - i) % (each.count / 2 + (i == 0));
        const std::size_t shared = shape.mirrored ? mirrored / (shape.lanes / 2) : i / shape.lanes;
        if (numbers.is_flat && is_lane) {
          // Of the second loop the index alone, of the first their common number.
          to.lane = l == 1 ? i : to.lane * each.count + i;
          if (l == 0) to.tile = to.tile * numbers.lane_count() + to.lane / shape.lanes;
        } else {
          to.tile = to.tile * each.count + (is_lane ? shared : i);
        }
        to.in += i * each.in;
        to.out += i * each.out;
        if (each.role == loop_role::groups) to.in_index = i;
        if (each.role == loop_role::prior) to.out_index = i;
        longer.push_back(to);
      }
    }
    all = longer;
  }
  return all;
}

/// Adds the bin behind a row's others, if bin 0 of it lies at `at`.
inline void add_last_bin(places& to, const pass& of, const walked_side& side, std::size_t at,
                         std::size_t of_first, std::size_t i) {
  if (side.holds != row::half_spectrum) return;
  if (of.shape().makes == body::plane) {
    const std::size_t second = of.shape().second;
    if (of_first == 0) add_element(to, side, at + second * side.placed.stride, second);
  } else if (i == 0) {
    const std::size_t total = of.numbers.total;
    add_element(to, side, at + total * side.placed.unit, total);
  }
}

inline bool is_of_two_steps(const pass& of) {
  return of.shape().makes == body::line || of.shape().makes == body::plane;
}

/// Returns the places that a butterfly reads.
inline places read_by(const pass& of, const butterfly& from) {
  places result;
  const walked_side in = input_of(of);
  const std::size_t second = of.shape().second;
  for (std::size_t q = 0; q < of.shape().length; ++q) {
    std::size_t place = from.in + q * in.placed.stride;
    if (is_of_two_steps(of)) {
      place = from.in + q / second * in.placed.first_stride + q % second * in.placed.stride;
    }
    const std::size_t i = from.in_index + q * in.placed.step;
    add_element(result, in, place, i);
    add_last_bin(result, of, in, place, q % second, i);
  }
  return result;
}

/// Returns the places that a butterfly writes.
inline places written_by(const pass& of, const butterfly& from) {
  places result;
  const walked_side out = output_of(of);
  const std::size_t first = of.shape().first, second = of.shape().second;
  const bool is_line = of.shape().makes == body::line;
  for (std::size_t k = 0; k < of.shape().length; ++k) {
    std::size_t place = from.out + k * out.placed.stride;
    const std::size_t k1 = is_line ? k % first : k / second;
    const std::size_t k2 = is_line ? k / first : k % second;
    if (is_of_two_steps(of)) {
      place = from.out + k1 * out.placed.first_stride + k2 * out.placed.stride;
    }
    const std::size_t i = from.out_index + k * out.placed.step;
    add_element(result, out, place, i);
    add_last_bin(result, of, out, place, k2, i);
  }
  return result;
}

/// Returns the reals of a request's side.
inline places places_of(const side& of) {
  places units{0};
  for (const side_axis& axis : of.axes) units[0] -= axis.origin * axis.stride;  // modulo 2^64
  const auto widen = [&](std::size_t first, std::size_t end, std::size_t stride) {
    places longer;
    for (const std::size_t at : units) {
      for (std::size_t i = first; i < end; ++i) longer.push_back(at + i * stride);
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
