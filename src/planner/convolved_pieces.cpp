// SPDX-License-Identifier: Apache-2.0
#include "planner/convolved_pieces.hpp"

#include <algorithm>  // max
#include <bit>        // bit_ceil
#include <cmath>      // log2, pow
#include <limits>     // numeric_limits
#include <memory>     // make_shared
#include <utility>    // move

#include "planner/rules.hpp"                     // row_by_rule, divisors_of
#include "planner/shaped_pieces.hpp"             // choice, plain_columns, whole_row
#include "tuning/padding.hpp"                    // cheapest_good_length, padded_length
#include "wingbeat/device/factors.hpp"           // greatest_factor
#include "wingbeat/device/index.hpp"             // is_power_of_two
#include "wingbeat/device/workgroup/advise.hpp"  // stage_cost
#include "wingbeat/good_length.hpp"              // max_length

namespace wingbeat::planner {
namespace {

/// Lets the bins of a piece stay where threads have them. Unless its shape was measured so, it was
/// for transforms.
void keep_bins(piece& each, bool is_measured) {
  each.shape.stage_in = each.shape.stage_out = false;
  if (device::is_power_of_two(each.shape.length)) each.shape.bins = device::order::scrambled;
  if (is_measured) return;
  each.fraction = 0;
  each.resident = 0;
}

/// Returns the piece that convolves an axis, or a part of it of `length`, in one workgroup.
std::optional<piece> convolved(std::size_t length, std::size_t neighbours, const choice& context) {
  axis_request part = context.axis;
  part.total = length;
  part.transforms = context.butterflies(length);
  const piece common = common_piece(context, false, false);
  std::optional<piece> result;
  if (!part.is_row) {
    result = plain_columns(common, length, neighbours, context);
  } else if (device::is_power_of_two(length)) {
    result = convolution_of(part, context.data, context.device);
  } else {
    rule_request asked = rule_of(common, length);
    asked.is_convolved = true;
    const auto shape = row_by_rule(asked, context.data, context.device);
    if (shape)
      result = fitted(shaped_as(common, body::transform, *shape, context.device), context.device);
  }
  if (!result) return result;
  if (!part.is_row || !device::is_power_of_two(length)) keep_bins(*result, /*is_measured=*/false);
  result->shape.makes = body::convolve;
  return result;
}

/// Returns columns and convolved rows that make the axis, which is expected to take least time.
std::vector<piece> columns_and_convolved(const choice& context) {
  const std::size_t total = context.axis.total;
  const bool is_row = context.axis.is_row;
  std::vector<piece> best;
  double least = 0;
  for (const std::size_t length : divisors_of(total)) {
    if (length == 1 || length == total) continue;
    const auto row = convolved(length, context.axis.columns, context);
    if (!row) continue;
    const auto column = plain_columns(common_piece(context, false, false), total / length,
                                      is_row ? length : context.axis.columns, context);
    if (!column) continue;
    const double time =
        2 * time_of(*column, context.data.times) + time_of(*row, context.data.times);
    if (!best.empty() && time > least) continue;
    least = time;
    best = {*column, *row};
  }
  return best;
}

/// Returns a piece as part of a transform by a chirp.
piece chirped_by(const std::shared_ptr<const chirp>& numbers, piece part, bool is_forward) {
  part.total = numbers->total;
  part.streams = false;
  part.chirped = piece::part_of_chirp{.numbers = numbers, .is_forward = is_forward};
  return part;
}

/// Returns the expected time of rows that a workgroup convolves, in copies of a point.
double time_of_convolved(const tile_shape& shape, const tuning::time_model& times) {
  const auto length = static_cast<unsigned>(shape.length);
  const auto grown = [&](double each, double beyond) {
    return std::pow(each, std::max(std::log2(length / beyond), 0.0));
  };
  const double powers = grown(times.convolved_power_growth, 512);
  const double order = shape.makes == body::rader ? times.rader_point * powers : 0;
  if (device::is_power_of_two(length)) return length * (times.convolved_power * powers + order);
  const double cost = device::workgroup::stage_cost(length, shape.elements_per_thread);
  const double stages = std::max(cost / times.convolved_stages, times.convolved_least);
  return length * (stages * grown(times.convolved_growth, 2048) + order);
}

/// Returns the length from `least` on that a row is expected to be convolved within in least time.
std::size_t length_for_chirp(std::size_t least, axis_request row, const tuning::architecture& data,
                             const device_info& device) {
  const std::size_t power = std::bit_ceil(least);
  row.total = power;
  // Columns and rows, which memory binds.
  const bool is_long = power > data.other_rows.longest || !convolved(power, 1, {row, data, device});
  const std::size_t multiple = is_long ? 64 : 1;
  const auto cost = [&](std::size_t n) {
    constexpr double never = std::numeric_limits<double>::infinity();
    const std::size_t m = n * multiple;
    if (device::greatest_factor(static_cast<unsigned>(n)) > 5) return never;
    if (is_long) return static_cast<double>(m) * (m == power ? 1 : data.times.padded_other);
    row.total = m;
    const auto whole = convolved(m, 1, {row, data, device});
    return whole ? time_of_convolved(whole->shape, data.times) : never;
  };
  return multiple *
         tuning::cheapest_good_length((least + multiple - 1) / multiple, power / multiple, cost);
}

/// Returns the axis that one of any length is convolved within.
axis_request padded_for_chirp(axis_request axis, const tuning::architecture& data,
                              const device_info& device) {
  const std::size_t least = 2 * axis.total - 1;
  const bool is_chosen = axis.is_row && device.is_gpu && least <= max_length;
  axis.is_forward = true;
  axis.total = is_chosen ? length_for_chirp(least, axis, data, device)
                         : tuning::padded_length(least, device);
  return axis;
}

/// Returns the piece that makes an axis of p points, a prime, in one workgroup as a convolution of
/// p - 1, if there is one, without its numbers.
std::optional<piece> rader_piece_of(const axis_request& axis, const tuning::architecture& data,
                                    const device_info& device) {
  if (!is_rader_length(axis.total)) return std::nullopt;
  axis_request cyclic = axis;
  --cyclic.total;
  auto result = convolved(cyclic.total, cyclic.columns, {cyclic, data, device});
  if (!result) return result;
  result->shape.makes = body::rader;
  result->shape.stage_in = result->shape.stage_out = axis.is_row;
  result->total = axis.total;
  result->streams = false;
  return fitted(*result, device);
}

/// Returns the pieces of an axis of any length, convolved within another with a chirp.
std::vector<piece> chirp_pieces_of(const axis_request& request, axis_request axis,
                                   const tuning::architecture& data, const device_info& device) {
  const choice context{axis, data, device};
  std::vector<piece> pieces;
  const auto numbers =
      std::make_shared<const chirp>(request.total, axis.total, request.is_forward, request.stored);
  const auto add = [&](const piece& part, bool forward) {
    pieces.push_back(chirped_by(numbers, part, forward));
  };
  if (const auto whole = convolved(axis.total, axis.columns, context)) {
    add(*whole, true);
  } else if (const auto both = columns_and_convolved(context); !both.empty()) {
    for (const std::size_t i : {0, 1, 0}) add(both[i], pieces.size() < 2);
    pieces[0].in_place_spacing = pieces[2].in_place_spacing = both[1].shape.length;
    pieces[1].in_place_spacing = 1;
    pieces[1].prior = both[0].shape.length;
    pieces[2].prior = both[1].shape.length;
  } else {
    const auto forward = pieces_of(axis, data, device);
    axis.is_forward = false;
    for (const piece& each : forward) add(each, true);
    for (const piece& each : pieces_of(axis, data, device)) add(each, false);
    pieces[forward.size()].chirped->multiplies = true;
  }
  pieces.front().chirped->begins = true;
  pieces.back().chirped->ends = true;
  for (piece& each : pieces) limit_twiddled(each, data);
  return pieces;
}

}  // namespace

std::optional<piece> convolution_of(const axis_request& axis, const tuning::architecture& data,
                                    const device_info& device) {
  const choice context{axis, data, device};
  const auto shape_of = [&](const tuning::table<tuning::shape>& list) -> const tuning::shape* {
    for (const tuning::shape& each : list.entries()) {
      if (each.length == axis.total) return &each;
    }
    return nullptr;
  };
  const piece common = common_piece(context, true, true);
  const tuning::shape* own = shape_of(context.shapes.convolutions);
  auto result =
      whole_row(common, own != nullptr ? own : shape_of(context.shapes.rows.whole), context);
  if (result) keep_bins(*result, own != nullptr);
  return result;
}

std::vector<piece> convolved_pieces_of(const axis_request& axis, bool must_be,
                                       const tuning::architecture& data,
                                       const device_info& device) {
  const axis_request padded = padded_for_chirp(axis, data, device);
  const auto whole = convolved(padded.total, padded.columns, {padded, data, device});
  auto prime = rader_piece_of(axis, data, device);
  const bool has_choice = prime && whole && axis.is_row && device.is_gpu;
  if (prime && (!has_choice || time_of_convolved(prime->shape, data.times) <
                                   time_of_convolved(whole->shape, data.times))) {
    prime->by_rader = std::make_shared<const rader>(axis.total, axis.is_forward);
    return {std::move(*prime)};
  }
  if (whole || must_be) return chirp_pieces_of(axis, padded, data, device);
  return {};
}

}  // namespace wingbeat::planner
