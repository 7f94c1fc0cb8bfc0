// SPDX-License-Identifier: Apache-2.0
// What is left out of a recording because it is damaged, while the rest of it is read.
#pragma once

#include <cstddef>  // size_t
#include <string>
#include <string_view>
#include <utility>  // forward

#include "text/counted.hpp"    // counted
#include "text/formatted.hpp"  // formatted

namespace wingbeat::formats {

/// Blocks or frames that are left out, and why the first of them is.
class flaws {
 public:
  template <class... Arguments>
  void add(fmt::format_string<Arguments...> why, Arguments&&... arguments) {
    if (count_++ == 0) first_ = formatted(why, std::forward<Arguments>(arguments)...);
  }

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] const std::string& first() const { return first_; }

  /// Returns whether more are left out than read, so that the file is not what it seems to be.
  [[nodiscard]] bool prevail(std::size_t n_read) const { return count_ > n_read; }

  /// Returns a sentence without the file's name; `noun` is "block".
  [[nodiscard]] std::string sentence(std::string_view noun) const {
    return formatted("{} of the file {} left out; the first: {}", counted(count_, noun),
                     count_ == 1 ? "is" : "are", first_);
  }

 private:
  std::size_t count_ = 0;
  std::string first_;
};

}  // namespace wingbeat::formats
