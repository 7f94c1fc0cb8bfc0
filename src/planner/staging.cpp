// SPDX-License-Identifier: Apache-2.0
#include "planner/staging.hpp"

#include <algorithm>  // max

#include "wingbeat/device/index.hpp"  // is_power_of_two

namespace wingbeat::planner {
namespace {

/// Sends columns through local memory if their outputs lie along the butterfly, so that
/// neighbouring threads store neighbours. On a GPU the last exchange does it; a CPU's threads are
/// numbered by row and column and stage them.
void stage_columns(tile_shape& shape, bool is_along) {
  is_along = is_along && shape.sink == row::complex_row && shape.points == 0;
  shape.along_out = is_along && shape.bank_bytes != 0 && !shape.is_convolution() &&
                    shape.length > shape.elements_per_thread;
  // A thread that reduces takes elements of one lane only.
  shape.stage_out =
      is_along && !shape.along_out && !shape.is_in_place() && shape.partial_bytes == 0;
  shape.half_trade &= !shape.stage_out;
}

/// Returns whether rows of one side lie one behind another, `distance` apart, and more than half of
/// their elements are in memory.
bool are_rows_dense(const device::grid::side& side, const tile_shape& shape, row holds,
                    std::size_t distance) {
  const std::size_t elements = shape.elements() + (holds == row::half_spectrum ? 1 : 0);
  const std::size_t kept = side.is_limited ? side.valid_end - side.valid_begin : elements;
  return side.stride == 1 && distance <= elements + 1 && 2 * kept > elements;
}

/// Decides which sides of rows are staged. A side whose request has a functor is not staged in any
/// pass, unless functors are dense.
void stage_sides(pass& result, const request::resolved_spec& request,
                 const gathered_sides& gathered) {
  const plan_spec& spec = request.spec;
  const pass_numbers& numbers = result.numbers;
  tile_shape& shape = result.numbers.shape;
  const bool has_loops = numbers.depth > 0;
  const std::size_t lane_in = has_loops ? numbers.loops[0].in : numbers.in.distance;
  const std::size_t lane_out = has_loops ? numbers.loops[0].out : numbers.out.distance;
  if (shape.makes == body::halved_rader || shape.makes == body::real_rader) return;
  if (shape.makes == body::rader && shape.stage_in) {  // rows in Rader's order
    // Staged in any order, through local memory with a layout of its own.
    shape.stage_in = numbers.in.stride == 1 && !spec.load.is_given();
    shape.stage_out = numbers.out.stride == 1 && !spec.store.is_given();
    shape.lanes_across &= shape.stage_in && shape.stage_out;
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
    const bool may_stage_in = !spec.load.is_given() || request.are_functors_dense;
    const bool may_stage_out = !spec.store.is_given() || request.are_functors_dense;
    shape.stage_in &= (dense_in && may_stage_in) || gathered.in;
    shape.stage_out &= (dense_out && may_stage_out) || gathered.out;
  }
}

/// Returns whether a store functor may keep the elements of a pass: whole real rows of one
/// workgroup.
bool is_kept_row(const pass& planned) {
  const tile_shape& shape = planned.shape();
  const bool is_row = shape.makes == body::real_row || shape.makes == body::transform;
  const std::size_t next = planned.out.rows.taken == device::ends::reals::one_by_one ? 2 : 1;
  return is_row && planned.is_whole() && planned.numbers.out.stride == next && !shape.mirrored &&
         shape.sink == row::complex_row && planned.numbers.depth > 0 && planned.out.fused->is_real;
}

/// Returns whether a GPU's workgroup may have twice the threads, each with half the elements.
bool may_halve_elements(const tile_shape& shape) {
  constexpr unsigned most_threads = 512;
  return shape.bank_bytes != 0 && device::is_power_of_two(shape.length) &&
         shape.elements_per_thread > 8 && 2 * shape.threads() <= most_threads;
}

/// Keeps the first members of the kept state in registers if local memory has no room for all rows
/// of a tile. Threads then have fewer elements and, if the workgroup is too large, a tile fewer
/// rows. wanted: the shape with the lanes before they were halved. Registers:
/// bench/lessons/convolution.md#searches.
void hold(tile_shape& shape, tile_shape wanted, unsigned parts) {
  constexpr unsigned most_threads = 512, registers = 65536 / most_threads;
  constexpr unsigned of_body = 32, of_element = 4;  // registers of a thread without the state
  const unsigned held_bytes = wanted.kept_bytes / parts / 8 * 8;
  if (shape.lanes == wanted.lanes || held_bytes == 0 || wanted.element_bytes != 8) return;
  if (!device::is_power_of_two(wanted.length)) return;
  const auto takes = [&](unsigned elements) {
    return of_body + of_element * elements + elements * parts * held_bytes / 4;
  };
  wanted.half_trade = false;
  wanted.held_bytes = held_bytes;
  wanted.kept_bytes -= parts * held_bytes;
  while (wanted.elements_per_thread > 4 && takes(wanted.elements_per_thread) > registers) {
    wanted.elements_per_thread /= 2;
  }
  while (wanted.lanes > 1 && wanted.threads() > most_threads) wanted.lanes /= 2;
  if (takes(wanted.elements_per_thread) <= registers && wanted.lanes == shape.lanes) shape = wanted;
}

/// Stages whole rows on their way out, if local memory has room. They overlay the exchange's memory
/// where two workgroups would not fit together, or where it then fits whole numbers, whose
/// exchanges take half of the barriers.
void gather(pass& result, const placement& position) {
  const device_info& device = position.device;
  const pass_numbers& numbers = result.numbers;
  tile_shape wider = numbers.shape;
  if (wider.stage_out || wider.is_cluster() || wider.lanes_across || wider.is_convolution()) return;
  if (numbers.prior != 1 || numbers.total != wider.length || wider.is_in_place()) return;
  if (wider.sink == row::half_spectrum && wider.makes != body::real_row) return;
  wider.stage_out = true;
  if (wider.makes != body::real_row) wider.half_trade = false;
  if (wider.makes == body::real_row) {
    tile_shape whole = wider;
    whole.half_trade = false;
    whole.overlaid = true;
    const bool is_long = whole.length * whole.element_bytes >= position.rules.min_long_bins;
    const bool is_smaller =
        is_long && wider.half_trade && whole.scratch_bytes() <= wider.scratch_bytes();
    wider.overlaid = 2 * wider.scratch_bytes() > device.local_memory_bytes;
    if (is_smaller) wider = whole;
  }
  if (wider.scratch_bytes() > device.local_memory_bytes) return;
  result.numbers.shape = wider;
  if (result.resident * wider.scratch_bytes() > device.local_memory_bytes) result.resident = 0;
}

/// Gives threads more elements of many lines of reals, whose transforms then take fewer
/// instructions: see `placement_rules::elements_of_lines`.
void take_more_elements(pass& result, const placement& position) {
  tile_shape shape = result.shape();
  const tuning::placement_rules& rules = position.rules;
  const bool is_row = !shape.is_cluster() && !shape.lanes_across && !shape.is_convolution();
  if (!is_row || shape.bank_bytes == 0 || shape.element_bytes != 8) return;
  if (!device::is_power_of_two(shape.length)) return;
  if (result.workgroups() < rules.workgroups_of_many_lines * position.device.compute_units) return;
  const bool has_pairs = shape.makes == body::real_row;
  if (!has_pairs && shape.length == rules.points_of_one_thread) {
    shape.elements_per_thread = rules.points_of_one_thread;
    shape.lanes = rules.rows_of_single_threads;
    result.numbers.shape = shape;
    result.resident = 0;
    return;
  }
  const bool has_bins = shape.source == row::half_spectrum;
  const bool is_bound_by_memory = has_pairs && !has_bins && !position.request.is_extended;
  if (is_bound_by_memory ||
      shape.length < (has_pairs ? rules.shortest_pairs : rules.shortest_complex))
    return;
  while (shape.elements_per_thread < rules.elements_of_lines) shape.elements_per_thread *= 2;
  if (has_bins && shape.threads() > rules.max_threads_of_bins && shape.elements_per_thread < 32)
    shape.elements_per_thread *= 2;
  if (shape.elements_per_thread == result.shape().elements_per_thread) return;
  result.numbers.shape = shape;
  result.resident = 0;  // measured for more threads
}

/// Exchanges whole numbers of lines of reals, which takes half of the barriers, if local memory
/// holds as many threads then.
void exchange_whole(pass& result, const placement& position) {
  tile_shape whole = result.shape();
  if (!whole.half_trade || whole.makes != body::real_row || whole.bank_bytes == 0) return;
  whole.half_trade = false;
  const std::size_t workgroups =
      std::max<std::size_t>(position.rules.threads_of_lines / whole.threads(), 1);
  if (workgroups * whole.scratch_bytes() <= position.device.local_memory_bytes)
    result.numbers.shape = whole;
}

/// Returns whether prefetching these lines of reals is faster.
bool is_prefetched_line(const tile_shape& shape, const tuning::placement_rules& rules) {
  const std::size_t bytes = shape.length * shape.element_bytes;
  if (shape.source != row::half_spectrum) return bytes >= rules.least_line_bytes;
  return (bytes >= rules.least_line_bytes && bytes <= rules.max_short_bins) ||
         bytes >= rules.min_long_bins;
}

/// Returns the number of elements in a butterfly's input if they are contiguous, otherwise 0.
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
  const bool is_row = wider.makes == body::real_row && wider.bank_bytes != 0 && !wider.lanes_across;
  // Functors take packed rows, or transforms that alternate: see `fused_numbers`.
  const plan_spec& spec = position.request.spec;
  // Reals of a pair that are taken one by one lie two apart even if contiguous.
  const auto is_apart = [](const device::grid::side& side, const pass_side& stored) {
    return side.stride > (side.is_pairs && stored.has_parts ? 2U : 1U);
  };
  const gathered_sides gathered{
      .in = is_row && lanes.in == 1 && is_apart(numbers.in, result.in),
      .out = is_row && lanes.out == 1 && is_apart(numbers.out, result.out)};
  if (!gathered.in && !gathered.out) return {};
  // Functors at both ends load and store reals one by one.
  const bool are_single = spec.load.is_given() && spec.store.is_given();
  const unsigned bytes = wider.element_bytes / (are_single ? 2 : 1);
  const auto least = static_cast<unsigned>(position.rules.sector_bytes / bytes);
  wider.lanes = std::max(wider.lanes, least);
  wider.stage_in = gathered.in;
  wider.stage_out = gathered.out;
  if (!gathered.in && numbers.in.is_limited && !spec.load.is_given() && !spec.store.is_given()) {
    // Memory has only part of each row: threads of neighbouring rows store neighbours.
    wider.lanes_across = true;
    wider.stage_out = wider.half_trade = false;
  }
  while (wider.lanes > result.shape().lanes &&
         (wider.scratch_bytes() > position.device.local_memory_bytes ||
          wider.threads() > position.device.max_workgroup)) {
    wider.lanes /= 2;
  }
  if (wider.scratch_bytes() > position.device.local_memory_bytes) return {};
  result.resident = 0;  // measured for fewer threads
  result.fraction = 0;
  result.numbers.shape = wider;
  return gathered;
}

void stage(pass& result, const placement& position, const gathered_sides& gathered) {
  if (position.request.are_functors_dense) take_more_elements(result, position);
  stage_sides(result, position.request, gathered);
  if (position.request.is_gathered) gather(result, position);
  if (position.request.are_functors_dense) exchange_whole(result, position);
  if (result.numbers.separates_rows()) {
    result.numbers.shape.stage_out = true;
    result.numbers.shape.half_trade = false;
  }
  // If all tiles are known to be full, a GPU's compiler loads all elements early. That is faster
  // while registers suffice, and for functors, whose arithmetic would otherwise wait for each load.
  const tile_shape& shape = result.shape();
  const bool has_registers = shape.lanes == 1 && !shape.has_half_spectrum();
  const bool is_early =
      shape.bank_bytes == 0 || has_registers || position.request.are_functors_dense;
  result.numbers.is_full = is_early && result.lane_count() % shape.lanes == 0;
}

void keep(pass& result, const placement& position, const gathered_sides& gathered) {
  const fused_store& store = position.request.spec.store;
  const device_info& device = position.device;
  // PoCL 3.1 overflows its stack when it compiles such a loop over longer rows.
  if (store.kept_bytes == 0 || result.shape().bank_bytes == 0) return;
  if (!result.out.fused || !is_kept_row(result)) return;
  // Also for one row, because kept results have the same bits however many rows a run takes.
  if (result.numbers.tiles_per_row() < device.compute_units) return;
  const device::grid::side& out = result.numbers.out;
  const unsigned parts = result.out.rows.taken == device::ends::reals::unpaired ? 1 : 2;
  tile_shape shape = result.shape();
  const std::size_t reals = out.is_limited ? out.valid_end : shape.elements() * parts;
  shape.kept = static_cast<unsigned>((reals + parts - 1) / parts);
  shape.kept_bytes = static_cast<unsigned>(parts * store.kept_bytes);
  shape.stage_out = shape.along_out = false;
  if (gathered.in) {
    // Threads of neighbouring rows load neighbours.
    shape.lanes_across = true;
    shape.stage_in = false;
  }
  const std::size_t room = device.local_memory_bytes;
  const tile_shape wanted = shape;
  while (shape.lanes > 1 && shape.scratch_bytes() > room) shape.lanes /= 2;
  tile_shape whole = shape;
  whole.half_trade = false;
  if (whole.scratch_bytes() <= room) shape = whole;
  while (2 * shape.scratch_bytes() > room && may_halve_elements(shape)) {
    shape.elements_per_thread /= 2;
  }
  hold(shape, wanted, parts);
  if (shape.scratch_bytes() > room) return;
  // A single row waits for memory, which a second workgroup hides. For several rows, more registers
  // were faster than more workgroups.
  tile_shape smaller = shape;
  smaller.half_trade = wanted.half_trade;
  const bool are_two = result.rows == 1 && shape.held_bytes == 0 && wanted.half_trade &&
                       2 * smaller.scratch_bytes() <= room;
  if (are_two) shape = smaller;
  result.numbers.shape = shape;
  const loop& lanes = result.numbers.loops[0];
  if (device.has_bulk_prefetch && lanes.block > 0 && lanes.block % shape.lanes == 0 &&
      lanes.block_in == lanes.block * (result.numbers.total + 1)) {
    result.numbers.prefetch_elements = lanes.block_in;  // of the next row
  }
  result.resident = are_two ? 2 : 1;
  result.fraction = 0;
  result.out.fused->keeps = true;
  result.out.fused->moved_bytes = store.kept_moved_bytes;
}

void prefetch(pass& result, std::size_t ahead_bytes, const placement& position) {
  const auto& load = result.in.fused;
  const bool are_lines = load && position.request.are_functors_dense &&
                         position.device.has_bulk_prefetch &&
                         is_prefetched_line(result.shape(), position.rules);
  if (are_lines) ahead_bytes = std::max(ahead_bytes, position.rules.line_prefetch_bytes);
  if (ahead_bytes == 0) return;
  // A functor's buffer with an element for each value is assumed to be read in order.
  const std::size_t each =
      load ? load->bytes_of_complex(result.in.rows.taken) : 2 * result.in.real_bytes();
  const std::size_t n_rows = position.request.spec.batch;
  const bool reads_in_order =
      !load || are_lines || load->buffer_bytes == n_rows * result.in.rows.length * each;
  const std::size_t elements = reads_in_order ? dense_input_elements(result.numbers) : 0;
  if (elements == 0) return;
  const std::size_t tile_bytes = elements * result.shape().lanes * each;
  result.numbers.prefetch_elements = elements;
  result.numbers.prefetch_tiles =
      static_cast<unsigned>(std::max<std::size_t>(ahead_bytes / tile_bytes, 1));
}

}  // namespace wingbeat::planner
