// SPDX-License-Identifier: Apache-2.0
// A folder of a test's own, gone when the test is.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>  // mkdtemp

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>  // error_code

namespace wingbeat::test {

class folder {
 public:
  folder() {
    std::string name = (std::filesystem::temp_directory_path() / "wingbeat-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) ADD_FAILURE() << "no folder like " << name;
    path_ = name;
  }
  ~folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path operator/(std::string_view name) const {
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

inline std::string content_of(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

inline void set_content(const std::filesystem::path& file, std::string_view text) {
  std::ofstream{file, std::ios::binary} << text;
}

}  // namespace wingbeat::test
