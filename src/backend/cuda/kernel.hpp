// SPDX-License-Identifier: Apache-2.0
// Kernels of the cuda engine: compiled by NVRTC or taken from the cache, loaded in one context.
#pragma once

#include "backend/cuda/driver.hpp"
#include "backend/kernel.hpp"        // kernel_compiler, kernel_source
#include "backend/kernel_cache.hpp"  // kernel_cache

namespace wingbeat::backend::cuda {

class kernel_compiler final : public backend::kernel_compiler {
 public:
  /// `driver` names the driver in the cache's keys.
  kernel_compiler(const driver_api& api, const nvrtc_api& nvrtc, std::string driver,
                  kernel_cache& cache);

  /// Throws `plan_error` when the device cannot hold one workgroup, `device_error` when the text
  /// does not compile or the driver refuses the result.
  [[nodiscard]] std::shared_ptr<const backend::kernel> compile(
      const std::shared_ptr<backend::queue>& shared_queue,
      const kernel_source& source) const override;

 private:
  const driver_api& api_;
  const nvrtc_api& nvrtc_;
  std::string driver_;
  kernel_cache& cache_;
};

}  // namespace wingbeat::backend::cuda
