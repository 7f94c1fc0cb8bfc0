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

/// Returns the output of `words`, in which `samples` are what heaps hold; where no seed is given
/// the dither has `seed`. Throws `plan_error` for a word that is no key with a value, a key that
/// the kind does not have, one twice, one that is missing, and a value out of range.
[[nodiscard]] fengine::output_spec parse_output(output_kind kind, const std::string& words,
                                                heap_sample samples, std::uint64_t seed);

/// Throws `plan_error` where an ADC of this rate has no such narrowband.
void require_band(const fengine::output_spec& output, double adc_rate_hz);

/// Returns the keys of a kind with what each is, for the help.
[[nodiscard]] std::string output_keys_text();

}  // namespace wingbeat::cli
