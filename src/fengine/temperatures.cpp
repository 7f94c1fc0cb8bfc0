// SPDX-License-Identifier: Apache-2.0
#include "fengine/temperatures.hpp"

#include <filesystem>
#include <fstream>
#include <string>

namespace wingbeat::fengine {

std::vector<control::monitored_figure> temperatures() {
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
  return found;
}

}  // namespace wingbeat::fengine
