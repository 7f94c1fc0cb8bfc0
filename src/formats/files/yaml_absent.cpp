// SPDX-License-Identifier: Apache-2.0
// Stands in for the reader of YAML in a build without yaml-cpp.
#include <nlohmann/json.hpp>

#include "formats/files/refusal.hpp"  // refuse_absent
#include "formats/files/yaml.hpp"

namespace wingbeat::formats {

bool has_yaml_library() noexcept {
  return false;
}

nlohmann::json read_yaml(const std::filesystem::path& file) {
  refuse_absent(file.string(), "read", "yaml-cpp; give options, or build it with WINGBEAT_YAML=ON");
}

}  // namespace wingbeat::formats
