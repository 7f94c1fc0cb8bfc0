// SPDX-License-Identifier: Apache-2.0
// Validation of a request before it is planned.
#pragma once

#include <cstddef>  // size_t

#include "wingbeat/devices.hpp"  // device_info
#include "wingbeat/plan.hpp"     // plan_spec

namespace wingbeat {

/// Throws `plan_error`, naming the nearest good lengths, unless `n` is one.
void require_good_length(std::size_t n);

/// Throws `plan_error`, naming the field at fault, where `spec` cannot be planned for a device.
void validate(const plan_spec& spec, const device_info& device);

}  // namespace wingbeat
