// SPDX-License-Identifier: Apache-2.0
// A folder that lives as long as one test.
#pragma once

#include <stdlib.h>  // mkdtemp
#include <unistd.h>  // geteuid, seteuid

#include <cstdlib>  // abort
#include <filesystem>
#include <fstream>
#include <iterator>  // distance, istreambuf_iterator
#include <stdexcept>
#include <string>
#include <string_view>

namespace wingbeat::test {

class temporary_folder {
 public:
  temporary_folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "wingbeat-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// Writes a file and returns its path.
  std::filesystem::path write(std::string_view name, std::string_view content) const {
    const auto file = path_ / name;
    std::ofstream(file, std::ios::binary) << content;
    return file;
  }

  [[nodiscard]] std::string read(std::string_view name) const {
    std::ifstream file(path_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  [[nodiscard]] std::ptrdiff_t n_files() const {
    return std::distance(std::filesystem::directory_iterator(path_), {});
  }

 private:
  std::filesystem::path path_;
};

/// Gives up root's power to ignore permissions for as long as it lives.
class nobody {
 public:
  nobody() {
    if (is_root_ && ::seteuid(65534) != 0) throw std::runtime_error("root cannot become nobody");
  }
  nobody(const nobody&) = delete;
  nobody& operator=(const nobody&) = delete;
  ~nobody() {
    if (is_root_ && ::seteuid(0) != 0) std::abort();
  }

 private:
  bool is_root_ = ::geteuid() == 0;
};

}  // namespace wingbeat::test
