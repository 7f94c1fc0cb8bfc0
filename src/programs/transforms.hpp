// SPDX-License-Identifier: Apache-2.0
// Chooses the passes of a transform for a device with compiled kernels: pure arithmetic, without a
// driver.
#pragma once

#include <optional>

#include "backend/backend.hpp"   // step_request
#include "programs/program.hpp"  // program
#include "request/resolved.hpp"  // resolved_spec
#include "tuning/tuning.hpp"     // architecture
#include "wingbeat/devices.hpp"  // device_info

namespace wingbeat::programs {

/// Chooses the passes of a validated request within the device's local memory and workgroups.
/// Throws `plan_error` if the device is too small for every known shape.
[[nodiscard]] program make_program(const request::resolved_spec& request,
                                   const device_info& device);

/// The same with other tuning data than the device's own, to find the best.
[[nodiscard]] program make_program(const request::resolved_spec& request, const device_info& device,
                                   const tuning::architecture& data);

/// Returns whether one workgroup holds a whole row, as stores with `row_outputs` need.
[[nodiscard]] bool holds_whole_rows(const request::resolved_spec& request,
                                    const device_info& device);

/// Implements `engine::realise` for engines that compile kernels.
[[nodiscard]] std::optional<program> launches_of(const backend::step_request& step,
                                                 const device_info& device);

}  // namespace wingbeat::programs
