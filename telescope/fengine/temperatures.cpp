// SPDX-License-Identifier: Apache-2.0
#include "fengine/temperatures.hpp"

#include <filesystem>
#include <fstream>
#include <string>

namespace wingbeat::fengine {

thermometers::thermometers(const device_info& device, const nvml_libraries& libraries)
    : device_name_(device.name), gpu_(nvml_device::open(device, libraries)) {}

std::vector<control::monitored_figure> thermometers::read() const {
  std::vector<control::monitored_figure> found;
  std::error_code none;
  for (const auto& zone : std::filesystem::directory_iterator{"/sys/class/thermal", none}) {
    std::ifstream type{zone.path() / "type"}, reading{zone.path() / "temp"};
    std::string name;
    double thousandths = 0;
    if (type >> name && reading >> thousandths) {
      found.push_back({"temperature, " + name, thousandths / 1000, "°C"});
    }
  }
  const auto celsius = gpu_ ? gpu_->temperature_celsius() : std::nullopt;
  if (celsius) found.push_back({"temperature, " + device_name_, *celsius, "°C"});
  return found;
}

}  // namespace wingbeat::fengine
