// SPDX-License-Identifier: Apache-2.0
#include "planner/pieces.hpp"

#include <fmt/core.h>

#include <algorithm>  // clamp, max, min
#include <bit>        // bit_ceil, countr_zero
#include <optional>
#include <utility>  // swap

#include "wingbeat/error.hpp"  // plan_error

namespace wingbeat::planner {
namespace {

unsigned log2_of(std::size_t n) {
  return static_cast<unsigned>(std::countr_zero(n));
}

/// What the data says of this kind of rows alone.
const tuning::row_shapes& own_rows(const axis_request& axis, const tuning::shapes& data) {
  if (!axis.is_of_bins) return data.rows;
  return axis.is_forward ? data.rows_of_reals : data.rows_of_bins;
}

const tuning::row_shapes& rows_for(const axis_request& axis, const tuning::shapes& data) {
  const tuning::row_shapes& own = own_rows(axis, data);
  return own.whole.empty() ? data.rows : own;
}

bool has_clusters(const device_info& where) {
  if (where.runs_on != engine::cuda) return false;
  const bool is_older = where.architecture.size() == 5 && where.architecture < "sm_90";
  return !is_older;
}

/// Older devices have no such request.
std::size_t requested(unsigned mib, const device_info& where) {
  return has_clusters(where) ? std::size_t{mib} << 20 : 0;
}

bool fits(const pass& one, const device_info& where) {
  return one.threads() <= where.max_workgroup && one.scratch_bytes() <= where.local_memory_bytes &&
         (one.workgroups_of_cluster == 1 || has_clusters(where));
}

/// States which ends of an axis of bins this pass has: local memory depends on that.
pass with_ends(pass one, const axis_request& axis, bool begins, bool ends) {
  if (!axis.is_of_bins) return one;
  if (axis.is_forward && ends) one.out.holds = row::half_spectrum;
  if (!axis.is_forward && begins) one.in.holds = row::half_spectrum;
  return one;
}

/// Takes fewer lanes until the pass fits; nothing if one lane, or `least`, is too much.
std::optional<pass> fitted(pass one, const device_info& where, unsigned least = 1) {
  while (!fits(one, where) && one.lanes > least) one.lanes /= 2;
  if (!fits(one, where)) return std::nullopt;
  return one;
}

std::optional<pass> whole_row(pass one, std::span<const tuning::shape> shapes,
                              const device_info& where) {
  const unsigned bits = log2_of(one.total);
  if (bits >= shapes.size()) return std::nullopt;
  const tuning::shape& shape = shapes[bits];
  one.length = one.total;
  one.elements_per_thread = shape.elements_per_thread;
  one.lanes = shape.transforms;
  one.half_trade = shape.half_trade;
  one.stage_in = shape.stage_in;
  one.stage_out = shape.stage_out;
  one.fraction = shape.fraction;
  one.resident = shape.resident;
  one.bytes_ahead = requested(shape.mib_ahead, where);
  one.out.is_once = shape.stores_once;
  return fitted(one, where);
}

/// Takes over what the data says of a line or a plane.
void shape_as(pass& one, pass::kind does, const tuning::cluster_shape& shape,
              const device_info& where) {
  one.does = does;
  one.length = std::size_t{1} << shape.log2_length;
  one.first = std::size_t{1} << shape.log2_first;
  one.second = one.length / one.first;
  one.elements_per_thread = shape.elements_per_thread;
  one.workgroups_of_cluster = shape.workgroups;
  one.lanes = shape.lanes;
  one.resident = shape.resident;
  one.fraction = shape.fraction;
  one.bytes_ahead = requested(shape.mib_ahead, where);
}

std::optional<pass> clustered(pass one, unsigned bits, std::span<const tuning::cluster_shape> data,
                              const device_info& where) {
  for (const tuning::cluster_shape& shape : data) {
    if (shape.log2_length != bits) continue;
    shape_as(one, pass::kind::line, shape, where);
    one.lanes_across = shape.lanes > 1;
    if (fits(one, where)) return one;
  }
  return std::nullopt;
}

/// A row that a workgroup or a cluster takes at once; a line where the data has one of its length.
std::optional<pass> row_at_once(const pass& one, const tuning::row_shapes& data,
                                const device_info& where) {
  if (auto line = clustered(one, log2_of(one.total), data.lines, where)) return line;
  return whole_row(one, data.whole, where);
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

std::optional<pass> columns_as(pass one, const tuning::column_shape& shape, std::size_t neighbours,
                               const device_info& where) {
  const unsigned least = one.is_mirrored ? 2 : 1;
  one.length = std::size_t{1} << shape.log2_length;
  one.elements_per_thread = shape.elements_per_thread;
  one.lanes = std::max(
      static_cast<unsigned>(std::min<std::size_t>(shape.columns, std::bit_ceil(neighbours))),
      least);
  one.lanes_across = true;
  one.half_trade = shape.half_trade;
  one.resident = shape.resident;
  one.fraction = shape.fraction;
  one.out.is_once = shape.stores_once;
  return fitted(one, where, least);
}

std::optional<pass> columns(const pass& one, unsigned bits, std::size_t neighbours,
                            const tuning::shapes& data, const device_info& where) {
  if (auto line = clustered(one, bits, data.column_lines, where)) {
    if (line->lanes <= neighbours) return line;
  }
  const tuning::column_shape* known = shape_of(bits, data.columns);
  if (known == nullptr && bits > 12) return std::nullopt;
  return columns_as(one, known != nullptr ? *known : default_columns(bits), neighbours, where);
}

/// Columns whose bins meet: without data for them those of any axis, exchanged whole, since bins
/// meet whole, and with fewer threads where they would spill.
std::optional<pass> mirrored_columns(const pass& one, unsigned bits, std::size_t neighbours,
                                     std::span<const tuning::column_shape> own, tuning::shapes data,
                                     const device_info& where) {
  if (const auto* known = shape_of(bits, own)) return columns_as(one, *known, neighbours, where);
  if (one.real == precision::fp64 && bits > 11 && one.bank_bytes != 0)
    return std::nullopt;   // spills
  data.column_lines = {};  // bins meet within a workgroup
  auto made = columns(one, bits, neighbours, data, where);
  if (!made || !made->is_forward) return made;
  made->half_trade = false;
  made->resident = std::min(made->resident, 1U);
  const unsigned most = made->real == precision::fp64 ? 256 : 512;
  while (made->bank_bytes != 0 && made->threads() > most && made->lanes > 2) made->lanes /= 2;
  return fitted(*made, where, 2);
}

using shares = std::vector<unsigned>;  // log2 of each pass's length

/// Returns the ways to cut an axis into several passes, the best first: as measured, then evenly.
std::vector<shares> ways_to_cut(unsigned bits, std::span<const tuning::cut> cuts) {
  std::vector<shares> all;
  for (const tuning::cut& each : cuts) {
    if (each.log2_length != bits) continue;
    all.push_back({each.log2_first, each.log2_second});
    const unsigned rest = bits - each.log2_first - each.log2_second;
    if (rest > 0) all.back().push_back(rest);
  }
  for (unsigned count = 2; count <= 4; ++count) {
    shares even;
    for (unsigned left = bits, i = count; i > 0; --i) {
      even.push_back((left + i - 1) / i);
      left -= even.back();
    }
    all.push_back(even);
  }
  return all;
}

/// Cuts the axis; fewer passes come back if one of them does not fit.
std::vector<pass> cut_into(const shares& parts, const axis_request& axis, const pass& like,
                           const tuning::shapes& data, const device_info& where) {
  std::vector<pass> made;
  std::size_t prior = 1;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    pass one = with_ends(like, axis, i == 0, i + 1 == parts.size());
    one.prior = prior;
    one.is_mirrored = axis.is_row && one.is_of_bins();
    const std::size_t neighbours =
        axis.is_row ? (prior == 1 ? axis.total >> parts[i] : prior) : axis.columns;
    const auto fitted = one.is_mirrored
                            ? mirrored_columns(one, parts[i], neighbours,
                                               rows_for(axis, data).mirrored, data, where)
                            : columns(one, parts[i], neighbours, data, where);
    if (fitted) made.push_back(*fitted);
    prior <<= parts[i];
  }
  return made;
}

}  // namespace

std::vector<pass> pieces_of(const axis_request& axis, const pass& like,
                            const tuning::architecture& data, const device_info& where) {
  const tuning::shapes& shapes = tuning::shapes_for(data, like.in.stored);
  const tuning::row_shapes& rows = rows_for(axis, shapes);
  const unsigned bits = log2_of(axis.total);
  pass one = like;
  one.total = axis.total;
  if (axis.is_row) {
    const pass whole = with_ends(one, axis, true, true);
    if (const auto row = row_at_once(whole, rows, where)) return {*row};
  } else if (const auto whole = columns(one, bits, axis.columns, shapes, where)) {
    return {*whole};
  }
  for (const shares& parts : ways_to_cut(bits, rows.cuts)) {
    auto made = cut_into(parts, axis, one, shapes, where);
    if (made.size() == parts.size()) return made;
  }
  throw plan_error(
      fmt::format("length {} does not fit {}: {} bytes of local memory, workgroups of "
                  "{}; choose a shorter length or the host engine",
                  axis.total, where.name, where.local_memory_bytes, where.max_workgroup));
}

std::vector<pass> scrambled_pieces_of(const axis_request& axis, const pass& like,
                                      const tuning::architecture& data, const device_info& where) {
  const tuning::shapes& shapes = tuning::shapes_for(data, like.in.stored);
  const unsigned bits = log2_of(axis.total);
  const auto row_of = [&](unsigned row_bits) {
    pass one = like;
    one.total = std::size_t{1} << row_bits;
    return row_at_once(one, shapes.rows, where);
  };
  if (row_of(bits)) return {};
  // In copies; what was not measured may take longer than one.
  const auto time_of = [](const pass& one) { return one.fraction > 0 ? 1 / one.fraction : 1.25; };
  // Rows whose inputs are turned, as measured: rows of roots are read, the more per element the
  // fewer a thread has. Long ones of a workgroup lose the requests that they were measured with.
  const auto turned = [](const pass& row) {
    const bool is_without = row.bytes_ahead > 0 && !row.is_cluster() && row.is_long();
    return (1 + 2.2 / row.elements_per_thread) * (is_without ? 1.16 : 1);
  };
  double natural = 0;
  // Columns of which no speed was measured are not to be much longer than in natural order.
  std::size_t longest = 0;
  for (const pass& each : pieces_of(axis, like, data, where)) {
    natural += time_of(each);
    longest = std::max(longest, 2 * each.length);
  }
  std::vector<pass> best;
  double least = 0.98 * natural;  // a gain of less is not measured surely
  for (unsigned row_bits = bits - 1; row_bits > 0; --row_bits) {
    auto row = row_of(row_bits);
    auto column = columns(like, bits - row_bits, std::size_t{1} << row_bits, shapes, where);
    if (!row || !column || (column->fraction == 0 && column->length > longest)) continue;
    const double time = time_of(*row) * turned(*row) + time_of(*column);
    if (time >= least) continue;
    least = time;
    column->spacing = row->length;
    best = {*column, *row};
    if (!axis.is_forward) std::swap(best[0], best[1]);
  }
  std::size_t prior = 1;
  for (pass& each : best) {
    each.total = axis.total;
    each.prior = prior;
    each.stays = true;
    prior *= each.length;
  }
  return best;
}

pass plane_of(std::size_t rows, const axis_request& axis, const pass& like,
              const tuning::architecture& data, const device_info& where) {
  pass one = like;
  one.length = 0;
  const tuning::shapes& shapes = tuning::shapes_for(data, like.in.stored);
  for (const tuning::cluster_shape& shape : own_rows(axis, shapes).planes) {
    pass made = with_ends(like, axis, true, true);
    shape_as(made, pass::kind::plane, shape, where);
    made.total = made.length;
    if (made.first != rows || made.second != axis.total) continue;
    if (fits(made, where)) return made;
  }
  return one;
}

}  // namespace wingbeat::planner
