// SPDX-License-Identifier: Apache-2.0
// ?gain, ?gain-all and ?delays: from text to an engine, all or nothing.
#pragma once

#include <complex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "control/engine_control.hpp"
#include "control/engine_sensors.hpp"
#include "control/katcp_server.hpp"

namespace wingbeat::control {

/// Adds ?gain, ?gain-all and ?delays, which act on the engine and update the sensors
/// `steady-state-timestamp` and `eq` before they are answered. Both outlive the server.
void add_engine_requests(katcp_server& server, engine_control& engine, engine_sensors& sensors);

/// Returns the gain of each channel from one value for all or one for each. Throws
/// `request_failure`, naming the first that is no finite complex number.
[[nodiscard]] std::vector<std::complex<float>> parse_gains(std::span<const std::string> values,
                                                           std::size_t n_channels);

/// Returns the setting of "delay,rate:phase,rate". Throws `request_failure`.
[[nodiscard]] delay_setting parse_delay(std::string_view text);

}  // namespace wingbeat::control
