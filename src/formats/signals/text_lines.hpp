// SPDX-License-Identifier: Apache-2.0
// The lines of a text, one after another.
#pragma once

#include <cstddef>  // size_t
#include <string_view>
#include <utility>  // forward

#include "formats/files/refusal.hpp"  // refuse

namespace wingbeat::formats {

/// Texts must outlive it.
struct text_lines {
  std::string_view rest, name;  ///< What is still to be read; of the file, for messages.
  std::size_t number = 0;       ///< Of the last line read, counted from 1.

  text_lines(std::string_view content, std::string_view file_name)
      : rest(content), name(file_name) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (rest.starts_with(byte_order_mark)) rest.remove_prefix(byte_order_mark.size());
  }

  /// Returns the next line without its end.
  std::string_view next() {
    ++number;
    const std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  /// Throws `file_error` naming the file and the line.
  template <class... Arguments>
  [[noreturn]] void refuse_line(fmt::format_string<Arguments...> why, Arguments&&... a) const {
    refuse(name, "line {} {}", number, formatted(why, std::forward<Arguments>(a)...));
  }
};

}  // namespace wingbeat::formats
