// SPDX-License-Identifier: Apache-2.0
// A channeliser's delays, gains and narrow band, from words of a command line and lines of files.
// In a file, '#' begins a comment, and blanks separate numbers:
//
//     delays    START POL DELAY [RATE [PHASE [PHASE_RATE]]]    seconds, radians, radians per second
//     gains     START POL CHANNEL RE [IM]                      CHANNEL: a number, A-B, or *
//
// Lines of later STARTs follow; gains that a START does not name remain as they were.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/option.hpp"            // choices
#include "wingbeat/channeliser.hpp"  // channeliser_spec

namespace wingbeat::cli {

/// Returns the models of --delay, which has seconds for each polarisation.
[[nodiscard]] std::vector<std::vector<delay_model>> delays_of(const std::vector<std::string>& words,
                                                              const channeliser_spec& spec);

/// Return the contents of a file of delays, or of gains. Throw `file_error` naming the line at
/// fault.
[[nodiscard]] std::vector<std::vector<delay_model>> read_delays(const std::filesystem::path& file,
                                                                const channeliser_spec& spec);
[[nodiscard]] std::vector<gain_change> read_gains(const std::filesystem::path& file,
                                                  const channeliser_spec& spec);

/// Returns the band of "centre=..", "decimation=..", "pass_bandwidth=.." and "taps=..". Throws
/// `plan_error` for any other word, for a repeated one, and if one of the first two is missing.
[[nodiscard]] narrowband_spec narrowband_of(const std::vector<std::string>& words);

/// Returns the effect of a narrow band's filter: "the pass band is flat within 0.02 dB, and
/// frequencies outside alias into it at -61.2 dB". Throws `plan_error` if they alias at more than
/// -40 dB, unless that is allowed; `taps` names the option of the filter's taps.
[[nodiscard]] std::string band_text(const channeliser_spec& spec, const std::string& taps,
                                    bool allows_alias);

/// Words of an option that several commands have.
inline const choices<missing_policy> missing_policies{{"withhold", missing_policy::withhold},
                                                      {"zero-fill", missing_policy::zero_fill}};
inline const choices<evaluation_point> evaluation_points{
    {"start", evaluation_point::window_start}, {"centre", evaluation_point::window_centre}};
inline const choices<filter_window> filter_windows{{"hann", filter_window::hann},
                                                   {"rect", filter_window::rectangular}};
inline const choices<dither_kind> dither_kinds{{"none", dither_kind::none},
                                               {"uniform", dither_kind::uniform}};
inline const choices<precision> storage_kinds = named_choices({precision::fp32, precision::fp16});
inline const choices<heap_sample> heap_samples{{"4", heap_sample::int4},
                                               {"8", heap_sample::int8},
                                               {"16", heap_sample::int16},
                                               {"fp16", heap_sample::fp16},
                                               {"fp32", heap_sample::fp32}};

}  // namespace wingbeat::cli
