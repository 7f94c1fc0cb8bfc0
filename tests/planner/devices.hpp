// SPDX-License-Identifier: Apache-2.0
// Devices to plan for, as far as planning asks.
#pragma once

#include <cstddef>  // size_t
#include <string>

#include "wingbeat/devices.hpp"  // device_info

namespace wingbeat::test {

inline device_info nvidia(std::string architecture, std::size_t local_memory_bytes) {
  device_info where;
  where.runs_on = engine::cuda;
  where.name = "GPU";
  where.architecture = std::move(architecture);
  where.local_memory_bytes = local_memory_bytes;
  where.max_workgroup = 1024;
  where.is_gpu = true;
  return where;
}
inline device_info hopper() {
  return nvidia("sm_90", 227 * 1024);
}
inline device_info ampere() {
  return nvidia("sm_80", 163 * 1024);
}

inline device_info opencl(bool is_gpu, std::size_t local_memory_bytes, std::size_t max_workgroup) {
  device_info where = hopper();
  where.runs_on = engine::opencl;
  where.is_gpu = is_gpu;
  where.local_memory_bytes = local_memory_bytes;
  where.max_workgroup = max_workgroup;
  return where;
}

}  // namespace wingbeat::test
