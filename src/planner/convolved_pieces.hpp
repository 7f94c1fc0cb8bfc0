// SPDX-License-Identifier: Apache-2.0
// Pieces that convolve: rows that are multiplied by a spectrum, and axes of any length.
#pragma once

#include <optional>
#include <vector>

#include "planner/pieces.hpp"  // axis_request, piece

namespace wingbeat::planner {

/// Returns the piece that convolves rows in one workgroup, or makes the spectra for it, if there is
/// one. It depends on length and precision alone, because both must have bins in the same places.
[[nodiscard]] std::optional<piece> convolution_of(const axis_request& axis,
                                                  const tuning::architecture& data,
                                                  const device_info& device);

/// Returns three pieces that convolve rows which no workgroup takes, in place: columns, rows that
/// are convolved each, columns back. Empty where there are none. Their lengths depend on that of
/// the axis and its precision alone, because spectra, which the first two make, have them too.
[[nodiscard]] std::vector<piece> cut_convolution_of(const axis_request& axis,
                                                    const tuning::architecture& data,
                                                    const device_info& device);

/// Returns the length from `least` on that a row, of `axis.total` points beside padding, is
/// expected to be convolved within in least time.
[[nodiscard]] std::size_t length_to_convolve(std::size_t least, axis_request axis,
                                             const tuning::architecture& data,
                                             const device_info& device);

/// Returns whether a call has so few rows that each waits for its own steps.
[[nodiscard]] bool are_few(const axis_request& rows, const tuning::architecture& data,
                           const device_info& device);

/// Returns the pieces of an axis whose length is no good one, convolved as `pieces_of` says; empty
/// where no workgroup takes it whole, unless it must be convolved.
[[nodiscard]] std::vector<piece> convolved_pieces_of(const axis_request& axis, bool must_be,
                                                     const tuning::architecture& data,
                                                     const device_info& device);

}  // namespace wingbeat::planner
