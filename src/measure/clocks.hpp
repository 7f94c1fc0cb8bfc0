// SPDX-License-Identifier: Apache-2.0
// The clocks a GPU runs at while it is measured, by NVML, which is opened where it is there.
#pragma once

#include <memory>  // unique_ptr
#include <string>
#include <vector>

#include "wingbeat/devices.hpp"  // device_info

namespace wingbeat::cli {

/// Watches the clocks of one device. Silent, never failing, where there is nothing to watch.
class clock_watch {
 public:
  explicit clock_watch(const device_info& of);
  clock_watch(clock_watch&&) noexcept;
  clock_watch& operator=(clock_watch&&) noexcept;
  ~clock_watch();

  /// Notes the present clocks.
  void sample();

  /// Forgets what was noted.
  void restart() noexcept;

  /// Returns what was noted since `restart`, in MHz; empty where there is no NVML.
  [[nodiscard]] const std::vector<double>& sm_mhz() const noexcept { return sm_mhz_; }
  [[nodiscard]] const std::vector<double>& memory_mhz() const noexcept { return memory_mhz_; }

  /// Returns "580.159.04"; empty where there is no NVML.
  [[nodiscard]] const std::string& driver_version() const noexcept { return driver_version_; }

 private:
  struct nvml;
  std::unique_ptr<nvml> nvml_;
  std::vector<double> sm_mhz_, memory_mhz_;
  std::string driver_version_;
};

}  // namespace wingbeat::cli
