// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/library.hpp"

#include <dlfcn.h>  // dlopen, dlsym, dlclose

#include <algorithm>  // find
#include <cstdlib>    // getenv
#include <utility>    // exchange, move

#include "formatted.hpp"  // formatted, joined

namespace wingbeat::backend::cuda {

library::library(const std::string& path) : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {}

void* library::find(const char* symbol) const {
  return dlsym(handle_, symbol);
}

void library::close() noexcept {
  dlclose(std::exchange(handle_, nullptr));
}

std::string not_found(std::span<const std::string> candidates) {
  std::vector<std::string> names;
  std::vector<std::string> folders;
  const auto add_once = [](std::vector<std::string>& to, std::string word) {
    if (std::find(to.begin(), to.end(), word) == to.end()) to.push_back(std::move(word));
  };
  for (const auto& candidate : candidates) {
    const auto slash = candidate.rfind('/');
    const bool is_bare = slash == std::string::npos;
    add_once(names, is_bare ? candidate : candidate.substr(slash + 1));
    add_once(folders, is_bare ? "the loader's path" : candidate.substr(0, slash));
  }
  return formatted("none of {} could be opened from {}", joined(names, ", "),
                   joined(folders, ", "));
}

std::vector<std::string> toolkit_candidates(std::span<const std::string> names) {
  std::vector<std::string> roots;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* root = std::getenv(variable);
    if (root != nullptr && *root != '\0') roots.emplace_back(root);
  }
  roots.emplace_back("/usr/local/cuda");

  std::vector<std::string> all(names.begin(), names.end());
  for (const auto& root : roots) {
    for (const char* folder : {"lib64", "targets/x86_64-linux/lib"}) {
      for (const auto& name : names) all.push_back(formatted("{}/{}/{}", root, folder, name));
    }
  }
  return all;
}

}  // namespace wingbeat::backend::cuda
