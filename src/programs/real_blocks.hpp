// SPDX-License-Identifier: Apache-2.0
// Batches of small planes of reals, transformed along both axes in one launch.
#pragma once

#include <optional>

#include "programs/program.hpp"  // program
#include "request/resolved.hpp"  // resolved_spec
#include "wingbeat/devices.hpp"  // device_info

namespace wingbeat::programs {

/// Returns the one launch of a transform from reals to reals of two short axes, a kind for each, by
/// the matrices that define it; nothing if axes are longer, elements are left out or there are
/// functors.
[[nodiscard]] std::optional<program> program_of_blocks(const request::resolved_spec& request,
                                                       const device_info& device);

}  // namespace wingbeat::programs
