// SPDX-License-Identifier: Apache-2.0
#include "cli/reports/devices.hpp"

#include <string>
#include <vector>

namespace wingbeat::cli {

nlohmann::ordered_json json_of(const device_info& device) {
  nlohmann::ordered_json j;
  j["engine"] = name_of(device.runs_on);
  j["index"] = device.index;
  j["name"] = device.name;
  j["is_gpu"] = device.is_gpu;
  j["architecture"] = device.architecture;
  j["version"] = device.version;
  j["memory_bytes"] = device.memory_bytes;
  j["local_memory_bytes"] = device.local_memory_bytes;
  j["max_workgroup"] = device.max_workgroup;
  j["compute_units"] = device.compute_units;
  j["precisions"] =
      device.has_fp64 ? std::vector<std::string>{"fp32", "fp64"} : std::vector<std::string>{"fp32"};
  j["capability_major"] = device.capability_major;
  j["capability_minor"] = device.capability_minor;
  j["max_cluster"] = device.max_cluster;
  j["has_bulk_prefetch"] = device.has_bulk_prefetch;
  j["has_early_launch"] = device.has_early_launch;
  j["has_int64_atomics"] = device.has_int64_atomics;
  return j;
}

}  // namespace wingbeat::cli
