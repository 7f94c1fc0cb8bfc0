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

/// Returns whether a device has the threads, the local memory and the workgroups of a cluster.
[[nodiscard]] bool fits(const tile_shape& shape, const device_info& device);

/// Takes fewer lanes until the piece fits; nothing if one lane, or `least`, is too much.
[[nodiscard]] std::optional<piece> fitted(piece result, const device_info& device,
                                          unsigned least = 1);

/// Returns a piece with what all pieces of the axis have; `begins` and `ends` are whether it is the
/// first and the last.
[[nodiscard]] piece common_piece(const choice& context, bool begins, bool ends);

/// Returns what a rule is asked for a piece of this length.
[[nodiscard]] rule_request rule_of(const piece& common, std::size_t length);

/// Returns the piece as the data describes its shape.
[[nodiscard]] piece shaped_as(piece result, body makes, const tuning::shape& shape,
                              const device_info& device);

/// A row that one workgroup takes, as the data describes it, or else by rule.
[[nodiscard]] std::optional<piece> whole_row(const piece& common, const tuning::shape* described,
                                             const choice& context);

/// A row that a workgroup or a cluster takes at once; a line where the data has one of its length.
[[nodiscard]] std::optional<piece> row_at_once(const piece& common, const tuning::row_shapes& rows,
                                               const choice& context);

/// Columns of one workgroup.
[[nodiscard]] std::optional<piece> plain_columns(const piece& common, std::size_t length,
                                                 std::size_t neighbours, const choice& context);

/// Columns of a cluster where the data has a line of their length, else of one workgroup.
[[nodiscard]] std::optional<piece> columns(const piece& common, std::size_t length,
                                           std::size_t neighbours, const choice& context);

/// Lines of reals side by side, of which half as many bytes are neighbours as of complex columns:
/// so many more of one workgroup; nothing where runs would be shorter than a sector.
[[nodiscard]] std::optional<piece> lines_side_by_side(const piece& common, std::size_t length,
                                                      std::size_t neighbours,
                                                      const choice& context);

/// Columns whose bins meet, which is within a workgroup. Without data for them they are those of
/// any axis, but exchange whole elements, because bins meet whole (R2C 2^18 0.47 of a copy, in
/// halves 0.39: bench/lessons/reals.md#long-rows), and with fewer threads where they would spill.
[[nodiscard]] std::optional<piece> mirrored_columns(const piece& common, std::size_t length,
                                                    std::size_t neighbours, const choice& context);

/// Long butterflies with twiddles neither prefetch nor stream: see `placement_rules::long_bytes`.
void limit_twiddled(piece& each, const tuning::architecture& data);

using parts = std::vector<std::size_t>;  ///< The length of each pass.

/// Cuts the axis, or what comes first of it, into columns; fewer pieces come back if one of them
/// does not fit.
[[nodiscard]] std::vector<piece> cut_into(const parts& lengths, const choice& context);

}  // namespace wingbeat::planner
