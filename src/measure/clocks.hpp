// SPDX-License-Identifier: Apache-2.0
// The clocks of an NVIDIA GPU during a measurement, read through NVML if it is installed.
#pragma once

#include <memory>  // unique_ptr
#include <string>
#include <vector>

#include "system/nvml.hpp"       // nvml_device
#include "wingbeat/devices.hpp"  // device_info

namespace wingbeat::measure {

/// Samples the clocks of one device. Without NVML, or on other devices, every sample is empty and
/// nothing throws.
class clock_watch {
 public:
  explicit clock_watch(const device_info& watched);
  clock_watch(clock_watch&&) noexcept;
  clock_watch& operator=(clock_watch&&) noexcept;
  ~clock_watch();

  /// Appends the present clocks to the samples.
  void sample();

  /// Drops all samples.
  void restart() noexcept;

  /// Return the samples since `restart`, in MHz; empty without NVML.
  [[nodiscard]] const std::vector<double>& sm_mhz() const noexcept { return sm_mhz_; }
  [[nodiscard]] const std::vector<double>& memory_mhz() const noexcept { return memory_mhz_; }

  /// Returns the driver's version, such as "580.159.04"; empty without NVML.
  [[nodiscard]] const std::string& driver_version() const noexcept { return driver_version_; }

 private:
  std::unique_ptr<nvml_device> nvml_;
  std::vector<double> sm_mhz_, memory_mhz_;
  std::string driver_version_;
};

}  // namespace wingbeat::measure
