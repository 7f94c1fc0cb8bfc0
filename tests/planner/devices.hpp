// SPDX-License-Identifier: Apache-2.0
// Devices to plan for, as far as the planner reads them.
#pragma once

#include <cstddef>  // size_t
#include <string>

#include "wingbeat/devices.hpp"  // device_info

namespace wingbeat::test {

inline device_info nvidia(std::string architecture, std::size_t local_memory_bytes) {
  device_info device;
  device.runs_on = engine::cuda;
  device.name = "GPU";
  device.architecture = std::move(architecture);
  device.local_memory_bytes = local_memory_bytes;
  device.max_workgroup = 1024;
  device.is_gpu = true;
  return device;
}
inline device_info hopper() {
  return nvidia("sm_90", 227 * 1024);
}
inline device_info ampere() {
  return nvidia("sm_80", 163 * 1024);
}

inline device_info opencl(bool is_gpu, std::size_t local_memory_bytes, std::size_t max_workgroup) {
  device_info device = hopper();
  device.runs_on = engine::opencl;
  device.is_gpu = is_gpu;
  device.local_memory_bytes = local_memory_bytes;
  device.max_workgroup = max_workgroup;
  return device;
}

}  // namespace wingbeat::test
