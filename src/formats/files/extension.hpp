// SPDX-License-Identifier: Apache-2.0
// The extension of a file's name, which tells formats of files to write.
#pragma once

#include <algorithm>  // transform
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace wingbeat::formats {

/// Returns the extension with its dot, A to Z as lower case: ".npy" of "OUT.NPY".
[[nodiscard]] inline std::string extension_of(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return extension;
}

/// Returns them as a sentence has them: ".txt, .csv or .npy".
[[nodiscard]] inline std::string listed_endings(std::span<const std::string_view> endings) {
  std::string text;
  for (std::size_t i = 0; i < endings.size(); ++i) {
    if (i > 0) text += i + 1 == endings.size() ? " or " : ", ";
    text += endings[i];
  }
  return text;
}

}  // namespace wingbeat::formats
