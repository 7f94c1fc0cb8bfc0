// SPDX-License-Identifier: Apache-2.0
// Devices to plan for, as far as the planner reads them.
#pragma once

#include <cstddef>  // size_t

#include "programs/catalogue.hpp"  // sample_device
#include "wingbeat/devices.hpp"    // device_info

namespace wingbeat::test {

inline device_info hopper() {
  return programs::sample_device("sm_90");
}
/// Short launches prefetch and stream as long ones do.
inline device_info hopper_of_late_launches() {
  device_info device = hopper();
  device.has_early_launch = false;
  return device;
}
inline device_info ampere() {
  return programs::sample_device("sm_80");
}

inline device_info opencl(bool is_gpu, std::size_t local_memory_bytes, std::size_t max_workgroup) {
  device_info device;
  device.runs_on = engine::opencl;
  device.name = "an OpenCL device";
  device.architecture = "maker/device";
  device.is_gpu = is_gpu;
  device.local_memory_bytes = local_memory_bytes;
  device.max_workgroup = max_workgroup;
  return device;
}

}  // namespace wingbeat::test
