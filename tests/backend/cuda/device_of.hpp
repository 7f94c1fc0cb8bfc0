// SPDX-License-Identifier: Apache-2.0
// Devices to compile for on a machine that has none.
#pragma once

#include <string>

#include "wingbeat/devices.hpp"  // device_info

namespace wingbeat::test {

/// Returns what NVIDIA's devices of "sm_80", "sm_90" or "sm_100" say of themselves, as far as
/// planning asks.
inline device_info device_of(const std::string& architecture) {
  device_info where;
  where.runs_on = engine::cuda;
  where.architecture = architecture;
  where.local_memory_bytes = (architecture == "sm_80" ? 163 : 227) * 1024;
  where.max_workgroup = 1024;
  where.is_gpu = true;
  return where;
}

}  // namespace wingbeat::test
