// SPDX-License-Identifier: Apache-2.0
#include "distributing/cost.hpp"

#include <algorithm>  // max
#include <string>

namespace wingbeat::distributing {

device_speed speed_of(const device_info& device) {
  device_speed speed;
  if (device.name.find("H200") != std::string::npos) speed.memory = 4.2e12;
  return speed;
}

device_speed device_speed::between_processes(const device_info& device) {
  device_speed speed = speed_of(device);
  speed.link = speed.unaligned_link = speed.scattered_link = speed.short_row_link = 1.2e9;
  speed.wait_s = 1e-4;
  return speed;
}

double seconds_of(const device_speed& speed, phase_bytes bytes) {
  if (bytes.sent == 0) return static_cast<double>(bytes.moved) / speed.memory;
  const double link = bytes.is_scattered     ? speed.scattered_link
                      : bytes.has_short_rows ? speed.short_row_link
                      : bytes.is_unaligned   ? speed.unaligned_link
                                             : speed.link;
  const double alone = static_cast<double>(bytes.moved - bytes.beside_sent) / speed.memory;
  const double beside = static_cast<double>(bytes.beside_sent) / speed.memory;
  return alone + std::max(beside, static_cast<double>(bytes.sent) / link) + speed.wait_s;
}

}  // namespace wingbeat::distributing
