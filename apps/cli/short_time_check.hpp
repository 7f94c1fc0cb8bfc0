// SPDX-License-Identifier: Apache-2.0
// Short-time transforms by their definition: frames in fp64, and what engines must make of them.
#pragma once

#include <cstddef>  // size_t
#include <functional>
#include <string>
#include <vector>

#include "verify/agreement.hpp"     // agreement, computation, sampling
#include "verify/elements.hpp"      // byte_reader
#include "verify/judge.hpp"         // check_extent, checked_problem
#include "wingbeat/plan.hpp"        // plan_spec
#include "wingbeat/short_time.hpp"  // short_time_spec

namespace wingbeat::cli {

/// The weighted frames of rows whose ends are reflected.
struct reflected_frames {
  short_time_spec spec;
  std::vector<double> samples;  // [row][sample][re, im if complex]: as engines read them

  /// Returns number i of a frame, [sample][re, im if complex]; frames are numbered over all rows.
  [[nodiscard]] double number(std::size_t frame, std::size_t i) const;

  /// Returns the problem whose outputs are the spectra. It must not outlive this.
  [[nodiscard]] verify::checked_problem problem() const;
};

/// Expects numbers that are computed from an output.
struct number_check {
  std::vector<double> expected = {};
  std::function<std::vector<double>(const std::vector<double>& output)> compared = {};
  arrays::element kind = arrays::element::real;
  verify::computation how = {};
  verify::sampling part = {};
  std::string description = {};

  [[nodiscard]] verify::agreement operator()(const std::vector<double>& output) const {
    return verify::compare(compared(output), expected, kind, how, part);
  }
};

/// Expects the magnitudes sqrt(power / largest weight) of the bands in log10, of all frames or, for
/// a sample of a long signal, of some. `frames.spec` has the bands.
[[nodiscard]] number_check check_of_bands(const reflected_frames& frames,
                                          verify::check_extent extent);

/// Expects the sums of weighted frames that spectra, [frame][bin][re, im], transform back to, from
/// which the inverse follows by a division by the sums of squared weights; for a sample, those of
/// three parts of the rows. `spectra` must outlive the check.
[[nodiscard]] number_check check_of_inverse(const short_time_spec& spec,
                                            const std::vector<double>& spectra,
                                            verify::check_extent extent);

}  // namespace wingbeat::cli
