// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/toolkit.hpp"

#include <cstdlib>  // getenv

#include "system/shared_library.hpp"  // library_folders
#include "text/formatted.hpp"         // formatted

namespace wingbeat::backend::cuda {

std::vector<std::string> toolkit_candidates(std::span<const std::string> names) {
  std::vector<std::string> roots;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* root = std::getenv(variable);
    if (root != nullptr && *root != '\0') roots.emplace_back(root);
  }
  roots.emplace_back("/usr/local/cuda");

  std::vector<std::string> candidates;
  for (const auto& folder : library_folders()) {
    for (const auto& name : names) candidates.push_back(formatted("{}/{}", folder, name));
  }
  candidates.insert(candidates.end(), names.begin(), names.end());
  for (const auto& root : roots) {
    for (const char* folder : {"lib64", "targets/x86_64-linux/lib"}) {
      for (const auto& name : names)
        candidates.push_back(formatted("{}/{}/{}", root, folder, name));
    }
  }
  return candidates;
}

}  // namespace wingbeat::backend::cuda
