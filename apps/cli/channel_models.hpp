// SPDX-License-Identifier: Apache-2.0
// A channeliser's delays, gains and narrow band as words of a command line and as lines of files.
// Of a file, '#' begins a comment, and numbers stand between blanks:
//
//     delays    START POL DELAY [RATE [PHASE [PHASE_RATE]]]    seconds, radians, radians a second
//     gains     START POL CHANNEL RE [IM]                      CHANNEL: a number, A-B, or *
//
// Lines of later STARTs follow; gains that a START does not name remain as they were.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "wingbeat/channeliser.hpp"  // channeliser_spec

namespace wingbeat::cli {

/// Returns the models of --delay, seconds of each polarisation.
[[nodiscard]] std::vector<std::vector<delay_model>> delays_of(const std::vector<std::string>& words,
                                                              const channeliser_spec& spec);

/// Return what a file of delays, or of gains, says. Throw `file_error` naming the line at fault.
[[nodiscard]] std::vector<std::vector<delay_model>> read_delays(const std::filesystem::path& file,
                                                                const channeliser_spec& spec);
[[nodiscard]] std::vector<gain_change> read_gains(const std::filesystem::path& file,
                                                  const channeliser_spec& spec);

/// Returns the band of "centre=..", "decimation=..", "pass_bandwidth=.." and "taps=..". Throws
/// `plan_error` for any other word, for one twice, and where one of the first two is left out.
[[nodiscard]] narrowband_spec narrowband_of(const std::vector<std::string>& words);

/// Returns what the filter of a narrow band does to it: "the pass band is flat within 0.02 dB, and
/// frequencies outside alias into it at -61.2 dB". Throws `plan_error` where they do at more than
/// -40 dB, unless that is allowed; `taps` names the option of the filter's taps.
[[nodiscard]] std::string band_text(const channeliser_spec& spec, const std::string& taps,
                                    bool allows_alias);

/// Return what a word of --missing, of --evaluate, or of `option` names. Throw `plan_error` for
/// another word.
[[nodiscard]] missing_policy missing_named(const std::string& word);
[[nodiscard]] evaluation_point evaluation_named(const std::string& word);
[[nodiscard]] heap_sample heap_sample_named(const char* option, const std::string& word);

}  // namespace wingbeat::cli
