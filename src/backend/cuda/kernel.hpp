// SPDX-License-Identifier: Apache-2.0
// Kernels of the cuda engine: compiled by NVRTC or taken from the cache, loaded in one context.
#pragma once

#include <array>
#include <cstddef>  // size_t
#include <string>
#include <vector>

#include "backend/cuda/driver.hpp"
#include "backend/cuda/nvrtc.hpp"    // compile_report
#include "backend/cuda/queue.hpp"    // queue
#include "backend/kernel.hpp"        // kernel, kernel_compiler, kernel_source
#include "backend/kernel_cache.hpp"  // kernel_cache

namespace wingbeat::backend::cuda {

/// A binary loaded into a context.
class image {
 public:
  /// Throws `device_error` if the driver refuses it.
  image(const driver_api& api, context_handle context, const std::vector<char>& binary);
  image(const image&) = delete;
  image& operator=(const image&) = delete;
  ~image();

  [[nodiscard]] function_handle function(const std::string& name) const;

 private:
  const driver_api& api_;
  context_handle context_;
  module_handle module_ = nullptr;
};

/// One entry point, in the context of the queue it was compiled for.
class kernel final : public backend::kernel {
 public:
  /// Throws `device_error` or `plan_error` if the device cannot hold one workgroup.
  kernel(const driver_api& api, const queue& on, const kernel_source& source,
         const compile_report& report);

  [[nodiscard]] kernel_resources resources() const override { return resources_; }
  void launch(backend::queue& on, std::size_t workgroups,
              kernel_arguments arguments) const override;

  [[nodiscard]] function_handle function() const noexcept { return function_; }
  /// Returns whether it may be launched before the launches that it waits for have ended.
  [[nodiscard]] bool starts_early() const noexcept { return starts_early_; }

  /// Returns the driver's description of a launch. Throws `plan_error` if the launch is impossible.
  [[nodiscard]] launch_config config(const queue& on, std::size_t workgroups) const;

 private:
  [[nodiscard]] int attribute(int key) const;
  void request_scratch(const device_info& device, unsigned max_wanted) const;
  void allow_cluster(unsigned workgroups) const;
  void require_room(const device_info& device) const;

  const driver_api& api_;
  context_handle context_;
  image image_;
  function_handle function_;
  unsigned threads_;
  std::size_t scratch_bytes_;
  bool starts_early_;
  kernel_resources resources_;
};

/// Returns pointers to the arguments, as drivers read them.
using argument_pointers = std::array<void*, max_kernel_arguments>;
[[nodiscard]] argument_pointers pointers_to(kernel_arguments arguments);

class kernel_compiler final : public backend::kernel_compiler {
 public:
  /// `driver` names the driver in the cache's keys.
  kernel_compiler(const driver_api& api, const nvrtc_api& nvrtc, std::string driver,
                  kernel_cache& cache);

  /// Throws `plan_error` if the device cannot hold one workgroup, `device_error` if the text does
  /// not compile or the driver refuses the result.
  [[nodiscard]] std::shared_ptr<const backend::kernel> compile(
      const std::shared_ptr<backend::queue>& shared_queue,
      const kernel_source& source) const override;

 private:
  /// Returns the kernel of the cache's entry; nullptr without one, or if the driver refuses it.
  [[nodiscard]] std::shared_ptr<const backend::kernel> stored(const queue& on,
                                                              const kernel_source& source,
                                                              const kernel_key& key) const;

  const driver_api& api_;
  const nvrtc_api& nvrtc_;
  std::string driver_;
  kernel_cache& cache_;
};

}  // namespace wingbeat::backend::cuda
