// SPDX-License-Identifier: Apache-2.0
// The extension of a file's name, which chooses the format of a file to write.
#pragma once

#include <algorithm>  // transform
#include <filesystem>
#include <string>

namespace wingbeat::formats {

/// Returns the extension with its dot, in lower case: ".npy" for "OUT.NPY".
[[nodiscard]] inline std::string extension_of(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return extension;
}

}  // namespace wingbeat::formats
