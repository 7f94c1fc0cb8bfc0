// SPDX-License-Identifier: Apache-2.0
// Kernels compiled from C++ for OpenCL, and their launch.
#pragma once

#include <array>
#include <cstddef>  // size_t
#include <mutex>

#include "backend/kernel.hpp"        // kernel, kernel_compiler, kernel_source
#include "backend/kernel_cache.hpp"  // kernel_cache
#include "backend/opencl/driver.hpp"
#include "backend/opencl/queue.hpp"   // queue
#include "backend/opencl/status.hpp"  // owned

namespace wingbeat::backend::opencl {

/// One entry point, in the context of the queue it was compiled for.
class kernel final : public backend::kernel {
 public:
  /// Throws `device_error` if the device cannot run workgroups of `source.threads` threads with
  /// `source.scratch_bytes` of local memory.
  kernel(const driver_api& api, const queue& on, owned<program_handle> program,
         const kernel_source& source);

  [[nodiscard]] kernel_resources resources() const override { return resources_; }
  void launch(backend::queue& on, std::size_t workgroups,
              kernel_arguments arguments) const override;

 private:
  void set_arguments(kernel_arguments arguments) const;
  /// Throws `device_error` if PoCL would end the program because it cannot get its linker's exit
  /// code.
  void require_linker(std::size_t n_threads) const;
  [[nodiscard]] bool& is_linked(std::size_t n_threads) const;

  const driver_api& api_;
  context_handle context_;  // kept by the program
  bool is_pocl_;
  mutable std::array<bool, 2> is_linked_{};  // for small and large grids; under the mutex
  std::array<std::size_t, 2> local_;         // columns, rows
  std::size_t scratch_bytes_;
  owned<program_handle> program_;
  owned<kernel_handle> kernel_;
  kernel_resources resources_;
  mutable std::mutex mutex_;  // held from the first argument to the launch, because a cl_kernel
                              // stores its arguments
};

/// Compiles for the devices of `find_devices`. Refers to `api` and `cache` until it is gone.
class kernel_compiler final : public backend::kernel_compiler {
 public:
  kernel_compiler(const driver_api& api, kernel_cache& cache) : api_(api), cache_(cache) {}

  [[nodiscard]] std::shared_ptr<const backend::kernel> compile(
      const std::shared_ptr<backend::queue>& shared_queue,
      const kernel_source& source) const override;

 private:
  const driver_api& api_;
  kernel_cache& cache_;
  mutable std::mutex mutex_;  // some drivers' compilers are not thread-safe
};

}  // namespace wingbeat::backend::opencl
