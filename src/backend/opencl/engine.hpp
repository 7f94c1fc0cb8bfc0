// SPDX-License-Identifier: Apache-2.0
// The opencl engine: any OpenCL device that accepts C++ for OpenCL.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "backend/backend.hpp"        // engine
#include "backend/kernel_cache.hpp"   // kernel_cache
#include "backend/opencl/device.hpp"  // device
#include "backend/opencl/driver.hpp"
#include "backend/opencl/kernel.hpp"  // kernel_compiler

namespace wingbeat::backend::opencl {

class engine final : public backend::engine {
 public:
  /// Looks for devices. A library that could not be opened (its problem is not empty) makes the
  /// engine absent, never an exception. Queues and kernels refer to the engine, `api` and `cache`.
  engine(const driver_api& api, const std::string& driver_problem, kernel_cache& cache);

  [[nodiscard]] std::vector<device_info> devices() const override;
  [[nodiscard]] std::string why_absent() const override { return problem_; }
  [[nodiscard]] std::shared_ptr<backend::queue> open(const device_info& device) const override;
  [[nodiscard]] std::shared_ptr<backend::queue> adopt(void* native) const override;
  [[nodiscard]] std::shared_ptr<const backend::kernel> compile(
      const std::shared_ptr<backend::queue>& on, const kernel_source& source) const override;
  [[nodiscard]] std::optional<programs::program> realise(const std::shared_ptr<backend::queue>& on,
                                                         const step_request& step) const override;

 private:
  void require_present() const;
  [[nodiscard]] context_handle context_of(std::size_t index) const;

  const driver_api& api_;
  std::string problem_;
  std::vector<device> devices_;
  opencl::kernel_compiler compiler_;
  mutable std::mutex mutex_;
  mutable std::vector<owned<context_handle>> contexts_;  // one per device, made when first opened
};

}  // namespace wingbeat::backend::opencl
