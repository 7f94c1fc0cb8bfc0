// SPDX-License-Identifier: Apache-2.0
// The elements that a planned pass reads and writes, by the formulas of device/grid and
// device/cluster: places count reals as they are stored, so that every layout compares.
#pragma once

#include <algorithm>  // min
#include <vector>

#include "planner/pass.hpp"  // pass, pass_side

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

inline walked_side input_of(const pass& planned) {
  return {planned.in, planned.numbers.in, planned.shape().source};
}
inline walked_side output_of(const pass& planned) {
  return {planned.out, planned.numbers.out, planned.shape().sink};
}

/// Adds a complex element at `at`, index i of its axis, if it is in memory.
inline void add_element(places& result, const walked_side& side, std::size_t offset,
                        std::size_t i) {
  const auto is_valid = [&](std::size_t index) {
    return !side.placed.is_limited ||
           (index >= side.placed.valid_begin && index < side.placed.valid_end);
  };
  const bool has_parts = side.stored.has_parts;
  const bool is_cut = side.placed.is_pairs && has_parts;  // a pair of which one may be outside
  const std::size_t re = has_parts ? offset : 2 * offset;
  const std::size_t im = has_parts ? offset + side.stored.parts_distance : 2 * offset + 1;
  if (is_valid(is_cut ? 2 * i : i)) result.push_back(re);
  if (is_valid(is_cut ? 2 * i + 1 : i)) result.push_back(im);
}

/// Returns every butterfly of a pass.
inline std::vector<butterfly> butterflies_of(const pass& planned) {
  const planner::pass_numbers& numbers = planned.numbers;
  const planner::tile_shape& shape = planned.shape();
  std::vector<butterfly> result;
  for (std::size_t r = 0; r < planned.rows; ++r) {
    result.push_back({numbers.depth == 0 ? r / shape.lanes : r,
                      numbers.in.base + r * numbers.in.distance,
                      numbers.out.base + r * numbers.out.distance, 0, 0});
  }
  for (std::size_t l = numbers.depth; l-- > 0;) {
    const planner::loop& each = numbers.loops[l];
    const bool is_lane = l < (numbers.is_flat ? 2U : 1U);
    std::vector<butterfly> longer;
    for (const butterfly& outer : result) {
      for (std::size_t i = 0; i < each.count; ++i) {
        butterfly inner = outer;
        const std::size_t mirrored = std::min(i, each.count - i) % (each.count / 2 + (i == 0));
        const std::size_t shared = shape.mirrored ? mirrored / (shape.lanes / 2) : i / shape.lanes;
        if (numbers.is_flat && is_lane) {
          // Of the second loop the index alone, of the first their common number.
          inner.lane = l == 1 ? i : inner.lane * each.count + i;
          if (l == 0) inner.tile = inner.tile * numbers.lane_count() + inner.lane / shape.lanes;
        } else {
          inner.tile = inner.tile * each.count + (is_lane ? shared : i);
        }
        inner.in += i * each.in;
        inner.out += i * each.out;
        if (each.role == loop_role::groups) inner.in_index = i;
        if (each.role == loop_role::prior) inner.out_index = i;
        longer.push_back(inner);
      }
    }
    result = longer;
  }
  return result;
}

/// Adds the bin behind a row's others, if bin 0 of it lies at `at`.
inline void add_last_bin(places& result, const pass& planned, const walked_side& side,
                         std::size_t offset, std::size_t of_first, std::size_t i) {
  if (side.holds != row::half_spectrum) return;
  if (planned.shape().makes == body::plane) {
    const std::size_t second = planned.shape().second;
    if (of_first == 0) add_element(result, side, offset + second * side.placed.stride, second);
  } else if (i == 0) {
    const std::size_t total = planned.numbers.total;
    add_element(result, side, offset + total * side.placed.unit, total);
  }
}

inline bool is_of_two_steps(const pass& planned) {
  return planned.shape().makes == body::line || planned.shape().makes == body::plane;
}

/// Returns the places that a butterfly reads.
inline places read_by(const pass& planned, const butterfly& reader) {
  places result;
  const walked_side in = input_of(planned);
  const std::size_t second = planned.shape().second;
  for (std::size_t q = 0; q < planned.shape().elements(); ++q) {
    std::size_t place = reader.in + q * in.placed.stride;
    if (is_of_two_steps(planned)) {
      place = reader.in + q / second * in.placed.first_stride + q % second * in.placed.stride;
    }
    const std::size_t i = reader.in_index + q * in.placed.step;
    add_element(result, in, place, i);
    add_last_bin(result, planned, in, place, q % second, i);
  }
  return result;
}

/// Returns the places that a butterfly writes.
inline places written_by(const pass& planned, const butterfly& writer) {
  places result;
  const walked_side out = output_of(planned);
  const std::size_t first = planned.shape().first, second = planned.shape().second;
  const bool is_line = planned.shape().makes == body::line;
  for (std::size_t k = 0; k < planned.shape().elements(); ++k) {
    std::size_t place = writer.out + k * out.placed.stride;
    const std::size_t k1 = is_line ? k % first : k / second;
    const std::size_t k2 = is_line ? k / first : k % second;
    if (is_of_two_steps(planned)) {
      place = writer.out + k1 * out.placed.first_stride + k2 * out.placed.stride;
    }
    const std::size_t i = writer.out_index + k * out.placed.step;
    add_element(result, out, place, i);
    add_last_bin(result, planned, out, place, k2, i);
  }
  return result;
}

}  // namespace wingbeat::test
