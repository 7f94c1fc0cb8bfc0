// SPDX-License-Identifier: Apache-2.0
#include "planner/pieces.hpp"

#include <algorithm>  // max, min, stable_partition
#include <bit>        // bit_ceil
#include <cmath>      // log2, pow
#include <utility>    // move, swap

#include "arrays/array.hpp"                      // bytes_of_real
#include "formatted.hpp"                         // formatted
#include "planner/rules.hpp"                     // row_by_rule, columns_by_rule, even_parts
#include "tuning/padding.hpp"                    // padded_length
#include "wingbeat/device/factors.hpp"           // is_product_of_radices
#include "wingbeat/device/index.hpp"             // is_power_of_two
#include "wingbeat/device/workgroup/advise.hpp"  // stage_cost
#include "wingbeat/error.hpp"                    // plan_error
#include "wingbeat/good_length.hpp"              // is_good_length

namespace wingbeat::planner {
namespace {

/// The input of the choice of pieces: the tuning data of the axis's precision, within the device's
/// limits.
struct choice {
  const axis_request& axis;
  const tuning::architecture& data;
  const device_info& device;
  const tuning::shapes& shapes = tuning::shapes_for(data, axis.stored);

  /// Returns the data for this kind of rows alone.
  [[nodiscard]] const tuning::row_shapes& own_rows() const {
    if (!axis.has_half_spectrum()) return shapes.rows;
    return axis.sink == row::half_spectrum ? shapes.rows_of_reals : shapes.rows_of_bins;
  }
  [[nodiscard]] const tuning::row_shapes& rows() const {
    return own_rows().whole.is_empty() ? shapes.rows : own_rows();
  }
  /// Returns how many butterflies of a length one call makes of the axis.
  [[nodiscard]] std::size_t butterflies(std::size_t length) const {
    return axis.transforms * (axis.total / length);
  }
};

std::size_t prefetched(unsigned mib, const device_info& device) {
  return device.has_bulk_prefetch ? std::size_t{mib} << 20 : 0;
}

bool fits(const tile_shape& shape, const device_info& device) {
  return shape.threads() <= device.max_workgroup &&
         shape.scratch_bytes() <= device.local_memory_bytes &&
         shape.workgroups <= device.max_cluster;
}

/// Takes fewer lanes until the piece fits; nothing if one lane, or `least`, is too much.
std::optional<piece> fitted(piece result, const device_info& device, unsigned least = 1) {
  while (!fits(result.shape, device) && result.shape.lanes > least) result.shape.lanes /= 2;
  if (!fits(result.shape, device)) return std::nullopt;
  return result;
}

/// Takes fewer lanes where a call makes so few transforms that multiprocessors would have none, but
/// as many as fill a subgroup, and not fewer neighbouring columns than the rules want.
void spread(piece& over, const choice& context) {
  tile_shape& shape = over.shape;
  const tuning::placement_rules& rules = context.data.placing;
  if (!context.device.is_gpu || shape.is_cluster()) return;
  std::size_t least = rules.threads_of_subgroup * shape.elements_per_thread / shape.length;
  if (shape.lanes_across) {
    const std::size_t neighbours =
        rules.least_side_by_side / (2 * bytes_of_real(context.axis.stored));
    least = std::max(least, neighbours * (shape.mirrored ? 2 : 1));
  }
  const auto workgroups = [&] {
    return (context.butterflies(shape.length) + shape.lanes - 1) / shape.lanes;
  };
  const auto wanted =
      static_cast<std::size_t>(rules.least_workgroups_per_unit * context.device.compute_units);
  while (shape.lanes / 2 >= least && shape.lanes % 2 == 0 && workgroups() < wanted) {
    shape.lanes /= 2;
  }
}

/// Returns a piece with what all pieces of the axis have; `begins` and `ends` are whether it is the
/// first and the last.
piece common_piece(const choice& context, bool begins, bool ends) {
  piece result;
  result.total = context.axis.total;
  result.shape.element_bytes = context.axis.stored == precision::fp64 ? 16 : 8;
  result.shape.bank_bytes = context.data.bank_bytes;
  if (ends) result.shape.sink = context.axis.sink;
  if (begins) result.shape.source = context.axis.source;
  return result;
}

/// Returns what a rule is asked for a piece of this length.
rule_request rule_of(const piece& common, std::size_t length) {
  const tile_shape& shape = common.shape;
  return {.length = length,
          .element_bytes = shape.element_bytes,
          .bank_bytes = shape.bank_bytes,
          .is_real_row = shape.has_half_spectrum() && !shape.mirrored};
}

/// Returns the piece as the data describes its shape.
piece shaped_as(piece result, body makes, const tuning::shape& shape, const device_info& device) {
  tile_shape& tile = result.shape;
  tile.makes = makes;
  tile.length = shape.length;
  tile.elements_per_thread = shape.elements;
  tile.workgroups = shape.workgroups;
  tile.lanes = shape.lanes;
  tile.half_trade = shape.half_trade;
  tile.stage_in = shape.stage_in;
  tile.stage_out = shape.stage_out;
  result.fraction = static_cast<double>(shape.fraction);
  result.resident = shape.resident;
  result.prefetch_bytes = prefetched(shape.prefetch_mib, device);
  result.streams = shape.streams;
  if (!tile.is_cluster()) return result;
  tile.first = static_cast<unsigned>(shape.first);
  tile.second = static_cast<unsigned>(shape.length / shape.first);
  result.resident = std::max(shape.resident, 1U);
  return result;
}

/// A row that one workgroup takes, as the data describes it, or else by rule.
std::optional<piece> whole_row(const piece& common, const tuning::shape* described,
                               const choice& context) {
  std::optional<tuning::shape> shape;
  if (described != nullptr) {
    shape = *described;
  } else {
    shape = row_by_rule(rule_of(common, common.total), context.data, context.device);
  }
  if (!shape) return std::nullopt;
  const body makes = common.shape.has_half_spectrum() ? body::real_row : body::transform;
  return fitted(shaped_as(common, makes, *shape, context.device), context.device);
}

std::optional<piece> line_of(const piece& common, std::size_t length,
                             const tuning::table<tuning::shape>& lines, const choice& context) {
  for (const tuning::shape& shape : lines.entries()) {
    if (shape.length != length || !shape.counts.contains(context.butterflies(length))) continue;
    piece result = shaped_as(common, body::line, shape, context.device);
    result.shape.lanes_across = shape.lanes > 1;
    if (fits(result.shape, context.device)) return result;
  }
  return std::nullopt;
}

/// A row that a workgroup or a cluster takes at once; a line where the data has one of its length.
std::optional<piece> row_at_once(const piece& common, const tuning::row_shapes& rows,
                                 const choice& context) {
  if (auto line = line_of(common, common.total, rows.lines, context)) return line;
  auto row =
      whole_row(common, rows.whole.find(common.total, context.butterflies(common.total)), context);
  if (row) spread(*row, context);
  return row;
}

/// Returns how many neighbouring columns share a tile: at most as many as there are. On a
/// processor, where a lane without a column takes as long as one with, that halved as long as fewer
/// are left over, but no less than fill its vectors.
unsigned lanes_for(const tile_shape& tile, unsigned most, std::size_t neighbours,
                   const tuning::placement_rules& rules) {
  unsigned lanes = static_cast<unsigned>(std::min<std::size_t>(most, std::bit_ceil(neighbours)));
  if (tile.bank_bytes != 0) return lanes;
  const auto taken = [&](unsigned each) { return (neighbours + each - 1) / each * each; };
  for (unsigned fewer = lanes / 2; fewer >= rules.least_lanes_of_processor; fewer /= 2) {
    if (taken(fewer) < taken(lanes)) lanes = fewer;
  }
  return lanes;
}

std::optional<piece> columns_as(const piece& common, const tuning::shape& shape,
                                std::size_t neighbours, const choice& context) {
  piece result = shaped_as(common, body::transform, shape, context.device);
  const unsigned least = result.shape.mirrored ? 2 : 1;
  result.shape.lanes =
      std::max(lanes_for(result.shape, shape.lanes, neighbours, context.data.placing), least);
  result.shape.lanes_across = true;
  spread(result, context);
  return fitted(result, context.device, least);
}

/// Columns of one workgroup.
std::optional<piece> plain_columns(const piece& common, std::size_t length, std::size_t neighbours,
                                   const choice& context) {
  if (const auto* shape = context.shapes.columns.find(length, context.butterflies(length))) {
    return columns_as(common, *shape, neighbours, context);
  }
  const auto shape = columns_by_rule(rule_of(common, length), context.data, context.device);
  return shape ? columns_as(common, *shape, neighbours, context) : std::nullopt;
}

std::optional<piece> columns(const piece& common, std::size_t length, std::size_t neighbours,
                             const choice& context) {
  if (auto line = line_of(common, length, context.shapes.column_lines, context)) {
    if (line->shape.lanes <= neighbours) return line;
  }
  return plain_columns(common, length, neighbours, context);
}

/// Columns whose bins meet, which is within a workgroup. Without data for them they are those of
/// any axis, but exchange whole elements, because bins meet whole (R2C 2^18 0.47 of a copy, in
/// halves 0.39: bench/NOTES.md, section 10), and with fewer threads where they would spill.
std::optional<piece> mirrored_columns(const piece& common, std::size_t length,
                                      std::size_t neighbours, const choice& context) {
  if (const auto* shape = context.rows().mirrored.find(length, context.butterflies(length))) {
    return columns_as(common, *shape, neighbours, context);
  }
  const tuning::mirrored_limits& limits = context.shapes.unmeasured_mirrored;
  if (length > limits.longest) return std::nullopt;
  auto result = plain_columns(common, length, neighbours, context);
  if (!result || context.axis.sink != row::half_spectrum) return result;
  result->shape.half_trade = false;
  result->resident = std::min(result->resident, limits.most_resident);
  while (result->shape.threads() > limits.most_threads && result->shape.lanes > 2) {
    result->shape.lanes /= 2;
  }
  return fitted(*result, context.device, 2);
}

using parts = std::vector<std::size_t>;  // the length of each pass

parts parts_of(const tuning::cut& cut) {
  parts lengths;
  for (const std::size_t length : cut.parts) {
    if (length > 0) lengths.push_back(length);
  }
  return lengths;
}

/// Returns how a row of a call of few transforms is cut, as measured; empty where it need not be.
parts cut_of_few(const choice& context) {
  if (!context.axis.is_row) return {};
  const auto* cut = context.rows().cuts.find(context.axis.total, context.axis.transforms);
  return cut != nullptr && cut->counts.ends() ? parts_of(*cut) : parts{};
}

/// Returns the ways to cut the axis into several passes, the best first: as measured, then evenly,
/// of lengths that are no powers of two into no longer passes than wanted where that can be.
std::vector<parts> ways_to_cut(const choice& context) {
  std::vector<parts> ways;
  for (const tuning::cut& cut : context.rows().cuts.entries()) {
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

/// Long butterflies with twiddles neither prefetch nor stream: see `placement_rules::long_bytes`.
void limit_twiddled(piece& each, const tuning::architecture& data) {
  const std::size_t bytes = each.shape.length * each.shape.element_bytes;
  if (each.prior == 1 || bytes <= data.placing.long_bytes) return;
  each.prefetch_bytes = 0;
  each.streams = false;
}

/// Cuts the axis; fewer pieces come back if one of them does not fit.
std::vector<piece> cut_into(const parts& lengths, const choice& context) {
  std::vector<piece> pieces;
  std::size_t prior = 1;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    piece common = common_piece(context, i == 0, i + 1 == lengths.size());
    common.prior = prior;
    common.shape.mirrored = context.axis.is_row && common.shape.has_half_spectrum();
    const std::size_t beside = prior == 1 ? context.axis.total / lengths[i] : prior;
    const std::size_t neighbours = context.axis.is_row ? beside : context.axis.columns;
    auto result = common.shape.mirrored ? mirrored_columns(common, lengths[i], neighbours, context)
                                        : columns(common, lengths[i], neighbours, context);
    if (!result) return pieces;
    limit_twiddled(*result, context.data);
    pieces.push_back(*result);
    prior *= lengths[i];
  }
  return pieces;
}

/// Returns the expected time of a piece, in copies.
double time_of(const piece& each, const tuning::time_model& times) {
  return each.fraction > 0 ? 1 / each.fraction : times.unmeasured;
}

/// Returns the expected time of rows with twiddles: see `time_model`.
double twiddled_time(const piece& rows, const tuning::architecture& data) {
  const std::size_t bytes = rows.shape.length * rows.shape.element_bytes;
  const bool loses_prefetch =
      rows.prefetch_bytes > 0 && !rows.shape.is_cluster() && bytes > data.placing.long_bytes;
  return time_of(rows, data.times) *
         (1 + data.times.twiddle_elements / rows.shape.elements_per_thread) *
         (loses_prefetch ? data.times.without_prefetch : 1);
}

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
  std::size_t best = power;
  double least_time = 0;
  for (std::size_t n = (least + multiple - 1) / multiple; n * multiple <= power; ++n) {
    n = good_length(n);
    const std::size_t m = n * multiple;
    if (device::greatest_factor(static_cast<unsigned>(n)) > 5) continue;
    double time = static_cast<double>(m) * (m == power ? 1 : data.times.padded_other);
    if (!is_long) {
      row.total = m;
      const auto whole = convolved(m, 1, {row, data, device});
      if (!whole) continue;
      time = time_of_convolved(whole->shape, data.times);
    }
    if (least_time > 0 && time >= least_time) continue;
    least_time = time;
    best = m;
  }
  return best;
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
/// p - 1, if there is one.
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
  result = fitted(*result, device);
  if (result) result->by_rader = std::make_shared<const rader>(axis.total, axis.is_forward);
  return result;
}

/// Returns the pieces of an axis of any length, convolved within another: see `pieces_of`.
std::vector<piece> chirp_pieces_of(const axis_request& request, axis_request axis,
                                   const tuning::architecture& data, const device_info& device) {
  const choice context{axis, data, device};
  std::vector<piece> pieces;
  const auto numbers = std::make_shared<const chirp>(request.total, axis.total, request.is_forward);
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

std::vector<piece> radix_pieces_of(const axis_request& axis, const tuning::architecture& data,
                                   const device_info& device) {
  if (!device::is_product_of_radices(axis.total)) return {};
  const choice context{axis, data, device};
  if (const parts few = cut_of_few(context); !few.empty()) {
    auto pieces = cut_into(few, context);
    if (pieces.size() == few.size()) return pieces;
  }
  const piece common = common_piece(context, axis.is_row, axis.is_row);
  const auto whole = axis.is_row ? row_at_once(common, context.rows(), context)
                                 : columns(common, axis.total, axis.columns, context);
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
  const bool may_chirp = axis.total > 1 && !is_good_length(axis.total) && !axis.has_half_spectrum();
  if (may_chirp && pieces.size() != 1) {
    const axis_request padded = padded_for_chirp(axis, data, device);
    const auto whole = convolved(padded.total, padded.columns, {padded, data, device});
    auto prime = rader_piece_of(axis, data, device);
    const bool has_choice = prime && whole && axis.is_row && device.is_gpu;
    if (prime && (!has_choice || time_of_convolved(prime->shape, data.times) <
                                     time_of_convolved(whole->shape, data.times))) {
      return {std::move(*prime)};
    }
    if (whole || pieces.empty()) return chirp_pieces_of(axis, padded, data, device);
  }
  if (!pieces.empty()) return pieces;
  throw plan_error(
      formatted("length {} does not fit {}: {} bytes of local memory, workgroups of "
                "{}; choose a shorter length or the host engine",
                axis.total, device.name, device.local_memory_bytes, device.max_workgroup));
}

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

std::vector<piece> scrambled_pieces_of(const axis_request& request,
                                       const tuning::architecture& data,
                                       const device_info& device) {
  if (!device::is_product_of_radices(request.total)) return {};
  // Plans of any batch have their bins in the same places: shapes are those of many transforms.
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
  std::size_t longest = 0;  // of columns that were not measured
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
    const double time = twiddled_time(*row, data) + time_of(*column, data.times);
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

std::optional<piece> plane_of(std::size_t rows, const axis_request& axis,
                              const tuning::architecture& data, const device_info& device) {
  const choice context{axis, data, device};
  const std::size_t planes = std::max<std::size_t>(axis.transforms / rows, 1);
  for (const tuning::shape& shape : context.own_rows().planes.entries()) {
    if (shape.first != rows || shape.length != rows * axis.total) continue;
    if (!shape.counts.contains(planes)) continue;
    piece result = shaped_as(common_piece(context, true, true), body::plane, shape, device);
    result.total = result.shape.length;
    if (fits(result.shape, device)) return result;
  }
  return std::nullopt;
}

}  // namespace wingbeat::planner
