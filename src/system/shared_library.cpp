// SPDX-License-Identifier: Apache-2.0
#include "system/shared_library.hpp"

#include <dlfcn.h>  // dlopen, dlsym, dlclose

#include <algorithm>  // find
#include <memory>     // make_unique
#include <mutex>      // lock_guard
#include <utility>    // exchange, move

#include "system/fork_safe_mutex.hpp"   // fork_safe_mutex
#include "text/formatted.hpp"           // formatted, joined
#include "wingbeat/library_folder.hpp"  // add_library_folder

namespace wingbeat {

shared_library::shared_library(const std::string& path)
    : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {}

void* shared_library::find(const char* symbol) const {
  return dlsym(handle_, symbol);
}

void shared_library::close() noexcept {
  dlclose(std::exchange(handle_, nullptr));
}

namespace {

struct named_folders {
  fork_safe_mutex mutex;
  std::vector<std::string> latest_first;
};

named_folders& added_folders() {
  static auto& folders = *std::make_unique<named_folders>().release();
  return folders;
}

}  // namespace

void add_library_folder(std::string folder) {
  named_folders& added = added_folders();
  const std::lock_guard held{added.mutex};
  added.latest_first.insert(added.latest_first.begin(), std::move(folder));
}

std::vector<std::string> library_folders() {
  named_folders& added = added_folders();
  const std::lock_guard held{added.mutex};
  return added.latest_first;
}

std::string not_found(std::span<const std::string> candidates) {
  std::vector<std::string> names;
  std::vector<std::string> folders;
  const auto add_once = [](std::vector<std::string>& list, std::string word) {
    if (std::find(list.begin(), list.end(), word) == list.end()) list.push_back(std::move(word));
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
