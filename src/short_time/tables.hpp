// SPDX-License-Identifier: Apache-2.0
// What a short-time transform's functors read beside samples and spectra, as constants.
#pragma once

#include <cstddef>  // size_t
#include <vector>

#include "programs/program.hpp"     // argument_source, constant
#include "wingbeat/short_time.hpp"  // short_time_spec

namespace wingbeat::short_times {

using table_list = std::vector<programs::argument_source>;

/// Returns phase_origin modulo n_fft.
[[nodiscard]] std::size_t phase_of(const short_time_spec& spec);

/// Returns numbers in `real()`.
[[nodiscard]] programs::constant reals_of(const short_time_spec& spec,
                                          const std::vector<double>& values);

/// Returns the roots by which bins turn; nothing if phases are those of the transform.
[[nodiscard]] table_list roots_of(const short_time_spec& spec);

/// Returns the first bin of each band, where its weights begin, and all weights.
[[nodiscard]] table_list bands_of(const short_time_spec& spec);

/// Returns where each bin's entries begin, and the band and the weight of each entry.
[[nodiscard]] table_list bands_of_bins(const short_time_spec& spec);

}  // namespace wingbeat::short_times
