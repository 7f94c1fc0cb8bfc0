// SPDX-License-Identifier: Apache-2.0
// Short-time transforms by their definition: frames in fp64, and what engines must make of them.
#pragma once

#include <cstddef>  // size_t
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "verify/agreement.hpp"     // agreement, computation, sampling
#include "verify/elements.hpp"      // byte_reader
#include "verify/judge.hpp"         // check_extent, checked_problem
#include "wingbeat/plan.hpp"        // plan_spec
#include "wingbeat/short_time.hpp"  // short_time_spec

namespace wingbeat::cli {

/// The weighted frames of rows that end within them, or whose ends are reflected.
class weighted_frames {
 public:
  /// Takes samples, [row][sample][re, im if complex], as engines read them.
  weighted_frames(const short_time_spec& frames, std::vector<double> rows);

  [[nodiscard]] const short_time_spec& spec() const { return spec_; }

  /// Writes numbers of a frame as fp64, [sample][re, im if complex], from `first` on; frames are
  /// numbered over all rows. Means are taken away as engines round them and their differences.
  void read(std::size_t frame, std::size_t first, std::span<std::byte> into) const;

  /// Returns the problem whose outputs are the spectra, or their magnitudes where features are
  /// powers. It must not outlive this.
  [[nodiscard]] verify::checked_problem problem() const;

  /// Returns the magnitude of each power, [frame][bin], with an imaginary part of 0.
  [[nodiscard]] std::vector<double> magnitudes(const std::vector<double>& powers) const;

 private:
  short_time_spec spec_;
  std::vector<double> samples_, means_;  ///< The means: [frame][re, im if complex].
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
/// a sample of a long signal, of some. Its spec has the bands.
[[nodiscard]] number_check check_of_bands(const weighted_frames& frames,
                                          verify::check_extent extent);

/// Expects the sums of weighted frames that spectra, [frame][bin][re, im], transform back to, from
/// which the inverse follows by a division by the sums of squared weights; for a sample, those of
/// three parts of the rows. `spectra` must outlive the check.
[[nodiscard]] number_check check_of_inverse(const short_time_spec& spec,
                                            const std::vector<double>& spectra,
                                            verify::check_extent extent);

}  // namespace wingbeat::cli
