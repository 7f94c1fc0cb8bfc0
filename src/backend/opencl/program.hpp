// SPDX-License-Identifier: Apache-2.0
// From the text of a kernel to a program built for one device, by the route its driver takes.
#pragma once

#include <optional>
#include <vector>

#include "backend/kernel.hpp"         // kernel_source
#include "backend/kernel_cache.hpp"   // kernel_cache
#include "backend/opencl/device.hpp"  // device
#include "backend/opencl/driver.hpp"
#include "backend/opencl/status.hpp"  // owned

namespace wingbeat::backend::opencl {

/// Returns the bitcode or SPIR-V of a kernel, from `cache` or compiled by clang and then stored
/// there; nothing if the driver takes the text, or `cache` has its binary. Throws `compile_error`
/// with clang's message. Many threads may call it.
[[nodiscard]] std::optional<std::vector<char>> translated(const device& device,
                                                          const kernel_source& source,
                                                          kernel_cache& cache);

/// Returns the program, built from the result of `translated`, or translated here without one.
/// Finds the driver's binary in `cache`, or stores it there. PoCL's is not stored: PoCL keeps its
/// own on disk, and reading it costs as much as compiling (0.26 s, PoCL 3.1). Throws `device_error`
/// with the compiler's message. One call at a time.
[[nodiscard]] owned<program_handle> build_program(const driver_api& api, const device& device,
                                                  context_handle context,
                                                  const kernel_source& source, kernel_cache& cache,
                                                  std::optional<std::vector<char>> code = {});

}  // namespace wingbeat::backend::opencl
