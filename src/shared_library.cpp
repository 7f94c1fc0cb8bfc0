// SPDX-License-Identifier: Apache-2.0
#include "shared_library.hpp"

#include <dlfcn.h>  // dlopen, dlsym, dlclose

#include <algorithm>  // find
#include <utility>    // exchange, move

#include "formatted.hpp"  // formatted, joined

namespace wingbeat {

shared_library::shared_library(const std::string& path)
    : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {}

void* shared_library::find(const char* symbol) const {
  return dlsym(handle_, symbol);
}

void shared_library::close() noexcept {
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

}  // namespace wingbeat
