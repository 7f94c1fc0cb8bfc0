// SPDX-License-Identifier: Apache-2.0
// Pieces of axes as the passes of a program.
#pragma once

#include <cstddef>  // size_t
#include <vector>

#include "arrays/array.hpp"      // array
#include "arrays/spectra.hpp"    // spectrum_array
#include "planner/pieces.hpp"    // piece
#include "programs/program.hpp"  // program, pass
#include "request/resolved.hpp"  // resolved_spec
#include "tuning/tuning.hpp"     // architecture
#include "wingbeat/devices.hpp"  // device_info

namespace wingbeat::programs {

/// A piece and the axis that it transforms; for a plane, the slower of its two.
struct planned_piece {
  planner::piece chosen;
  std::size_t axis = 0;
  bool begins = true;  ///< The first piece of its axis.
  bool ends = true;    ///< The last piece of its axis.

  /// Returns whether it writes the same places of the axis that it reads.
  [[nodiscard]] bool keeps_places() const {
    // A chirp's first and last pieces have N points on one side and M on the other.
    const bool is_padded = chosen.is_padded() && (begins || ends);
    return (begins && ends) || (chosen.is_in_place() && !is_padded);
  }
};

/// Both sides of a request as passes read and write them. Rows of reals are complex rows of half
/// the length if possible; otherwise, as for an odd length, reals are complex numbers with
/// imaginary parts of 0.
struct array_sides {
  array_sides(const request::resolved_spec& request, bool may_pair)
      : in(may_pair ? arrays::as_pairs(request.in) : request.in),
        out(may_pair ? arrays::as_pairs(request.out) : request.out) {}

  arrays::array in, out;

  /// Returns whether one side consists of pairs of reals.
  [[nodiscard]] bool have_pairs() const {
    return in.elements_are == arrays::element::pair || out.elements_are == arrays::element::pair;
  }
};

/// Throws `plan_error` if a pass exceeds the limits of a launch.
void require_launchable(const planner::pass& each, const plan_spec& spec,
                        const device_info& device);

/// Returns a program that clears the output, if the request needs that before the first pass.
[[nodiscard]] program cleared_output(const plan_spec& spec);

/// Returns the passes of pieces in order; convolving ones multiply by `filter`.
[[nodiscard]] program program_of(const request::resolved_spec& request, const array_sides& sides,
                                 const std::vector<planned_piece>& pieces,
                                 const spectrum_array* filter, const device_info& device,
                                 const tuning::architecture& data);

}  // namespace wingbeat::programs
