// SPDX-License-Identifier: Apache-2.0
// Validation of convolutions.
#pragma once

#include "wingbeat/convolution.hpp"  // convolution_spec
#include "wingbeat/devices.hpp"      // device_info

namespace wingbeat::convolving {

/// Throws `plan_error` for a spec that no device, or not this one, can run.
void require_valid(const convolution_spec& spec);
void require_valid(const convolution_spec& spec, const device_info& device);

}  // namespace wingbeat::convolving
