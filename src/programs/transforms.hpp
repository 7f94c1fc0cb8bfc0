// SPDX-License-Identifier: Apache-2.0
// Which passes make a transform on a device that kernels are compiled for: pure arithmetic, no
// driver.
#pragma once

#include <optional>

#include "backend/backend.hpp"   // step_request
#include "programs/program.hpp"  // program
#include "request/resolved.hpp"  // resolved_spec
#include "tuning/tuning.hpp"     // architecture
#include "wingbeat/devices.hpp"  // device_info

namespace wingbeat::programs {

/// Chooses the passes for a validated request, within the device's local memory and workgroups.
/// Throws `plan_error` where the device is too small for any of the known shapes.
[[nodiscard]] program make_program(const request::resolved_spec& request,
                                   const device_info& device);

/// The same by other tuning data than the device's own: to find out what runs best.
[[nodiscard]] program make_program(const request::resolved_spec& request, const device_info& device,
                                   const tuning::architecture& data);

/// Implements `engine::realise` for engines that compile kernels.
[[nodiscard]] std::optional<program> launches_of(const backend::step_request& step,
                                                 const device_info& device);

}  // namespace wingbeat::programs
