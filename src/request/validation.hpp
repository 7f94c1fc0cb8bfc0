// SPDX-License-Identifier: Apache-2.0
// Validation of a request before it is planned.
#pragma once

#include <cstddef>  // size_t

#include "request/resolved.hpp"  // resolved_spec
#include "wingbeat/devices.hpp"  // device_info

namespace wingbeat::request {

/// Throws `plan_error` unless plans can have axes of n points.
void require_length(std::size_t n);

/// Resolves `spec`. Throws `plan_error`, naming the field at fault, if it cannot be planned for a
/// device.
resolved_spec validated(const plan_spec& spec, const device_info& device);

}  // namespace wingbeat::request
