// SPDX-License-Identifier: Apache-2.0
// How warm this machine is.
#pragma once

#include <vector>

#include "control/monitor.hpp"  // monitored_figure

namespace wingbeat::fengine {

/// Returns the temperatures that Linux tells, in degrees Celsius; none where it tells none.
[[nodiscard]] std::vector<control::monitored_figure> temperatures();

}  // namespace wingbeat::fengine
