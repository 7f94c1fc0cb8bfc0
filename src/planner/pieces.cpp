// SPDX-License-Identifier: Apache-2.0
#include "planner/pieces.hpp"

#include <algorithm>  // clamp, max, min
#include <bit>        // bit_ceil, countr_zero
#include <utility>    // swap

#include "formatted.hpp"       // formatted
#include "wingbeat/error.hpp"  // plan_error

namespace wingbeat::planner {
namespace {

unsigned log2_of(std::size_t n) {
  return static_cast<unsigned>(std::countr_zero(n));
}

/// What the data says of this kind of rows alone.
const tuning::row_shapes& own_rows(const axis_request& axis, const tuning::shapes& data) {
  if (!axis.has_half_spectrum) return data.rows;
  return axis.is_forward ? data.rows_of_reals : data.rows_of_bins;
}

const tuning::row_shapes& rows_for(const axis_request& axis, const tuning::shapes& data) {
  const tuning::row_shapes& own = own_rows(axis, data);
  return own.whole.empty() ? data.rows : own;
}

std::size_t prefetched(unsigned mib, const device_info& device) {
  return device.has_bulk_prefetch ? std::size_t{mib} << 20 : 0;
}

bool fits(const tile_shape& shape, const device_info& device) {
  return shape.threads() <= device.max_workgroup &&
         shape.scratch_bytes() <= device.local_memory_bytes &&
         shape.workgroups <= device.max_cluster;
}

/// Takes fewer lanes until the piece fits; nothing if one lane, or `least`, is too much.
std::optional<piece> fitted(piece made, const device_info& device, unsigned least = 1) {
  while (!fits(made.shape, device) && made.shape.lanes > least) made.shape.lanes /= 2;
  if (!fits(made.shape, device)) return std::nullopt;
  return made;
}

/// Returns a piece of `axis` of which only what all have is set; `begins` and `ends` say which ends
/// of the axis it has.
piece common_piece(const axis_request& axis, const tuning::architecture& data, bool begins,
                   bool ends) {
  piece made;
  made.total = axis.total;
  made.shape.element_bytes = axis.stored == precision::fp64 ? 16 : 8;
  made.shape.bank_bytes = data.bank_bytes;
  if (!axis.has_half_spectrum) return made;
  if (axis.is_forward && ends) made.shape.sink = row::half_spectrum;
  if (!axis.is_forward && begins) made.shape.source = row::half_spectrum;
  return made;
}

std::optional<piece> whole_row(piece made, std::span<const tuning::shape> shapes,
                               const device_info& device) {
  const unsigned bits = log2_of(made.total);
  if (bits >= shapes.size()) return std::nullopt;
  const tuning::shape& shape = shapes[bits];
  made.shape.makes = made.shape.has_half_spectrum() ? body::real_row : body::transform;
  made.shape.length = made.total;
  made.shape.elements_per_thread = shape.elements_per_thread;
  made.shape.lanes = shape.transforms;
  made.shape.half_trade = shape.half_trade;
  made.shape.stage_in = shape.stage_in;
  made.shape.stage_out = shape.stage_out;
  made.fraction = static_cast<double>(shape.fraction);
  made.resident = shape.resident;
  made.prefetch_bytes = prefetched(shape.mib_ahead, device);
  made.streams = shape.stores_once;
  return fitted(made, device);
}

/// Takes over what the data says of a line or a plane.
piece shaped_as(piece made, body makes, const tuning::cluster_shape& shape,
                const device_info& device) {
  made.shape.makes = makes;
  made.shape.length = std::size_t{1} << shape.log2_length;
  made.shape.first = 1U << shape.log2_first;
  made.shape.second = 1U << (shape.log2_length - shape.log2_first);
  made.shape.elements_per_thread = shape.elements_per_thread;
  made.shape.workgroups = shape.workgroups;
  made.shape.lanes = shape.lanes;
  made.resident = shape.resident;
  made.fraction = static_cast<double>(shape.fraction);
  made.prefetch_bytes = prefetched(shape.mib_ahead, device);
  return made;
}

std::optional<piece> line_of(const piece& common, unsigned bits,
                             std::span<const tuning::cluster_shape> data,
                             const device_info& device) {
  for (const tuning::cluster_shape& shape : data) {
    if (shape.log2_length != bits) continue;
    piece made = shaped_as(common, body::line, shape, device);
    made.shape.lanes_across = shape.lanes > 1;
    if (fits(made.shape, device)) return made;
  }
  return std::nullopt;
}

/// A row that a workgroup or a cluster takes at once; a line where the data has one of its length.
std::optional<piece> row_at_once(const piece& common, const tuning::row_shapes& data,
                                 const device_info& device) {
  if (auto line = line_of(common, log2_of(common.total), data.lines, device)) return line;
  return whole_row(common, data.whole, device);
}

/// Columns that no data describes: about 4096 elements a workgroup, 16 a thread at most.
tuning::column_shape default_columns(unsigned bits) {
  const unsigned elements = std::min(1u << bits, bits > 6 ? 16u : 8u);
  return {bits, elements, std::clamp(4096u >> bits, 1u, 64u)};
}

/// A list without gaps has at most one shape for a length.
const tuning::column_shape* shape_of(unsigned bits, std::span<const tuning::column_shape> data) {
  if (data.empty() || bits < data.front().log2_length) return nullptr;
  const unsigned i = bits - data.front().log2_length;
  return i < data.size() ? &data[i] : nullptr;
}

std::optional<piece> columns_as(piece made, const tuning::column_shape& shape,
                                std::size_t neighbours, const device_info& device) {
  const unsigned least = made.shape.mirrored ? 2 : 1;
  made.shape.length = std::size_t{1} << shape.log2_length;
  made.shape.elements_per_thread = shape.elements_per_thread;
  made.shape.lanes = std::max(
      static_cast<unsigned>(std::min<std::size_t>(shape.columns, std::bit_ceil(neighbours))),
      least);
  made.shape.lanes_across = true;
  made.shape.half_trade = shape.half_trade;
  made.resident = shape.resident;
  made.fraction = static_cast<double>(shape.fraction);
  made.streams = shape.stores_once;
  return fitted(made, device, least);
}

std::optional<piece> columns(const piece& common, unsigned bits, std::size_t neighbours,
                             const tuning::shapes& data, const device_info& device) {
  if (auto line = line_of(common, bits, data.column_lines, device)) {
    if (line->shape.lanes <= neighbours) return line;
  }
  const tuning::column_shape* known = shape_of(bits, data.columns);
  if (known == nullptr && bits > 12) return std::nullopt;
  return columns_as(common, known != nullptr ? *known : default_columns(bits), neighbours, device);
}

/// Columns whose bins meet: without data for them those of any axis, exchanged whole, since bins
/// meet whole, and with fewer threads where they would spill.
std::optional<piece> mirrored_columns(const piece& common, bool is_forward, unsigned bits,
                                      std::size_t neighbours,
                                      std::span<const tuning::column_shape> own,
                                      tuning::shapes data, const device_info& device) {
  if (const auto* known = shape_of(bits, own)) {
    return columns_as(common, *known, neighbours, device);
  }
  const bool is_fp64 = common.shape.element_bytes == 16, has_banks = common.shape.bank_bytes != 0;
  if (is_fp64 && bits > 11 && has_banks) return std::nullopt;  // spills
  data.column_lines = {};                                      // bins meet within a workgroup
  auto made = columns(common, bits, neighbours, data, device);
  if (!made || !is_forward) return made;
  made->shape.half_trade = false;
  made->resident = std::min(made->resident, 1U);
  const unsigned most = is_fp64 ? 256 : 512;
  while (has_banks && made->shape.threads() > most && made->shape.lanes > 2) {
    made->shape.lanes /= 2;
  }
  return fitted(*made, device, 2);
}

using shares = std::vector<unsigned>;  // log2 of each pass's length

/// Returns the ways to cut an axis into several passes, the best first: as measured, then evenly.
std::vector<shares> ways_to_cut(unsigned bits, std::span<const tuning::cut> cuts) {
  std::vector<shares> ways;
  for (const tuning::cut& each : cuts) {
    if (each.log2_length != bits) continue;
    ways.push_back({each.log2_first, each.log2_second});
    const unsigned rest = bits - each.log2_first - each.log2_second;
    if (rest > 0) ways.back().push_back(rest);
  }
  for (unsigned count = 2; count <= 4; ++count) {
    shares even;
    for (unsigned left = bits, i = count; i > 0; --i) {
      even.push_back((left + i - 1) / i);
      left -= even.back();
    }
    ways.push_back(even);
  }
  return ways;
}

/// Cuts the axis; fewer pieces come back if one of them does not fit.
std::vector<piece> cut_into(const shares& parts, const axis_request& axis,
                            const tuning::architecture& data, const device_info& device) {
  const tuning::shapes& shapes = tuning::shapes_for(data, axis.stored);
  std::vector<piece> pieces;
  std::size_t prior = 1;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    piece common = common_piece(axis, data, i == 0, i + 1 == parts.size());
    common.prior = prior;
    common.shape.mirrored = axis.is_row && common.shape.has_half_spectrum();
    const std::size_t neighbours =
        axis.is_row ? (prior == 1 ? axis.total >> parts[i] : prior) : axis.columns;
    const auto made = common.shape.mirrored
                          ? mirrored_columns(common, axis.is_forward, parts[i], neighbours,
                                             rows_for(axis, shapes).mirrored, shapes, device)
                          : columns(common, parts[i], neighbours, shapes, device);
    if (made) pieces.push_back(*made);
    prior <<= parts[i];
  }
  return pieces;
}

/// In copies; what was not measured may take longer than one.
double time_of(const piece& each) {
  return each.fraction > 0 ? 1 / each.fraction : 1.25;
}

/// How much longer rows take whose inputs are turned, as measured: rows of roots are read, the more
/// per element the fewer a thread has. Long ones of a workgroup lose the prefetches that they were
/// measured with.
double twiddled_time(const piece& rows) {
  const bool loses_prefetch = rows.prefetch_bytes > 0 && !rows.shape.is_cluster() && rows.is_long();
  return time_of(rows) * (1 + 2.2 / rows.shape.elements_per_thread) * (loses_prefetch ? 1.16 : 1);
}

}  // namespace

std::vector<piece> pieces_of(const axis_request& axis, const tuning::architecture& data,
                             const device_info& device) {
  const tuning::shapes& shapes = tuning::shapes_for(data, axis.stored);
  const tuning::row_shapes& rows = rows_for(axis, shapes);
  const unsigned bits = log2_of(axis.total);
  if (axis.is_row) {
    const piece common = common_piece(axis, data, true, true);
    if (const auto whole = row_at_once(common, rows, device)) return {*whole};
  } else {
    const piece common = common_piece(axis, data, false, false);
    if (const auto whole = columns(common, bits, axis.columns, shapes, device)) return {*whole};
  }
  for (const shares& parts : ways_to_cut(bits, rows.cuts)) {
    auto pieces = cut_into(parts, axis, data, device);
    if (pieces.size() == parts.size()) return pieces;
  }
  throw plan_error(
      formatted("length {} does not fit {}: {} bytes of local memory, workgroups of "
                "{}; choose a shorter length or the host engine",
                axis.total, device.name, device.local_memory_bytes, device.max_workgroup));
}

std::vector<piece> scrambled_pieces_of(const axis_request& axis, const tuning::architecture& data,
                                       const device_info& device) {
  const tuning::shapes& shapes = tuning::shapes_for(data, axis.stored);
  const unsigned bits = log2_of(axis.total);
  const piece common = common_piece(axis, data, true, true);
  const auto row_of = [&](unsigned row_bits) {
    piece row = common;
    row.total = std::size_t{1} << row_bits;
    return row_at_once(row, shapes.rows, device);
  };
  if (row_of(bits)) return {};
  double natural = 0;
  // Columns of which no speed was measured are not to be much longer than in natural order.
  std::size_t longest = 0;
  for (const piece& each : pieces_of(axis, data, device)) {
    natural += time_of(each);
    longest = std::max<std::size_t>(longest, 2 * each.shape.length);
  }
  std::vector<piece> best;
  double least = 0.98 * natural;  // a gain of less is not measured surely
  for (unsigned row_bits = bits - 1; row_bits > 0; --row_bits) {
    auto row = row_of(row_bits);
    auto column = columns(common, bits - row_bits, std::size_t{1} << row_bits, shapes, device);
    if (!row || !column || (column->fraction == 0 && column->shape.length > longest)) continue;
    const double time = twiddled_time(*row) + time_of(*column);
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
    prior *= each.shape.length;
  }
  return best;
}

std::optional<piece> plane_of(std::size_t rows, const axis_request& axis,
                              const tuning::architecture& data, const device_info& device) {
  const tuning::shapes& shapes = tuning::shapes_for(data, axis.stored);
  for (const tuning::cluster_shape& shape : own_rows(axis, shapes).planes) {
    piece made = shaped_as(common_piece(axis, data, true, true), body::plane, shape, device);
    made.total = made.shape.length;
    if (made.shape.first != rows || made.shape.second != axis.total) continue;
    if (fits(made.shape, device)) return made;
  }
  return std::nullopt;
}

}  // namespace wingbeat::planner
