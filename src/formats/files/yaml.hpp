// SPDX-License-Identifier: Apache-2.0
// Files of YAML, read through yaml-cpp.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

namespace wingbeat::formats {

/// Returns whether this build has yaml-cpp.
[[nodiscard]] bool has_yaml_library() noexcept;

/// Returns the file's first document as JSON: plain scalars that look like null, truth values or
/// numbers are those, all others texts. Throws `file_error` for a file that is no YAML, has a key
/// twice, or is larger than a configuration is; `plan_error` in a build without yaml-cpp.
[[nodiscard]] nlohmann::json read_yaml(const std::filesystem::path& file);

}  // namespace wingbeat::formats
