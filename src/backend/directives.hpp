// SPDX-License-Identifier: Apache-2.0
// The preprocessor's lines of a kernel's text, as a compiler finds them: lines that a backslash
// continues are joined, and comments, strings and raw strings hide what looks like a directive.
#pragma once

#include <cstddef>  // size_t
#include <string>
#include <string_view>
#include <vector>

namespace wingbeat::backend {

/// Rules of the preprocessor that differ between compilers.
struct reading {
  bool continues_over_blanks = true;  ///< A backslash and blanks continue a line: GCC and clang.
  bool has_trigraphs = false;         ///< ??= is # and ??/ is a backslash: before C++17.
};

struct directive {
  std::string name;  ///< "include" of `#include <x>`. A `__has_include`, `__has_include_next` or
                     ///< `__has_embed` is listed too, wherever it stands, and has no rest.
  std::string rest;  ///< Without comments, trimmed.
  std::size_t begin = 0;       ///< Where its # stands.
  std::size_t end = 0;         ///< Behind its newline.
  std::size_t line = 1;        ///< Of its #, counted from 1.
  std::size_t next_line = 1;   ///< The line that starts at `end`.
  bool is_raw_string = false;  ///< Not a directive, but a raw string that has no end, or that a
                               ///< directive opens and another line ends.
};

/// Returns the directives of a text, in order.
[[nodiscard]] std::vector<directive> directives_of(std::string_view text, reading how = {});

}  // namespace wingbeat::backend
