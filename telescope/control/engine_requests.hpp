// SPDX-License-Identifier: Apache-2.0
// ?gain, ?gain-all and ?delays: each applies its text to an engine completely or not at all.
#pragma once

#include "control/engine_control.hpp"
#include "control/engine_sensors.hpp"
#include "control/katcp_server.hpp"

namespace wingbeat::control {

/// Adds ?gain, ?gain-all and ?delays, which act on the engine and update the sensors
/// `steady-state-timestamp` and `eq` before they reply. Both references outlive the server.
void add_engine_requests(katcp_server& server, engine_control& engine, engine_sensors& sensors);

}  // namespace wingbeat::control
