// SPDX-License-Identifier: Apache-2.0
// An open file of this process, closed at the end of its scope.
#pragma once

#include <unistd.h>  // close

#include <utility>  // exchange

namespace wingbeat {

/// Owns a POSIX file descriptor; -1 is none.
class file_descriptor {
 public:
  explicit file_descriptor(int number = -1) noexcept : number_(number) {}
  file_descriptor(file_descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  file_descriptor& operator=(file_descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~file_descriptor() {
    if (number_ >= 0) ::close(number_);
  }

  [[nodiscard]] int get() const noexcept { return number_; }
  [[nodiscard]] bool is_open() const noexcept { return number_ >= 0; }

 private:
  int number_;
};

}  // namespace wingbeat
