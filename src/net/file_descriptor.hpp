// SPDX-License-Identifier: Apache-2.0
// A descriptor of the operating system, closed when its owner ends.
#pragma once

#include <unistd.h>  // close

#include <utility>  // exchange

namespace wingbeat::net {

class file_descriptor {
 public:
  file_descriptor() = default;
  explicit file_descriptor(int number) : number_(number) {}
  file_descriptor(file_descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  file_descriptor& operator=(file_descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~file_descriptor() {
    if (number_ >= 0) ::close(number_);
  }

  /// Returns the descriptor's number; -1 of none.
  [[nodiscard]] int get() const { return number_; }

 private:
  int number_ = -1;
};

}  // namespace wingbeat::net
