// SPDX-License-Identifier: Apache-2.0
#include "programs/convolved_rows.hpp"

#include <stdexcept>  // logic_error
#include <vector>

#include "planner/convolved_pieces.hpp"  // convolution_of, cut_convolution_of
#include "programs/planned_pieces.hpp"   // planned_piece, program_of

namespace wingbeat::programs {
namespace {

using planner::axis_request;
using planner::body;
using planner::piece;

/// Throws `logic_error` if a request's rows cannot be convolved, because the caller must not ask.
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

/// Returns the one pass that runs a request's rows by `row`, whose spectra stay where threads hold
/// them.
program program_by(const piece& row, const request::resolved_spec& request,
                   const spectrum_array* filter, const device_info& device,
                   const tuning::architecture& data) {
  return program_of(request, {request, false}, {{row}}, filter, device, data);
}

/// Returns the pieces of a one-axis request as planned pieces, in order.
std::vector<planned_piece> pieces_in_order(const std::vector<piece>& pieces) {
  std::vector<planned_piece> planned;
  for (const piece& each : pieces) {
    planned.push_back({each, 0, &each == &pieces.front(), &each == &pieces.back()});
  }
  return planned;
}

/// Returns the pieces of rows too long for a workgroup; none if a workgroup takes them, or if no
/// cut fits.
std::vector<piece> cut_of(const plan_spec& spec, const device_info& device) {
  const tuning::architecture& data = tuning::for_device(device);
  if (row_of(spec, device, data)) return {};
  axis_request axis = row_of(spec);
  axis.transforms = spec.batch;
  return planner::cut_convolution_of(axis, data, device);
}

/// Returns the three passes that convolve rows or, without `filter`, the two that make spectra.
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

/// Returns the one pass of rows that fit a workgroup; nothing if they do not.
std::optional<program> one_pass(const request::resolved_spec& request, body makes,
                                std::size_t n_turns, const spectrum_array* filter,
                                const device_info& device, const tuning::architecture& data) {
  require_rows(request.spec, filter);
  auto row = row_of(request.spec, device, data);
  if (!row) return std::nullopt;
  row->shape.makes = makes;
  row->n_turns = n_turns;
  return program_by(*row, request, filter, device, data);
}

/// Limits of a correlating workgroup: it holds three rows in registers (two factors and a sum), so
/// the bytes of one are a quarter of a multiprocessor's registers; and the bytes of each row that
/// one thread holds.
constexpr std::size_t max_correlated_bytes = std::size_t{1} << 16;
constexpr std::size_t max_correlated_thread_bytes = 128;
/// Two workgroups of this many threads fit a multiprocessor, if each thread has 128 registers
/// instead of the 156 to 174 that compilers use.
constexpr unsigned threads_of_two = 256;

/// Changes a piece that convolves rows to correlate them. Returns false if they are too long.
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

/// Returns the pass that correlates the rows of all terms (the middle pass of a cut axis) and
/// convolves the rows that are returned. It works in place.
program correlation_in_place(const backend::correlation_of_rows& step, const piece& row,
                             const device_info& device) {
  const std::size_t points = step.rows.lengths.front(), terms = 2 * step.terms;
  plan_spec rows{.lengths = {points}, .batch = step.rows.batch, .real = step.rows.real};
  rows.in = rows.out = {.strides = {1}, .distances = {terms * points}};
  request::resolved_spec inside{rows};
  inside.in.location = inside.out.location = place::between_a;
  std::optional<spectrum_array> filter;
  if (step.convolution) {
    filter = step.convolution->spectra;
    filter->distances.resize(1);
  }
  program result =
      program_by(row, inside, filter ? &*filter : nullptr, device, tuning::for_device(device));
  pass& launch = std::get<pass>(result.steps.front().operation);
  launch.out.streams = false;
  launch.numbers.terms = step.terms;
  launch.numbers.term_distance = points;
  launch.numbers.returns_terms = launch.numbers.prefetches_filter = filter.has_value();
  return result;
}

/// Returns the last pass, of columns, of the cut transform `stored`; `distances` are between rows
/// in each dimension of the batch.
program columns_back(plan_spec stored, std::vector<std::size_t> distances, const piece& column,
                     const device_info& device) {
  stored.load = {};
  stored.valid_in = {};
  stored.in = {.strides = {1}, .distances = std::move(distances)};
  const request::resolved_spec request{stored};
  return program_by(column, request, nullptr, device, tuning::for_device(device));
}

/// Returns the passes that sum correlations of cut rows: columns of all rows, then rows whose
/// correlations are summed, then columns back; and columns back for rows that are returned.
std::optional<program> cut_correlations_of(const backend::correlation_of_rows& step,
                                           const device_info& device) {
  const plan_spec& rows = step.rows;
  const std::size_t points = rows.lengths.front(), terms = 2 * step.terms;
  plan_spec columns = rows;
  columns.batch = {rows.batch, terms};
  columns.scale = scaling::none;
  columns.factor = 1;
  columns.store = {};
  columns.valid_out = {};
  auto pieces = cut_of(columns, device);
  if (pieces.empty()) return std::nullopt;
  const unsigned elements = pieces[1].shape.elements_per_thread;
  if (!correlates(pieces[1], device)) return std::nullopt;
  // The body must find its bins where the spectra have them.
  if (step.convolution && pieces[1].shape.elements_per_thread != elements) return std::nullopt;
  if (pieces[1].shape.threads() == threads_of_two) pieces[1].resident = 2;
  const request::resolved_spec both{columns};
  program result;
  result.add(program_by(pieces[0], both, nullptr, device, tuning::for_device(device)),
             {place::input, place::between_a});
  result.reserve(place::between_a, both.out.bytes());
  result.add(correlation_in_place(step, pieces[1], device), {});
  place sums = place::output;
  if (step.convolution) {
    plan_spec columns_out = step.convolution->rows;
    columns_out.batch = {rows.batch, step.terms};
    result.add(columns_back(columns_out, {terms * points, 2 * points}, pieces[2], device),
               {place::between_a, place::output, points * both.out.unit_bytes()});
    sums = place::other_output;
  }
  result.add(columns_back(rows, {terms * points}, pieces[2], device), {place::between_a, sums});
  return result;
}

}  // namespace

bool can_convolve(const plan_spec& spec, const device_info& device) {
  return row_of(spec, device, tuning::for_device(device)).has_value();
}

bool can_convolve_cut(const plan_spec& spec, const device_info& device) {
  return !cut_of(spec, device).empty();
}

std::size_t length_of_cut(std::size_t least, const plan_spec& spec, const device_info& device) {
  return planner::length_to_convolve(least, row_of(spec), tuning::for_device(device), device);
}

std::optional<program> program_of_rows(const backend::spectra_of_rows& step,
                                       const device_info& device) {
  if (step.is_four_step) return cut_program(step.rows, nullptr, device);
  return one_pass(step.rows, body::transform, step.n_turns, nullptr, device,
                  tuning::for_device(device));
}

std::optional<program> program_of_rows(const backend::convolution_of_rows& step,
                                       const device_info& device) {
  return program_of_rows(step, device, tuning::for_device(device));
}

std::optional<program> program_of_rows(const backend::convolution_of_rows& step,
                                       const device_info& device,
                                       const tuning::architecture& data) {
  if (step.is_four_step) return cut_program(step.rows, &step.spectra, device);
  auto result = one_pass(step.rows, body::convolve, step.n_turns, &step.spectra, device, data);
  if (!result) return result;
  std::get<pass>(result->steps.back().operation).numbers.prefetches_filter = step.is_long;
  return result;
}

std::optional<program> program_of_rows(const backend::correlation_of_rows& step,
                                       const device_info& device) {
  if (step.is_four_step) return cut_correlations_of(step, device);
  const tuning::architecture& data = tuning::for_device(device);
  const request::resolved_spec request{step.rows};
  require_rows(request.spec, nullptr);
  auto row = row_of(request.spec, device, data);
  if (!row || !correlates(*row, device)) return std::nullopt;
  row->n_turns = step.n_turns;
  program result = program_by(*row, request, nullptr, device, data);
  pass& launch = std::get<pass>(result.steps.back().operation);
  launch.numbers.terms = step.terms;
  launch.numbers.term_distance = launch.in.rows.length;
  launch.numbers.in.distance = 2 * step.terms * launch.in.rows.length;
  return result;
}

}  // namespace wingbeat::programs
