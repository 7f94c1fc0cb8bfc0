// SPDX-License-Identifier: Apache-2.0
// What is asked of a request before a plan is made.
#pragma once

#include "wingbeat/devices.hpp"  // device_info
#include "wingbeat/plan.hpp"     // plan_spec

namespace wingbeat {

/// Throws `plan_error`, naming the field at fault, where `what` cannot be planned for a device.
void validate(const plan_spec& what, const device_info& where);

}  // namespace wingbeat
