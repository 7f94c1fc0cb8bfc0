// SPDX-License-Identifier: Apache-2.0
#include "programs/convolved_rows.hpp"

#include <stdexcept>  // logic_error
#include <utility>    // move
#include <vector>

#include "planner/convolved_pieces.hpp"  // convolution_of, cut_convolution_of
#include "programs/planned_pieces.hpp"   // planned_piece, program_of

namespace wingbeat::programs {
namespace {

using planner::axis_request;
using planner::body;
using planner::piece;

/// Throws where rows cannot be convolved as a request says: a mistake of the caller.
void require_rows(const plan_spec& spec, const spectrum_array* filter) {
  if (spec.lengths.size() != 1 || spec.kind != transform::forward) {
    throw std::logic_error("convolutions take forward transforms of one axis");
  }
  if (filter == nullptr) return;
  if (filter->distances.size() != spec.batch.counts().size()) {
    throw std::logic_error("spectra have one distance for each dimension of the batch");
  }
  const bool is_wide = spec.real == precision::fp64;
  if ((filter->stored == precision::fp64) != is_wide) {
    throw std::logic_error("spectra of fp64 meet rows of fp64 alone");
  }
}

axis_request row_of(const plan_spec& spec) {
  axis_request axis;
  axis.total = spec.lengths.front();
  axis.stored = spec.real;
  return axis;
}

std::optional<piece> row_of(const plan_spec& spec, const device_info& device,
                            const tuning::architecture& data) {
  return convolution_of(row_of(spec), data, device);
}

/// Returns the piece of a cluster; nothing where a workgroup takes rows, or no cluster does.
std::optional<piece> cluster_row_of(const plan_spec& spec, const device_info& device) {
  const tuning::architecture& data = tuning::for_device(device);
  if (device.max_cluster == 1 || row_of(spec, device, data)) return std::nullopt;
  axis_request axis = row_of(spec);
  axis.transforms = spec.batch;
  return planner::cluster_convolution_of(axis, data, device);
}

/// Returns the one pass that makes rows of a request by a piece whose spectra stay where threads
/// have them.
program program_by(const piece& row, const request::resolved_spec& request,
                   const spectrum_array* filter, const device_info& device,
                   const tuning::architecture& data) {
  return program_of(request, {request, false}, {{row}}, filter, device, data);
}

/// Returns pieces of the one axis of a request, in order.
std::vector<planned_piece> pieces_in_order(const std::vector<piece>& pieces) {
  std::vector<planned_piece> planned;
  for (const piece& each : pieces) {
    planned.push_back({each, 0, &each == &pieces.front(), &each == &pieces.back()});
  }
  return planned;
}

/// Returns the pieces of rows that are cut; none where a workgroup takes them, or nothing does.
std::vector<piece> cut_of(const plan_spec& spec, const device_info& device) {
  const tuning::architecture& data = tuning::for_device(device);
  if (row_of(spec, device, data)) return {};
  axis_request axis = row_of(spec);
  axis.transforms = spec.batch;
  return planner::cut_convolution_of(axis, data, device);
}

/// Returns the three passes that convolve rows, or without `filter` the two that make spectra.
std::optional<program> cut_program(const request::resolved_spec& request,
                                   const spectrum_array* filter, const device_info& device) {
  require_rows(request.spec, filter);
  std::vector<piece> pieces = cut_of(request.spec, device);
  if (pieces.empty()) return std::nullopt;
  if (filter == nullptr) {
    pieces.pop_back();
    pieces.back().shape.makes = body::transform;
  }
  return program_of(request, {request, false}, pieces_in_order(pieces), filter, device,
                    tuning::for_device(device));
}

/// Returns the one pass of rows that a workgroup takes; nothing where none does.
std::optional<program> one_pass(const request::resolved_spec& request, body makes,
                                std::size_t turns, const spectrum_array* filter,
                                const device_info& device, const tuning::architecture& data) {
  require_rows(request.spec, filter);
  auto row = row_of(request.spec, device, data);
  if (!row) return std::nullopt;
  row->shape.makes = makes;
  row->turns = turns;
  return program_by(*row, request, filter, device, data);
}

/// The bytes of a row, of which a workgroup that correlates holds three in registers, two rows and
/// a sum: 3/4 of those of a multiprocessor. And what a thread holds of each.
constexpr std::size_t max_correlated_bytes = std::size_t{1} << 16;
constexpr std::size_t max_correlated_thread_bytes = 128;

/// Lets a piece that convolves rows correlate them; returns false where they are too long.
bool correlates(piece& row, const device_info& device) {
  planner::tile_shape& shape = row.shape;
  if (shape.length * shape.lanes * shape.element_bytes > max_correlated_bytes) return false;
  shape.makes = body::correlate;
  row.resident = 0;
  row.fraction = 0;
  while (shape.elements_per_thread * shape.element_bytes > max_correlated_thread_bytes &&
         shape.is_in_place() && 2 * shape.threads() <= device.max_workgroup) {
    shape.elements_per_thread /= 2;
  }
  return true;
}

/// Returns the three passes that sum correlations of rows that are cut: columns of all rows, rows
/// of both whose correlations are summed, columns back.
std::optional<program> cut_correlations_of(const backend::correlation_of_rows& step,
                                           const device_info& device) {
  const tuning::architecture& data = tuning::for_device(device);
  const plan_spec& rows = step.rows;
  const std::size_t points = rows.lengths.front(), terms = 2 * step.terms;
  plan_spec columns = rows, back = rows;
  columns.batch = {rows.batch, terms};
  columns.scale = scaling::none;
  columns.factor = 1;
  columns.store = {};
  columns.valid_out = {};
  back.load = {};
  back.valid_in = {};
  back.in = {.strides = {1}, .distances = {terms * points}};
  auto pieces = cut_of(columns, device);
  if (pieces.empty() || !correlates(pieces[1], device)) return std::nullopt;
  const request::resolved_spec both{columns}, sums{back};
  program result;
  result.add(program_of(both, {both, false}, {{pieces[0]}}, nullptr, device, data),
             {place::input, place::between_a});
  result.reserve(place::between_a, both.out.bytes());
  program rest = program_of(sums, {sums, false}, pieces_in_order({pieces[1], pieces[2]}), nullptr,
                            device, data);
  pass& correlating = std::get<pass>(rest.steps.front().operation);
  correlating.numbers.terms = step.terms;
  correlating.numbers.term_distance = points;
  result.add(rest, {place::between_a, place::output});
  return result;
}

}  // namespace

bool can_convolve(const plan_spec& spec, const device_info& device) {
  return row_of(spec, device, tuning::for_device(device)).has_value();
}

bool can_convolve_in_cluster(const plan_spec& spec, const device_info& device) {
  return cluster_row_of(spec, device).has_value();
}

bool can_convolve_cut(const plan_spec& spec, const device_info& device) {
  return !cut_of(spec, device).empty();
}

std::size_t length_of_cut(std::size_t least, const plan_spec& spec, const device_info& device) {
  return planner::length_to_convolve(least, row_of(spec), tuning::for_device(device), device);
}

std::optional<program> program_of_rows(const backend::spectra_of_rows& step,
                                       const device_info& device) {
  if (step.is_cut) return cut_program(step.rows, nullptr, device);
  return one_pass(step.rows, body::transform, step.turns, nullptr, device,
                  tuning::for_device(device));
}

std::optional<program> program_of_rows(const backend::convolution_of_rows& step,
                                       const device_info& device) {
  return program_of_rows(step, device, tuning::for_device(device));
}

std::optional<program> program_of_rows(const backend::convolution_of_rows& step,
                                       const device_info& device,
                                       const tuning::architecture& data) {
  if (step.is_cut) return cut_program(step.rows, &step.spectra, device);
  if (step.is_long) {
    if (const auto row = cluster_row_of(step.rows, device)) {
      require_rows(step.rows, &step.spectra);
      return program_by(*row, step.rows, &step.spectra, device, data);
    }
  }
  auto result = one_pass(step.rows, body::convolve, step.turns, &step.spectra, device, data);
  if (!result) return result;
  std::get<pass>(result->steps.back().operation).numbers.prefetches_filter = step.is_long;
  return result;
}

std::optional<program> program_of_rows(const backend::correlation_of_rows& step,
                                       const device_info& device) {
  if (step.is_cut) return cut_correlations_of(step, device);
  const tuning::architecture& data = tuning::for_device(device);
  const request::resolved_spec request{step.rows};
  require_rows(request.spec, nullptr);
  auto row = row_of(request.spec, device, data);
  if (!row || !correlates(*row, device)) return std::nullopt;
  row->turns = step.turns;
  program result = program_by(*row, request, nullptr, device, data);
  pass& launch = std::get<pass>(result.steps.back().operation);
  launch.numbers.terms = step.terms;
  launch.numbers.term_distance = launch.in.rows.elements;
  launch.numbers.in.distance = 2 * step.terms * launch.in.rows.elements;
  return result;
}

}  // namespace wingbeat::programs
