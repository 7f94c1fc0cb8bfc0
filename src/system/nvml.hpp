// SPDX-License-Identifier: Apache-2.0
// An NVIDIA GPU as described by NVML, its driver's monitoring library, which is opened while the
// program runs.
#pragma once

#include <memory>  // unique_ptr
#include <optional>
#include <string>
#include <vector>

#include "wingbeat/devices.hpp"  // device_info

namespace wingbeat {

/// Names or paths for dlopen.
struct nvml_libraries {
  std::vector<std::string> nvml = {"libnvidia-ml.so.1"};
  std::vector<std::string> driver = {"libcuda.so.1"};
};

/// Any thread may read values; each is empty if NVML does not know it.
class nvml_device {
 public:
  /// Returns a device of engine `cuda`; null for other engines, and if a library is absent or does
  /// not know the device.
  [[nodiscard]] static std::unique_ptr<nvml_device> open(const device_info& device,
                                                         const nvml_libraries& libraries = {});
  nvml_device(const nvml_device&) = delete;
  nvml_device& operator=(const nvml_device&) = delete;
  ~nvml_device();

  [[nodiscard]] std::optional<double> temperature_celsius() const;
  [[nodiscard]] std::optional<double> sm_clock_mhz() const;
  [[nodiscard]] std::optional<double> memory_clock_mhz() const;
  /// Returns the driver's version, such as "580.159.04"; empty if it is unknown.
  [[nodiscard]] std::string driver_version() const;

 private:
  struct functions;
  nvml_device(const functions& api, void* handle);
  [[nodiscard]] std::optional<double> clock_mhz(unsigned kind) const;

  std::unique_ptr<const functions> api_;
  void* handle_;
};

}  // namespace wingbeat
