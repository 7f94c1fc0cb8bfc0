// SPDX-License-Identifier: Apache-2.0
// The cuda engine: NVIDIA GPUs through the driver, kernels through NVRTC.
#pragma once

#include <string>
#include <vector>

#include "backend/backend.hpp"  // engine
#include "backend/cuda/driver.hpp"
#include "backend/kernel.hpp"        // kernel_compiler
#include "backend/kernel_cache.hpp"  // kernel_cache

namespace wingbeat::backend::cuda {

class engine final : public backend::engine {
 public:
  /// Looks for devices. A library that could not be opened (its problem is not empty), or a
  /// driver that finds no device, makes the engine absent, never an exception. Queues and kernels
  /// refer to `driver` until they are gone.
  engine(const driver_api& driver, const std::string& driver_problem,
         const opened<nvrtc_api>& nvrtc, kernel_cache& cache);

  [[nodiscard]] std::vector<device_info> devices() const override { return devices_; }
  [[nodiscard]] std::string why_absent() const override { return problem_; }
  [[nodiscard]] std::shared_ptr<backend::queue> open(const device_info& device) const override;
  [[nodiscard]] std::shared_ptr<backend::queue> adopt(void* native) const override;
  [[nodiscard]] std::shared_ptr<backend::queue> adopt_of_device(void* native,
                                                                int index) const override;
  [[nodiscard]] std::shared_ptr<const backend::kernel> compile(
      const std::shared_ptr<backend::queue>& on, const kernel_source& source) const override;
  [[nodiscard]] std::optional<programs::program> realise(const std::shared_ptr<backend::queue>& on,
                                                         const step_request& step) const override;

 private:
  [[nodiscard]] context_handle primary_context(int index) const;
  void find_devices(const nvrtc_api& nvrtc);
  void require_present() const;

  const driver_api& api_;
  std::string problem_;
  std::vector<device_info> devices_;
  std::string driver_version_;
  std::unique_ptr<const backend::kernel_compiler> compiler_;
};

}  // namespace wingbeat::backend::cuda
