// SPDX-License-Identifier: Apache-2.0
// The shape of one piece of an axis: as the tuning data describes it, or by rule, within the
// device's limits.
#pragma once

#include <cstddef>  // size_t
#include <optional>
#include <vector>

#include "planner/pieces.hpp"  // axis_request, piece
#include "planner/rules.hpp"   // rule_request

namespace wingbeat::planner {

/// The input of the choice of pieces: the tuning data of the axis's precision, within the device's
/// limits.
struct choice {
  const axis_request& axis;
  const tuning::architecture& data;
  const device_info& device;
  const tuning::shapes& shapes = tuning::shapes_for(data, axis.stored);

  /// Returns the tuning data of this kind of rows.
  [[nodiscard]] const tuning::row_shapes& own_rows() const {
    if (!axis.has_half_spectrum()) return shapes.rows;
    return axis.sink == row::half_spectrum ? shapes.rows_of_reals : shapes.rows_of_bins;
  }
  [[nodiscard]] const tuning::row_shapes& rows() const {
    return own_rows().whole.is_empty() ? shapes.rows : own_rows();
  }
  /// Returns the number of butterflies of a length along this axis in one call.
  [[nodiscard]] std::size_t butterflies(std::size_t length) const {
    return axis.transforms * (axis.total / length);
  }
};

/// Returns whether a device has the threads, local memory and cluster size for a shape.
[[nodiscard]] bool fits(const tile_shape& shape, const device_info& device);

/// Reduces lanes until the piece fits; nothing if one lane, or `least`, does not fit.
[[nodiscard]] std::optional<piece> fitted(piece result, const device_info& device,
                                          unsigned least = 1);

/// Returns the fields shared by all pieces of the axis. `begins`, `ends`: it is the first or the
/// last piece.
[[nodiscard]] piece common_piece(const choice& context, bool begins, bool ends);

/// Returns the input of a rule for a piece of this length.
[[nodiscard]] rule_request rule_of(const piece& common, std::size_t length);

/// Returns the piece with the shape that the data describes.
[[nodiscard]] piece shaped_as(piece result, body makes, const tuning::shape& shape,
                              const device_info& device);

/// Returns a row of one workgroup, with the described shape or else by rule.
[[nodiscard]] std::optional<piece> whole_row(const piece& common, const tuning::shape* described,
                                             const choice& context);

/// Returns a row of one workgroup, or of a cluster if the data has a line of its length.
[[nodiscard]] std::optional<piece> row_at_once(const piece& common, const tuning::row_shapes& rows,
                                               const choice& context);

/// Returns columns of one workgroup.
[[nodiscard]] std::optional<piece> plain_columns(const piece& common, std::size_t length,
                                                 std::size_t neighbours, const choice& context);

/// Returns columns of a cluster if the data has a line of their length, else of one workgroup.
[[nodiscard]] std::optional<piece> columns(const piece& common, std::size_t length,
                                           std::size_t neighbours, const choice& context);

/// Returns lines of reals side by side. Half as many bytes are neighbours as in complex columns, so
/// more lines share a workgroup. Nothing if runs would be shorter than a sector.
[[nodiscard]] std::optional<piece> lines_side_by_side(const piece& common, std::size_t length,
                                                      std::size_t neighbours,
                                                      const choice& context);

/// Returns columns whose opposite bins meet within a workgroup. Without data they have the shape of
/// ordinary columns, but exchange whole elements because bins meet whole (R2C 2^18 0.47 of a copy,
/// in halves 0.39: bench/lessons/reals.md#long-rows), and use fewer threads if they would spill.
[[nodiscard]] std::optional<piece> mirrored_columns(const piece& common, std::size_t length,
                                                    std::size_t neighbours, const choice& context);

/// Turns prefetches and streaming off in long butterflies with twiddles: see
/// `placement_rules::long_bytes`.
void limit_twiddled(piece& each, const tuning::architecture& data);

using parts = std::vector<std::size_t>;  ///< The length of each pass.

/// Cuts the axis, or its first part, into columns. Returns fewer pieces if one does not fit.
[[nodiscard]] std::vector<piece> cut_into(const parts& lengths, const choice& context);

}  // namespace wingbeat::planner
