// SPDX-License-Identifier: Apache-2.0
// How warm this machine and its GPU are.
#pragma once

#include <memory>  // unique_ptr
#include <vector>

#include "control/monitor.hpp"  // monitored_figure
#include "system/nvml.hpp"      // nvml_device

namespace wingbeat::fengine {

class thermometers {
 public:
  /// Those of this machine, and of `device` where it is one of engine `cuda` and has NVML.
  explicit thermometers(const device_info& device, const nvml_libraries& libraries = {});

  /// Returns the temperatures in degrees Celsius that Linux states, "temperature, acpitz", and the
  /// GPU's, "temperature, NVIDIA H200"; none where there are none. Any thread may call it.
  [[nodiscard]] std::vector<control::monitored_figure> read() const;

 private:
  std::string device_name_;
  std::unique_ptr<nvml_device> gpu_;  ///< Null where there is none.
};

}  // namespace wingbeat::fengine
