// SPDX-License-Identifier: Apache-2.0
#include "planner/staging.hpp"

#include <algorithm>  // max

namespace wingbeat::planner {
namespace {

/// Through local memory, so that neighbouring threads store neighbours: columns whose outputs lie
/// along the butterfly. A GPU's threads take them at the transform's first exchange; a CPU's are
/// numbered by row and column, and stage them.
void stage_columns(tile_shape& shape, bool is_along) {
  is_along = is_along && shape.sink == row::complex_row && shape.points == 0;
  shape.along_out = is_along && shape.bank_bytes != 0 && !shape.is_convolution() &&
                    shape.length > shape.elements_per_thread;
  // A thread that reduces has elements of one lane alone.
  shape.stage_out =
      is_along && !shape.along_out && !shape.is_in_place() && shape.partial_bytes == 0;
  shape.half_trade &= !shape.stage_out;
}

/// Returns whether rows of one side lie one behind another, `distance` apart.
bool are_rows_dense(const device::grid::side& side, const tile_shape& shape, row holds,
                    std::size_t distance) {
  const std::size_t elements = shape.elements() + (holds == row::half_spectrum ? 1 : 0);
  return side.stride == 1 && distance <= elements + 1 && !side.is_limited && !side.is_hermitian;
}

/// A plan with a load stages no rows to be read, one with a store none to be written, in any of its
/// passes.
void stage_sides(pass& result, const plan_spec& spec, const gathered_sides& gathered) {
  const pass_numbers& numbers = result.numbers;
  tile_shape& shape = result.numbers.shape;
  const bool has_loops = numbers.depth > 0;
  const std::size_t lane_in = has_loops ? numbers.loops[0].in : numbers.in.distance;
  const std::size_t lane_out = has_loops ? numbers.loops[0].out : numbers.out.distance;
  if (shape.makes == body::rader && !shape.lanes_across) {
    // In no order, through local memory of its own layout.
    shape.stage_in = numbers.in.stride == 1 && !spec.load.is_given();
    shape.stage_out = numbers.out.stride == 1 && !spec.store.is_given();
    return;
  }
  if (shape.is_in_place()) shape.stage_in = shape.stage_out = false;
  if (shape.is_cluster()) {
    shape.along_out = shape.lanes_across && numbers.out.first_stride < lane_out;
  } else if (shape.lanes_across) {
    stage_columns(shape, numbers.out.stride < lane_out);
  } else {
    const std::size_t next_in = numbers.in.second > 0 ? numbers.in.second : lane_in;
    const bool dense_in = are_rows_dense(numbers.in, shape, shape.source, next_in);
    const bool dense_out = are_rows_dense(numbers.out, shape, shape.sink, lane_out);
    shape.stage_in &= (dense_in && !spec.load.is_given()) || gathered.in;
    shape.stage_out &= (dense_out && !spec.store.is_given()) || gathered.out;
  }
}

/// Returns the elements of a butterfly's input if they lie one behind another, or 0.
std::size_t dense_input_elements(const pass_numbers& numbers) {
  const device::grid::side& in = numbers.in;
  const tile_shape& shape = numbers.shape;
  const std::size_t end = shape.source == row::half_spectrum ? 1 : 0;
  if (in.stride != 1 || in.is_limited || in.is_hermitian || shape.mirrored) return 0;
  if (in.second > 0) return 0;
  if (!shape.is_cluster()) return shape.elements() + end;
  if (shape.makes == body::plane) {
    return in.first_stride == shape.second + end ? shape.first * in.first_stride : 0;
  }
  return in.first_stride == shape.second ? shape.length + end : 0;
}

}  // namespace

gathered_sides gather_rows(pass& result, const arrays::dimension& lanes,
                           const placement& position) {
  const pass_numbers& numbers = result.numbers;
  tile_shape wider = result.shape();
  const bool is_row = wider.makes == body::real_row && wider.bank_bytes != 0;
  // Functors number packed rows, or transforms that alternate: see `functor_rows`.
  const plan_spec& spec = position.request.spec;
  const gathered_sides gathered{.in = is_row && lanes.in == 1 && numbers.in.stride > 1,
                                .out = is_row && lanes.out == 1 && numbers.out.stride > 1};
  if (!gathered.in && !gathered.out) return {};
  // Functors at both ends load and store reals one by one.
  const bool are_single = spec.load.is_given() && spec.store.is_given();
  const unsigned bytes = wider.element_bytes / (are_single ? 2 : 1);
  const auto least = static_cast<unsigned>(position.rules.sector_bytes / bytes);
  wider.lanes = std::max(wider.lanes, least);
  wider.stage_in = gathered.in;
  wider.stage_out = gathered.out;
  while (wider.lanes > result.shape().lanes &&
         (wider.scratch_bytes() > position.device.local_memory_bytes ||
          wider.threads() > position.device.max_workgroup)) {
    wider.lanes /= 2;
  }
  if (wider.scratch_bytes() > position.device.local_memory_bytes) return {};
  result.resident = 0;  // was measured for fewer threads
  result.fraction = 0;
  result.numbers.shape = wider;
  return gathered;
}

void stage(pass& result, const plan_spec& spec, const gathered_sides& gathered) {
  stage_sides(result, spec, gathered);
  if (result.numbers.separates_rows()) {
    result.numbers.shape.stage_out = true;
    result.numbers.shape.half_trade = false;
  }
  // Of tiles known to be full, a GPU's compiler loads all elements early, which pays where
  // registers suffice.
  const tile_shape& shape = result.shape();
  const bool has_registers =
      shape.bank_bytes == 0 || (shape.lanes == 1 && !shape.has_half_spectrum());
  result.numbers.is_full = has_registers && result.lane_count() % shape.lanes == 0;
}

void prefetch(pass& result, std::size_t ahead_bytes, std::size_t n_rows) {
  if (ahead_bytes == 0) return;
  const auto& load = result.in.fused;
  // A functor's buffer that has an element for each value is taken to be read in order.
  const std::size_t each =
      load ? load->bytes_of_complex(result.in.rows.taken) : 2 * result.in.real_bytes();
  const bool reads_in_order =
      !load || load->buffer_bytes == n_rows * result.in.rows.elements * each;
  const std::size_t elements = reads_in_order ? dense_input_elements(result.numbers) : 0;
  if (elements == 0) return;
  const std::size_t tile_bytes = elements * result.shape().lanes * each;
  result.numbers.prefetch_elements = elements;
  result.numbers.prefetch_tiles =
      static_cast<unsigned>(std::max<std::size_t>(ahead_bytes / tile_bytes, 1));
}

}  // namespace wingbeat::planner
