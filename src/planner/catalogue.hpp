// SPDX-License-Identifier: Apache-2.0
// Requests that together lead to every shape of a device's tuning data, for tests and programs that
// compile all kernels.
#pragma once

#include <vector>

#include "planner/program.hpp"   // pass
#include "wingbeat/devices.hpp"  // device_info
#include "wingbeat/plan.hpp"     // plan_spec

namespace wingbeat::planner {

/// Returns packed transforms of every kind and length, of one to three axes.
[[nodiscard]] std::vector<plan_spec> every_request();

/// Returns the passes of all those requests on a device.
[[nodiscard]] std::vector<pass> every_pass(const device_info& device);

}  // namespace wingbeat::planner
