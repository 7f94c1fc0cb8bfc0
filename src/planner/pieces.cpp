// SPDX-License-Identifier: Apache-2.0
#include "planner/pieces.hpp"

#include <algorithm>  // max, stable_partition
#include <utility>    // swap

#include "planner/convolved_pieces.hpp"  // convolved_pieces_of
#include "planner/expected_time.hpp"     // time_of, time_of_twiddled
#include "planner/rules.hpp"             // even_parts, divisors_of
#include "planner/shaped_pieces.hpp"     // choice, columns, cut_into, row_at_once
#include "text/reject.hpp"               // reject
#include "wingbeat/device/factors.hpp"   // is_product_of_radices
#include "wingbeat/device/index.hpp"     // is_power_of_two
#include "wingbeat/good_length.hpp"      // is_good_length

namespace wingbeat::planner {
namespace {

parts parts_of(const tuning::cut& cut) {
  parts lengths;
  for (const std::size_t length : cut.parts) {
    if (length > 0) lengths.push_back(length);
  }
  return lengths;
}

/// Returns the measured cut of a row for a call of few transforms; empty if there is none.
parts cut_of_few(const choice& context) {
  if (!context.axis.is_row) return {};
  const auto* cut = context.rows().cuts.find(context.axis.total, context.axis.transforms);
  return cut != nullptr && cut->counts.ends() ? parts_of(*cut) : parts{};
}

/// Returns the ways to cut the axis into several passes, best first: measured cuts, then even ones.
/// Even cuts of other lengths than powers of two whose parts are no longer than `longest_part` come
/// before those with longer parts.
std::vector<parts> ways_to_cut(const choice& context) {
  std::vector<parts> ways;
  for (const tuning::cut& cut : context.rows().cuts) {
    if (cut.length != context.axis.total || !cut.counts.contains(context.axis.transforms)) continue;
    ways.push_back(parts_of(cut));
  }
  const auto is_wanted = [&](const parts& lengths) {
    return device::is_power_of_two(context.axis.total) ||
           lengths.front() <= context.data.other_rows.longest_part;
  };
  for (unsigned count = 2; count <= tuning::most_parts; ++count) {
    ways.push_back(even_parts(context.axis.total, count));
  }
  const auto first_even = ways.end() - (tuning::most_parts - 1);
  std::stable_partition(first_even, ways.end(), is_wanted);
  return ways;
}

/// Returns whether few short rows have a factor too large for one thread, so that a chirp is
/// faster.
bool is_lone_thread(const axis_request& axis, const tuning::architecture& data,
                    const device_info& device) {
  if (2 * axis.total > data.costs.short_convolved || !are_few(axis, data, device)) return false;
  return device::greatest_factor(unsigned(axis.total)) > data.other_rows.longest_of_one;
}

}  // namespace

std::vector<piece> radix_pieces_of(const axis_request& axis, const tuning::architecture& data,
                                   const device_info& device) {
  if (!device::is_product_of_radices(axis.total)) return {};
  const choice context{axis, data, device};
  if (const parts few = cut_of_few(context); !few.empty()) {
    auto pieces = cut_into(few, context);
    if (pieces.size() == few.size()) return pieces;
  }
  const piece common = common_piece(context, axis.is_row, axis.is_row);
  std::optional<piece> whole;
  if (axis.are_lines) whole = lines_side_by_side(common, axis.total, axis.columns, context);
  if (!whole) {
    whole = axis.is_row ? row_at_once(common, context.rows(), context)
                        : columns(common, axis.total, axis.columns, context);
  }
  if (whole) return {*whole};
  for (const parts& lengths : ways_to_cut(context)) {
    auto pieces = cut_into(lengths, context);
    if (pieces.size() == lengths.size()) return pieces;
  }
  return {};
}

std::vector<piece> pieces_of(const axis_request& axis, const tuning::architecture& data,
                             const device_info& device) {
  auto pieces = radix_pieces_of(axis, data, device);
  const bool may_be_convolved =
      axis.total > 1 && !is_good_length(axis.total) && !axis.has_half_spectrum();
  if (may_be_convolved && (pieces.size() != 1 || is_lone_thread(axis, data, device))) {
    auto convolved = convolved_pieces_of(axis, pieces.empty(), data, device);
    if (!convolved.empty()) return convolved;
  }
  if (!pieces.empty()) return pieces;
  reject(
      "length {} does not fit {}: {} bytes of local memory, workgroups of "
      "{}; choose a shorter length or the host engine",
      axis.total, device.name, device.local_memory_bytes, device.max_workgroup);
}

std::vector<piece> scrambled_pieces_of(const axis_request& request,
                                       const tuning::architecture& data,
                                       const device_info& device) {
  if (!device::is_product_of_radices(request.total)) return {};
  // Shapes are those of many transforms, so that plans of any batch have their bins in the same
  // places.
  axis_request axis = request;
  axis.transforms = std::size_t{1} << 32;
  const choice context{axis, data, device};
  const piece common = common_piece(context, true, true);
  const auto row_of = [&](std::size_t length) {
    piece row = common;
    row.total = length;
    return row_at_once(row, context.shapes.rows, context);
  };
  if (row_of(axis.total)) return {};
  double natural = 0;
  std::size_t longest = 0;  // limit for columns that were not measured
  for (const piece& each : pieces_of(axis, data, device)) {
    natural += time_of(each, data.times);
    longest = std::max(longest, data.times.unmeasured_growth * each.shape.length);
  }
  std::vector<piece> best;
  double least = data.times.least_gain * natural;
  const std::vector<std::size_t> divisors = divisors_of(axis.total);
  for (auto divisor = divisors.rbegin() + 1; divisor != divisors.rend(); ++divisor) {
    const std::size_t length = *divisor;
    if (length == 1) break;
    auto row = row_of(length);
    auto column = columns(common, axis.total / length, length, context);
    if (!row || !column || (column->fraction == 0 && column->shape.length > longest)) continue;
    const double time = time_of_twiddled(*row, data) + time_of(*column, data.times);
    if (time >= least) continue;
    least = time;
    column->in_place_spacing = row->shape.length;
    row->in_place_spacing = 1;
    best = {*column, *row};
    if (!axis.is_forward) std::swap(best[0], best[1]);
  }
  std::size_t prior = 1;
  for (piece& each : best) {
    each.total = axis.total;
    each.prior = prior;
    limit_twiddled(each, data);
    prior *= each.shape.length;
  }
  return best;
}

std::optional<piece> diagonal_of(axis_request pairs, const tuning::architecture& data,
                                 const device_info& device) {
  pairs.sink = row::half_spectrum;
  const std::vector<piece> pieces = radix_pieces_of(pairs, data, device);
  if (pieces.size() != 1 || pieces.front().shape.makes != body::real_row) return std::nullopt;
  piece result = pieces.front();
  result.shape.makes = body::diagonal_row;
  result.shape.sink = row::complex_row;
  result.shape.stage_in = result.shape.stage_out = false;
  result.resident = 0;  // the shape was measured for half of the work
  result.fraction = 0;
  return fitted(result, device);
}

std::optional<piece> plane_of(std::size_t rows, const axis_request& axis,
                              const tuning::architecture& data, const device_info& device) {
  const choice context{axis, data, device};
  const std::size_t planes = std::max<std::size_t>(axis.transforms / rows, 1);
  for (const tuning::shape& shape : context.own_rows().planes) {
    if (shape.first != rows || shape.length != rows * axis.total) continue;
    if (!shape.counts.contains(planes)) continue;
    piece result = shaped_as(common_piece(context, true, true), body::plane, shape, device);
    result.total = result.shape.length;
    if (fits(result.shape, device)) return result;
  }
  return std::nullopt;
}

}  // namespace wingbeat::planner
