// SPDX-License-Identifier: Apache-2.0
// Which engines compile kernels for a device when a plan is made.
#pragma once

#include "wingbeat/devices.hpp"  // engine

namespace wingbeat {

[[nodiscard]] constexpr bool compiles_kernels(engine runs_on) {
  return runs_on == engine::cuda || runs_on == engine::opencl;
}

}  // namespace wingbeat
