// SPDX-License-Identifier: Apache-2.0
// Pieces that convolve: rows multiplied by a spectrum, and axes of any length.
#pragma once

#include <optional>
#include <vector>

#include "planner/pieces.hpp"  // axis_request, piece

namespace wingbeat::planner {

/// Returns the piece in which one workgroup convolves rows, or makes the spectra for that, if it
/// can. It depends on length and precision alone, because rows and spectra must have their bins in
/// the same places.
[[nodiscard]] std::optional<piece> convolution_of(const axis_request& axis,
                                                  const tuning::architecture& data,
                                                  const device_info& device);

/// Returns three pieces that convolve in place rows too long for a workgroup: columns, convolved
/// rows, columns back; empty if no lengths fit. The lengths depend on the axis's length and
/// precision alone, because the spectra are made by the first two pieces.
[[nodiscard]] std::vector<piece> cut_convolution_of(const axis_request& axis,
                                                    const tuning::architecture& data,
                                                    const device_info& device);

/// Returns the length, at least `least`, within which a row is expected to be convolved in the
/// least time. The row has `axis.total` points without padding.
[[nodiscard]] std::size_t length_to_convolve(std::size_t least, axis_request axis,
                                             const tuning::architecture& data,
                                             const device_info& device);

/// Returns whether a call has so few rows that the steps of a row are not hidden behind other rows.
[[nodiscard]] bool are_few(const axis_request& rows, const tuning::architecture& data,
                           const device_info& device);

/// Returns the pieces that convolve an axis whose length is not a good one, as `pieces_of` says. If
/// no workgroup takes the whole axis, it returns them only if `must_be`.
[[nodiscard]] std::vector<piece> convolved_pieces_of(const axis_request& axis, bool must_be,
                                                     const tuning::architecture& data,
                                                     const device_info& device);

}  // namespace wingbeat::planner
