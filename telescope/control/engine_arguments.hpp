// SPDX-License-Identifier: Apache-2.0
// Parses the arguments of ?gain, ?gain-all and ?delays. All functions throw `request_failure`,
// naming the text at fault.
#pragma once

#include <complex>
#include <cstddef>  // size_t
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "control/engine_control.hpp"

namespace wingbeat::control {

/// Returns the gain of each channel, from one value for all channels or one for each: finite
/// complex numbers in Python's syntax.
[[nodiscard]] std::vector<std::complex<float>> parse_gains(std::span<const std::string> values,
                                                           std::size_t n_channels);

/// Returns the setting of "delay,delay_rate:phase,phase_rate": finite, with a delay rate below 1 in
/// magnitude.
[[nodiscard]] delay_setting parse_delay(std::string_view text);

/// Returns a finite number; `noun` is its name in messages.
[[nodiscard]] double parse_finite(std::string_view text, std::string_view noun);

}  // namespace wingbeat::control
