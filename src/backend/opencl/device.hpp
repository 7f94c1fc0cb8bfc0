// SPDX-License-Identifier: Apache-2.0
// The OpenCL devices of this machine, and the form in which each accepts kernels.
#pragma once

#include <memory>  // shared_ptr
#include <string>
#include <vector>

#include "backend/opencl/driver.hpp"
#include "backend/opencl/toolchain.hpp"  // toolchain
#include "wingbeat/devices.hpp"          // device_info

namespace wingbeat::backend::opencl {

/// The form in which a driver accepts a kernel.
enum class route {
  source,   ///< The text: cl_ext_cxx_for_opencl.
  bitcode,  ///< clang's LLVM bitcode: PoCL.
  spirv     ///< SPIR-V, from the bitcode through llvm-spirv.
};

/// A device that can run kernels.
struct device {
  device_id id = nullptr;
  device_info info;
  std::string driver;  ///< Platform, device and driver version: for cache keys.
  std::size_t max_allocation_bytes = 0;
  route takes = route::source;
  bool is_pocl = false;  ///< Compiles at the first launch, keeps its own disk cache.
  std::shared_ptr<const toolchain> tools;
};

/// The devices found; if there are none, one sentence with the reason.
struct discovery {
  std::vector<device> devices;
  std::string problem;
};

/// Looks at every platform. Never throws `device_error`: a device that does not answer is left out.
[[nodiscard]] discovery find_devices(const driver_api& api);

}  // namespace wingbeat::backend::opencl
