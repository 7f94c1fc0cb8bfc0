// SPDX-License-Identifier: Apache-2.0
// Shared libraries opened while the program runs, and the functions taken from them.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace wingbeat {

/// A library's functions, or a clause with the reason why they cannot be called.
template <class Api>
struct opened {
  Api api{};
  std::string problem;  ///< Empty if `api` is complete.
};

/// An open shared library. It stays open until the process ends, unless `close` is called.
class shared_library {
 public:
  explicit shared_library(const std::string& path);

  [[nodiscard]] bool is_open() const noexcept { return handle_ != nullptr; }

  /// Sets `into` to a function; if there is none, to null, and remembers the first such symbol.
  template <class Function>
  void bind(Function*& into, const char* symbol) {
    into = reinterpret_cast<Function*>(find(symbol));
    if (into == nullptr && missing_.empty()) missing_ = symbol;
  }

  /// Sets `into` to a function, or to null.
  template <class Function>
  void bind_if_there(Function*& into, const char* symbol) {
    into = reinterpret_cast<Function*>(find(symbol));
  }

  [[nodiscard]] const std::string& missing() const noexcept { return missing_; }
  void close() noexcept;

 private:
  [[nodiscard]] void* find(const char* symbol) const;

  void* handle_;
  std::string missing_;
};

/// Returns the folders given to `add_library_folder`, the latest first.
[[nodiscard]] std::vector<std::string> library_folders();

/// Returns "none of a.so.1, a.so could be opened from the loader's path, /usr/local/cuda/lib64".
[[nodiscard]] std::string not_found(std::span<const std::string> candidates);

/// Opens the first of `candidates` in which `bind` finds every function; `path` is its path.
template <class Api>
opened<Api> open_first(std::span<const std::string> candidates, void (*bind)(shared_library&, Api&),
                       std::string& path) {
  std::string outdated;
  for (const auto& candidate : candidates) {
    shared_library library{candidate};
    if (!library.is_open()) continue;
    opened<Api> found;
    bind(library, found.api);
    if (library.missing().empty()) {
      path = candidate;
      return found;
    }
    if (outdated.empty()) outdated = candidate + " lacks " + library.missing();
    library.close();
  }
  return {{}, outdated.empty() ? not_found(candidates) : outdated + "; install a later one"};
}

}  // namespace wingbeat
