// SPDX-License-Identifier: Apache-2.0
// Requests that together use every shape of a device's tuning data, and devices to plan them for:
// for tests and programs that compile all kernels on a machine without a GPU.
#pragma once

#include <string_view>
#include <vector>

#include "programs/transforms.hpp"  // pass
#include "wingbeat/devices.hpp"     // device_info
#include "wingbeat/plan.hpp"        // plan_spec

namespace wingbeat::programs {

/// Returns an NVIDIA device of "sm_80", "sm_90" or "sm_100" with the properties that planning
/// reads, as its driver reports them. Throws `plan_error` for any other name.
[[nodiscard]] device_info sample_device(std::string_view architecture);

/// Returns packed transforms of every kind and length, of one to three axes, for few and many rows.
[[nodiscard]] std::vector<plan_spec> every_request();

/// Returns such transforms of common lengths that are no powers of two.
[[nodiscard]] std::vector<plan_spec> mixed_requests();

/// Returns the passes of requests on a device.
[[nodiscard]] std::vector<pass> passes_of(const std::vector<plan_spec>& requests,
                                          const device_info& device);

}  // namespace wingbeat::programs
