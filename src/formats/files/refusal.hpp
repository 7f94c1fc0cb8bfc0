// SPDX-License-Identifier: Apache-2.0
// The errors of readers.
#pragma once

#include <cmath>  // isnan
#include <string>
#include <string_view>
#include <utility>  // forward

#include "text/formatted.hpp"  // formatted
#include "text/reject.hpp"     // reject
#include "wingbeat/error.hpp"  // file_error, plan_error

namespace wingbeat::formats {

/// Throws `file_error` with one sentence: the file's name, a colon and `why`.
template <class... Arguments>
[[noreturn]] void refuse(std::string_view name, fmt::format_string<Arguments...> why,
                         Arguments&&... arguments) {
  throw file_error(
      formatted("{}: {}", name, formatted(why, std::forward<Arguments>(arguments)...)));
}

/// Does so if the file `is_wrong`. The arguments are evaluated in any case.
template <class... Arguments>
void refuse_if(bool is_wrong, std::string_view name, fmt::format_string<Arguments...> why,
               Arguments&&... arguments) {
  if (is_wrong) refuse(name, why, std::forward<Arguments>(arguments)...);
}

/// Throws for a sample that is NaN or infinite; `place` names the sample.
[[noreturn]] inline void refuse_not_finite(std::string_view name, std::string_view place,
                                           double value) {
  refuse(name, "{} is {}; every sample must be a finite number, so remove or replace it", place,
         std::isnan(value) ? "NaN" : "infinite");
}

/// Throws `plan_error` for a file whose format needs a library that the build lacks; `library`
/// names it, and what to do instead.
[[noreturn]] inline void refuse_absent(std::string_view name, std::string_view verb,
                                       std::string_view library) {
  reject("{} cannot be {}: this build has no {}", name, verb, library);
}

/// Returns at most `most` bytes of `text`, with '?' for everything except printable ASCII.
inline std::string printable(std::string_view text, std::size_t most = 40) {
  std::string shown(text.substr(0, most));
  for (char& c : shown) {
    if (c < ' ' || c > '~') c = '?';
  }
  return text.size() > most ? shown + "..." : shown;
}

}  // namespace wingbeat::formats
