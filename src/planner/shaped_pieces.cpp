// SPDX-License-Identifier: Apache-2.0
#include "planner/shaped_pieces.hpp"

#include <algorithm>  // max, min
#include <bit>        // bit_ceil

#include "arrays/array.hpp"  // bytes_of_real

namespace wingbeat::planner {
namespace {

std::size_t prefetched(unsigned mib, const device_info& device) {
  return device.has_bulk_prefetch ? std::size_t{mib} << 20 : 0;
}

}  // namespace

bool fits(const tile_shape& shape, const device_info& device) {
  return shape.threads() <= device.max_workgroup &&
         shape.scratch_bytes() <= device.local_memory_bytes &&
         shape.workgroups <= device.max_cluster;
}

std::optional<piece> fitted(piece result, const device_info& device, unsigned least) {
  for (; !fits(result.shape, device); result.shape.lanes /= 2) {
    if (result.shape.lanes <= least) return std::nullopt;
  }
  return result;
}

namespace {

/// Reduces lanes until a call of few transforms occupies all multiprocessors, but keeps enough to
/// fill a subgroup and as many neighbouring columns as the rules want.
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

}  // namespace

piece common_piece(const choice& context, bool begins, bool ends) {
  piece result;
  result.total = context.axis.total;
  result.shape.element_bytes = context.axis.stored == precision::fp64 ? 16 : 8;
  result.shape.bank_bytes = context.data.bank_bytes;
  if (ends) result.shape.sink = context.axis.sink;
  if (begins) result.shape.source = context.axis.source;
  return result;
}

rule_request rule_of(const piece& common, std::size_t length) {
  const tile_shape& shape = common.shape;
  return {.length = length,
          .element_bytes = shape.element_bytes,
          .bank_bytes = shape.bank_bytes,
          .is_real_row = shape.has_half_spectrum() && !shape.mirrored};
}

piece shaped_as(piece result, body makes, const tuning::shape& shape, const device_info& device) {
  tile_shape& tile = result.shape;
  tile.makes = makes;
  tile.length = shape.length;
  tile.elements_per_thread = shape.elements;
  tile.workgroups = shape.workgroups;
  tile.lanes = shape.lanes;
  tile.lanes_across = shape.across;
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

namespace {

/// Takes more rows at once until all threads of subgroups have work, which counts where functors
/// compute: H200, frames of 400 samples to bands, 80 threads: a sixth of the instructions for none.
void fill_subgroups(tuning::shape& shape, const tuning::placement_rules& rules,
                    const device_info& device) {
  if (!device.is_gpu || shape.workgroups > 1) return;
  const std::size_t threads = shape.length / shape.elements;
  while (threads * shape.lanes % rules.threads_of_subgroup != 0 &&
         2 * threads * shape.lanes <= rules.most_threads_filled) {
    shape.lanes *= 2;
  }
}

}  // namespace

std::optional<piece> whole_row(const piece& common, const tuning::shape* described,
                               const choice& context) {
  std::optional<tuning::shape> shape;
  if (described != nullptr) {
    shape = *described;
  } else {
    rule_request asked = rule_of(common, common.total);
    const bool is_bound = context.axis.is_of_reals || context.axis.is_computed;
    asked.is_of_reals = is_bound && !asked.is_real_row;
    shape = row_by_rule(asked, context.data, context.device);
    if (shape && context.axis.has_functors) {
      fill_subgroups(*shape, context.data.placing, context.device);
    }
  }
  if (!shape) return std::nullopt;
  const body makes = common.shape.has_half_spectrum() ? body::real_row : body::transform;
  return fitted(shaped_as(common, makes, *shape, context.device), context.device);
}

namespace {

std::optional<piece> line_of(const piece& common, std::size_t length,
                             const tuning::table<tuning::shape>& lines, const choice& context) {
  for (const tuning::shape& shape : lines) {
    if (shape.length != length || !shape.counts.contains(context.butterflies(length))) continue;
    piece result = shaped_as(common, body::line, shape, context.device);
    result.shape.lanes_across = shape.lanes > 1;
    if (fits(result.shape, context.device)) return result;
  }
  return std::nullopt;
}

}  // namespace

std::optional<piece> row_at_once(const piece& common, const tuning::row_shapes& rows,
                                 const choice& context) {
  const axis_request& axis = context.axis;
  const std::size_t butterflies = context.butterflies(common.total);
  const tuning::shape* described = nullptr;
  if (axis.is_of_reals && axis.is_forward && axis.is_plain && !axis.has_half_spectrum()) {
    described = context.shapes.odd_rows_of_reals.find(common.total, butterflies);
  }
  if (described == nullptr) described = rows.whole.find(common.total, butterflies);
  std::optional<piece> row;
  if (axis.is_whole) row = whole_row(common, described, context);
  if (!row) {
    if (auto line = line_of(common, common.total, rows.lines, context)) return line;
    row = whole_row(common, described, context);
  }
  if (row) spread(*row, context);
  return row;
}

namespace {

/// Returns how many neighbouring columns share a tile, at most `most`. On a processor, where an
/// empty lane takes as long as a full one, halves that while fewer are left over, but keeps enough
/// to fill its vectors.
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

}  // namespace

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

std::optional<piece> lines_side_by_side(const piece& common, std::size_t length,
                                        std::size_t neighbours, const choice& context) {
  const auto shape = lines_by_rule(rule_of(common, length), context.data, context.device);
  if (!shape) return std::nullopt;
  auto result = columns_as(common, *shape, neighbours, context);
  if (result && common.shape.has_half_spectrum()) result->shape.makes = body::real_row;
  return result;
}

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

void limit_twiddled(piece& each, const tuning::architecture& data) {
  const std::size_t bytes = each.shape.length * each.shape.element_bytes;
  if (each.prior == 1 || bytes <= data.placing.long_bytes) return;
  each.prefetch_bytes = 0;
  each.streams = false;
}

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

}  // namespace wingbeat::planner
