// SPDX-License-Identifier: Apache-2.0
// From the text of a kernel to a program built for one device, by the route its driver takes.
#pragma once

#include "backend/kernel.hpp"         // kernel_source
#include "backend/kernel_cache.hpp"   // kernel_cache
#include "backend/opencl/device.hpp"  // device
#include "backend/opencl/driver.hpp"
#include "backend/opencl/status.hpp"  // owned

namespace wingbeat::backend::opencl {

/// Returns the program, built. Finds in `cache`, or compiles and stores there, the bitcode or
/// SPIR-V, and the driver's binary. PoCL's binary is not stored: PoCL keeps its own on disk, and
/// reading it costs as much as compiling (0.26 s, PoCL 3.1). Throws `device_error` with the
/// compiler's message. One call at a time.
[[nodiscard]] owned<program_handle> build_program(const driver_api& api, const device& device,
                                                  context_handle context,
                                                  const kernel_source& source, kernel_cache& cache);

}  // namespace wingbeat::backend::opencl
