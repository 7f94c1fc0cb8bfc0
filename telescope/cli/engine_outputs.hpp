// SPDX-License-Identifier: Apache-2.0
// An F-engine's outputs as words of its command line:
//
//     name=wide,channels=1024,dst=239.10.10.10+15:7148,jones_per_batch=1048576,taps=16
#pragma once

#include <cstdint>  // uint64_t
#include <string>

#include "fengine/engine_spec.hpp"  // output_spec

namespace wingbeat::cli {

enum class output_kind { wideband, narrowband };

/// Returns the output of `words`, whose heaps hold `samples`; without a seed in the words, the
/// dither has `seed`. Throws `plan_error` for a word that is not a key with a value, a key that the
/// kind does not have, a repeated key, a missing key, and a value out of range.
[[nodiscard]] fengine::output_spec parse_output(output_kind kind, const std::string& words,
                                                heap_sample samples, std::uint64_t seed);

/// Throws `plan_error` if an ADC of this rate has no such narrowband.
void require_band(const fengine::output_spec& output, double adc_rate_hz);

/// Returns the keys of a kind with their meanings, for the help.
[[nodiscard]] std::string output_keys_text();

}  // namespace wingbeat::cli
