// SPDX-License-Identifier: Apache-2.0
// The temperatures of this machine and its GPU.
#pragma once

#include <memory>  // unique_ptr
#include <vector>

#include "control/monitor.hpp"  // monitored_figure
#include "system/nvml.hpp"      // nvml_device

namespace wingbeat::fengine {

class thermometers {
 public:
  /// Thermometers of this machine, and of `device` if it is of engine `cuda` and NVML is there.
  explicit thermometers(const device_info& device, const nvml_libraries& libraries = {});

  /// Returns the temperatures in degrees Celsius that Linux reports, "temperature, acpitz", and the
  /// GPU's, "temperature, NVIDIA H200"; empty if there are none. Any thread may call it.
  [[nodiscard]] std::vector<control::monitored_figure> read() const;

 private:
  std::string device_name_;
  std::unique_ptr<nvml_device> gpu_;  ///< Null where there is none.
};

}  // namespace wingbeat::fengine
