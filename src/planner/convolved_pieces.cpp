// SPDX-License-Identifier: Apache-2.0
#include "planner/convolved_pieces.hpp"

#include <bit>      // bit_ceil
#include <cmath>    // isfinite
#include <limits>   // numeric_limits
#include <memory>   // make_shared
#include <utility>  // move
#include <vector>

#include "planner/expected_time.hpp"    // time_of_columns, time_of_convolved
#include "planner/rules.hpp"            // row_by_rule, divisors_of
#include "planner/shaped_pieces.hpp"    // choice, plain_columns, whole_row
#include "tuning/padding.hpp"           // cheapest_good_length, padded_length
#include "wingbeat/device/factors.hpp"  // greatest_factor
#include "wingbeat/device/index.hpp"    // is_power_of_two
#include "wingbeat/good_length.hpp"     // max_length

namespace wingbeat::planner {
namespace {

/// Returns the first shape of a length in a list, whatever its `counts`, or nullptr.
const tuning::shape* first_of(const tuning::table<tuning::shape>& list, std::size_t length) {
  for (const tuning::shape& each : list) {
    if (each.length == length) return &each;
  }
  return nullptr;
}

/// Leaves the bins of a piece where threads hold them. Clears the measured fields unless the shape
/// was measured for convolutions, because they are those of transforms.
void keep_bins(piece& each, bool is_measured) {
  each.shape.stage_in = each.shape.stage_out = false;
  if (device::is_power_of_two(each.shape.length)) each.shape.bins = device::order::scrambled;
  if (is_measured) return;
  each.fraction = 0;
  each.resident = 0;
}

/// Returns the body that convolves the rows of a prime by a shape.
body body_of_prime(const tuning::shape& shape, const axis_request& rows) {
  if (!rows.is_plain) return body::rader;
  if (rows.is_of_reals) return body::real_rader;
  return shape.across && shape.length == 2 * shape.elements ? body::halved_rader : body::rader;
}

/// Returns the piece in which one workgroup convolves `length` points, an axis or its part; a row
/// takes its shape from `list` if that has one. `is_prime`: in Rader's order.
std::optional<piece> convolved(std::size_t length, std::size_t neighbours, const choice& context,
                               const tuning::table<tuning::shape>& list = {},
                               bool is_prime = false) {
  axis_request part = context.axis;
  part.total = length;
  part.transforms = context.butterflies(length);
  const piece common = common_piece(context, false, false);
  const tuning::shape* measured = part.is_row ? first_of(list, length) : nullptr;
  if (is_prime && measured != nullptr) measured = list.find(length, context.axis.transforms);
  const auto makes = [&](const tuning::shape& shape) {
    return is_prime ? body_of_prime(shape, context.axis) : body::transform;
  };
  // Only `halved_rader` runs a shape in which two threads share a row.
  const bool are_halves = is_prime && measured != nullptr && measured->across &&
                          measured->length == 2 * measured->elements;
  if (are_halves && makes(*measured) == body::rader) measured = nullptr;
  std::optional<piece> result;
  const auto take = [&](const tuning::shape& shape) {
    result = fitted(shaped_as(common, makes(shape), shape, context.device), context.device);
    if (result) keep_bins(*result, &shape == measured);
  };
  if (measured != nullptr) take(*measured);
  if (!part.is_row) {
    result = plain_columns(common, length, neighbours, context);
    if (result) keep_bins(*result, false);
  } else if (!result && device::is_power_of_two(length)) {
    result = convolution_of(part, context.data, context.device);
  } else if (!result) {
    rule_request asked = rule_of(common, length);
    asked.is_convolved = true;
    if (const auto shape = row_by_rule(asked, context.data, context.device)) take(*shape);
  }
  if (!result) return result;
  tile_shape& shape = result->shape;
  if (!is_prime) {
    shape.makes = body::convolve;
  } else if (!shape.as_prime().has_order()) {
    shape.makes = body_of_prime({}, context.axis);
  }
  if (shape.makes == body::real_rader) {
    shape.bins = device::order::natural;
    if (measured == nullptr) result->resident = 0;  // was measured for another body
  }
  return result;
}

/// Pieces and their expected time, in copies of the axis.
struct timed_pieces {
  std::vector<piece> pieces = {};
  double time = std::numeric_limits<double>::infinity();

  /// Takes other pieces if they are no slower.
  void take(std::vector<piece> others, double expected) {
    if (expected > time) return;
    pieces = std::move(others);
    time = expected;
  }
};

/// Returns the columns and convolved rows that are expected to make the axis in the least time.
/// That time includes the columns back, in copies of the axis's `points`, without padding.
timed_pieces columns_and_convolved(const choice& context, double points) {
  const std::size_t total = context.axis.total;
  const bool is_row = context.axis.is_row;
  timed_pieces best;
  for (const std::size_t length : divisors_of(total)) {
    if (length == 1 || length == total) continue;
    const auto column = plain_columns(common_piece(context, false, false), total / length,
                                      is_row ? length : context.axis.columns, context);
    if (!column) continue;
    const double time = 2 * time_of_columns(*column, context.data.times);
    const auto row =
        time > best.time ? std::nullopt : convolved(length, context.axis.columns, context);
    if (row) best.take({*column, *row}, time + time_of_full(*row, context.data.times));
  }
  // Three passes have six sides: four move all `total` elements, the first and the last `points`.
  if (!best.pieces.empty()) best.time *= (2.0 * static_cast<double>(total) / points + 1) / 3;
  return best;
}

/// Returns columns, rows and columns back that convolve an axis in place.
std::vector<piece> cut_into_three(const piece& column, const piece& row) {
  std::vector<piece> pieces{column, row, column};
  pieces[0].in_place_spacing = pieces[2].in_place_spacing = row.shape.length;
  pieces[1].in_place_spacing = 1;
  pieces[1].prior = column.shape.length;
  pieces[2].prior = row.shape.length;
  for (piece& each : pieces) {
    each.total = column.shape.length * row.shape.length;
    each.is_forward = &each != &pieces[2];
    each.streams = false;
  }
  return pieces;
}

/// Returns a piece as one pass of a transform by a chirp.
piece chirped_by(const std::shared_ptr<const chirp>& numbers, piece part, bool is_forward) {
  part.total = numbers->total;
  part.streams = false;
  part.is_forward = is_forward;
  part.chirped = piece::part_of_chirp{.numbers = numbers};
  return part;
}

/// Returns the expected time in which several passes convolve a long row within `row.total`, in
/// copies of its `points`.
double time_of_long(const axis_request& row, double points, const tuning::architecture& data,
                    const device_info& device) {
  const double both = columns_and_convolved({row, data, device}, points).time;
  if (std::isfinite(both)) return both;
  const auto forward = pieces_of(row, data, device);
  double passes = forward.empty() ? both : 0;
  for (const piece& each : forward) passes += time_of_columns(each, data.times);
  return 2 * passes * static_cast<double>(row.total) / points;
}

/// Implements `length_to_convolve` on a GPU.
std::size_t length_of_least_time(std::size_t least, axis_request row,
                                 const tuning::architecture& data, const device_info& device) {
  const std::size_t power = std::bit_ceil(least);
  const auto points = static_cast<double>(row.total);
  row.total = power;
  // Memory bounds columns and rows, so only multiples of 64 are tried.
  const bool is_long = power > data.other_rows.longest || !convolved(power, 1, {row, data, device});
  const std::size_t multiple = is_long ? 64 : 1;
  const auto cost = [&](std::size_t n) {
    constexpr double never = std::numeric_limits<double>::infinity();
    const std::size_t m = n * multiple;
    if (device::greatest_factor(static_cast<unsigned>(n)) > 5) return never;
    row.total = m;
    if (is_long) return time_of_long(row, points, data, device);
    const choice context{row, data, device};
    const auto whole = convolved(m, 1, context, context.shapes.chirps);
    return whole ? time_of_convolved(whole->shape, context.shapes, data.times) : never;
  };
  return multiple *
         tuning::cheapest_good_length((least + multiple - 1) / multiple, power / multiple, cost);
}

/// Returns the axis, padded to the length within which a chirp convolves it.
axis_request padded_for_chirp(axis_request axis, const tuning::architecture& data,
                              const device_info& device) {
  const std::size_t least = axis.total + (axis.bins == 0 ? axis.total : axis.bins) - 1;
  axis.is_forward = true;
  axis.total = length_to_convolve(least, axis, data, device);
  return axis;
}

/// Lays rows of a prime across threads: neighbouring threads take neighbouring rows, whose elements
/// then lie in separate banks in any order. Fractions of a copy, across and not (H100):
///     211 points        0.89  0.78
///     337 points        0.86  0.73
///     257, in place     0.96  0.98
///     1,019 padded reals, 256 threads  0.24  0.34 (H200)
void lay_across(piece& rows, const tuning::architecture& data, const device_info& device) {
  const tuning::row_defaults& rules = data.other_rows;
  if (rows.shape.bank_bytes == 0 || rows.shape.is_in_place()) return;
  piece wider = rows;
  wider.shape.lanes_across = true;
  const auto threads_of_row = static_cast<unsigned>(wider.shape.threads() / wider.shape.lanes);
  unsigned most = rules.max_rows_across;
  while (2 * most * threads_of_row < rules.threads_of_workgroup) most *= 2;
  for (unsigned lanes = most; lanes >= rules.min_rows_across; lanes /= 2) {
    wider.shape.lanes = lanes;
    const bool may_double = lanes == rules.min_rows_across && rows.shape.points == 0;
    const unsigned doubled = may_double ? 2 : 1;  // 521 points: 0.65 of a copy, not 0.58
    if (wider.shape.threads() > doubled * rules.threads_of_workgroup) continue;
    if (!fits(wider.shape, device)) continue;
    rows = wider;
    return;
  }
}

/// Returns the piece in which one workgroup makes a prime axis by a convolution of `cyclic.total`
/// numbers, if it can. Its root tables are not filled in.
std::optional<piece> prime_piece_of(const axis_request& axis, const axis_request& cyclic,
                                    const tuning::architecture& data, const device_info& device) {
  const choice context{cyclic, data, device};
  const auto& list = cyclic.is_of_reals ? context.shapes.primes_of_reals : context.shapes.primes;
  auto result = convolved(cyclic.total, cyclic.columns, context, list, true);
  if (!result) return result;
  if (cyclic.is_of_reals && 2 * cyclic.total + 1 > axis.total) result->shape.points = axis.total;
  result->shape.stage_in = result->shape.stage_out = axis.is_row;
  result->total = axis.total;
  result->streams = false;
  const bool is_measured = list.find(cyclic.total, axis.transforms) != nullptr;
  if (axis.is_row && !is_measured) lay_across(*result, data, device);
  if (device.is_gpu && !is_measured && result->shape.points > 0 && !result->shape.lanes_across) {
    const std::size_t row_bytes = result->shape.length * result->shape.element_bytes;
    const auto at_once = data.other_rows.padded_bytes / (row_bytes * result->shape.lanes);
    result->resident = at_once > 1 ? static_cast<unsigned>(at_once) : 0;
  }
  return fitted(*result, device);
}

/// Returns the piece in which one workgroup makes a prime axis by Rader's convolution of p - 1
/// points, or for reals of (p - 1)/2, or padded to a good length. Its root tables are not filled
/// in.
std::optional<piece> rader_piece_of(const axis_request& axis, const tuning::architecture& data,
                                    const device_info& device) {
  if (!is_prime(axis.total) || axis.total == 2) return std::nullopt;
  axis_request cyclic = axis;
  --cyclic.total;
  const bool are_many = !device.is_gpu || axis.transforms >= data.other_rows.fewest_prime_rows;
  cyclic.is_plain &= axis.is_row;
  cyclic.is_of_reals = cyclic.is_plain && axis.is_of_reals && are_many;
  std::optional<piece> best;
  const auto take = [&](std::size_t length) {
    cyclic.total = length;
    auto each = prime_piece_of(axis, cyclic, data, device);
    if (!each) return;
    const auto time = [&](const piece& rows) {
      return time_of_convolved(rows.shape, tuning::shapes_for(data, axis.stored), data.times);
    };
    if (!best || time(*each) < time(*best)) best = std::move(each);
  };
  const std::size_t least = cyclic.total;
  if (is_rader_length(axis.total)) take(cyclic.is_of_reals ? least / 2 : least);
  if (!cyclic.is_of_reals) return best;
  take(tuning::padded_length(least, device));
  if (device.is_gpu) take(std::bit_ceil(least));
  return best;
}

/// Returns the piece in which one workgroup makes an axis of any length, if it can: by Rader's
/// convolution, or with a chirp within `padded`. Few short rows take a chirp, because their loads
/// do not wait for the indices of Rader's order: a row of 257 takes 4.3 us by that order, one of
/// 509 with a chirp 3.1 us (H200). Its root tables are not filled in.
std::optional<piece> whole_piece_of(const axis_request& axis, const axis_request& padded,
                                    const tuning::architecture& data, const device_info& device) {
  const choice context{padded, data, device};
  auto whole = convolved(padded.total, padded.columns, context, context.shapes.chirps);
  auto prime = rader_piece_of(axis, data, device);
  const bool has_choice = prime && whole && axis.is_row && device.is_gpu;
  const auto time = [&](const piece& each) {
    return time_of_convolved(each.shape, context.shapes, data.times);
  };
  const bool is_lone = has_choice && are_few(axis, data, device) &&
                       whole->shape.length <= data.costs.short_convolved;
  const bool is_quicker = prime && !is_lone && (!has_choice || time(*prime) < time(*whole));
  return is_quicker ? prime : whole;
}

/// Adds the numbers of Rader's convolution or of a chirp to a piece of `points`; `bins` as in
/// `axis_request`.
piece numbered(piece whole, std::size_t points, std::size_t bins, const axis_request& axis) {
  if (whole.shape.as_prime().has_order()) {
    // Reals take the numbers of a forward transform in both directions.
    const bool are_reals = whole.shape.makes == body::real_rader;
    whole.by_rader = std::make_shared<const rader>(points, axis.is_forward || are_reals,
                                                   are_reals ? whole.shape.length : 0);
    return whole;
  }
  whole.chirped = {
      .numbers = std::make_shared<const chirp>(points, whole.shape.length, axis.is_forward,
                                               axis.stored, bins, axis.transform_row),
      .begins = true,
      .ends = true};
  whole.is_forward = true;
  whole.streams = false;
  return whole;
}

/// Returns the last piece of an axis: columns of `points`, not a product of radices, each convolved
/// by one workgroup, by Rader's order or with a chirp. Its root tables are not filled in.
std::optional<piece> last_piece_of(std::size_t points, const axis_request& axis,
                                   const tuning::architecture& data, const device_info& device) {
  axis_request column = axis;
  column.total = points;
  column.is_row = false;
  column.transforms = axis.transforms * (axis.total / points);
  if (axis.is_row) column.columns = axis.total / points;
  auto best = rader_piece_of(column, data, device);
  const std::size_t least = 2 * points - 1;
  for (const std::size_t length : {std::bit_ceil(least), tuning::padded_length(least, device)}) {
    axis_request padded = column;
    padded.total = length;
    auto chirped = convolved(length, column.columns, {padded, data, device});
    if (!chirped) continue;
    // A thread's first root is read even where its element is padding, so it must exist.
    if (length / chirped->shape.elements_per_thread > points) continue;
    chirped->shape.points = points;
    const auto time = [&](const piece& each) {
      return time_of_convolved_columns(each, data.times);
    };
    if (!best || time(*chirped) < time(*best)) best = chirped;
  }
  if (!best) return best;
  best->total = axis.total;
  best->prior = axis.total / points;
  return best;
}

/// Returns the pieces of an axis if the last takes all large prime factors; the root tables of the
/// last are not filled in.
timed_pieces cut_pieces_of(const axis_request& axis, const tuning::architecture& data,
                           const device_info& device) {
  const choice context{axis, data, device};
  timed_pieces best;
  std::size_t smooth = 1;
  for (std::size_t prime = 2; prime <= device::largest_prime_radix; ++prime) {
    while (axis.total % (smooth * prime) == 0) smooth *= prime;
  }
  for (const std::size_t prior : divisors_of(smooth)) {
    if (prior == 1 || prior == axis.total) continue;
    const auto last = last_piece_of(axis.total / prior, axis, data, device);
    if (!last) continue;
    for (unsigned count = 1; count < tuning::most_parts; ++count) {
      const parts lengths = even_parts(prior, count);
      auto pieces = cut_into(lengths, context);
      if (pieces.size() != count || lengths.back() == 1) continue;
      double time = time_of_convolved_columns(*last, data.times);
      for (const piece& each : pieces) time += time_of(each, data.times);
      pieces.push_back(*last);
      best.take(std::move(pieces), time);
    }
  }
  return best;
}

/// Returns the pieces of a long axis of any length: either the last piece is convolved, or the
/// whole axis with a chirp within a longer one.
std::vector<piece> long_pieces_of(const axis_request& request, axis_request axis,
                                  const tuning::architecture& data, const device_info& device) {
  auto cut = cut_pieces_of(request, data, device);
  const auto both = columns_and_convolved({axis, data, device}, static_cast<double>(request.total));
  if (cut.time < both.time) {
    piece& last = cut.pieces.back();
    last = numbered(last, last.shape.elements(), 0, request);
    if (last.chirped) last.is_forward = request.is_forward;
    limit_twiddled(last, data);
    return cut.pieces;
  }
  std::vector<piece> pieces;
  const auto numbers =
      std::make_shared<const chirp>(request.total, axis.total, request.is_forward, request.stored,
                                    request.bins, request.transform_row);
  const auto add = [&](const piece& part, bool forward) {
    pieces.push_back(chirped_by(numbers, part, forward));
  };
  if (!both.pieces.empty()) {
    for (const piece& each : cut_into_three(both.pieces[0], both.pieces[1]))
      add(each, *each.is_forward);
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
  const piece common = common_piece(context, true, true);
  const tuning::shape* own = first_of(context.shapes.convolutions, axis.total);
  auto result = own != nullptr ? whole_row(common, own, context) : std::nullopt;
  const bool is_own = result.has_value();  // and it fits the device
  if (!is_own) result = whole_row(common, first_of(context.shapes.rows.whole, axis.total), context);
  if (result) keep_bins(*result, is_own);
  return result;
}

std::vector<piece> cut_convolution_of(const axis_request& axis, const tuning::architecture& data,
                                      const device_info& device) {
  axis_request many = axis;
  many.transforms = std::size_t{1} << 32;
  const auto both =
      columns_and_convolved({many, data, device}, static_cast<double>(axis.total)).pieces;
  if (both.empty()) return {};
  const piece& row = both[1];
  const choice context{axis, data, device};
  const auto column = plain_columns(common_piece(context, false, false), both[0].shape.length,
                                    row.shape.length, context);
  if (!column) return {};
  auto pieces = cut_into_three(*column, row);
  for (piece& each : pieces) limit_twiddled(each, data);
  return pieces;
}

std::size_t length_to_convolve(std::size_t least, axis_request axis,
                               const tuning::architecture& data, const device_info& device) {
  const bool is_chosen = axis.is_row && device.is_gpu && least <= max_length;
  const std::size_t power = std::bit_ceil(least);  // has the fewest barriers
  if (are_few(axis, data, device) && power <= data.costs.short_convolved) return power;
  return is_chosen ? length_of_least_time(least, std::move(axis), data, device)
                   : tuning::padded_length(least, device);
}

bool are_few(const axis_request& rows, const tuning::architecture& data,
             const device_info& device) {
  const double units = data.placing.least_workgroups_per_unit * device.compute_units;
  return device.is_gpu && rows.is_row && static_cast<double>(rows.transforms) < units;
}

std::vector<piece> convolved_pieces_of(const axis_request& axis, bool must_be,
                                       const tuning::architecture& data,
                                       const device_info& device) {
  const axis_request padded = padded_for_chirp(axis, data, device);
  if (auto whole = whole_piece_of(axis, padded, data, device)) {
    return {numbered(std::move(*whole), axis.total, axis.bins, axis)};
  }
  if (!must_be) return {};
  return long_pieces_of(axis, padded, data, device);
}

}  // namespace wingbeat::planner
