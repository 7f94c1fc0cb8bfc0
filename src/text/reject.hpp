// SPDX-License-Identifier: Apache-2.0
// Requests that cannot be met.
#pragma once

#include <utility>  // forward

#include "text/formatted.hpp"  // formatted
#include "wingbeat/error.hpp"  // plan_error

namespace wingbeat {

/// Throws `plan_error` with one sentence: what was given, what is allowed, what to do.
template <class... Arguments>
[[noreturn]] void reject(fmt::format_string<Arguments...> why, Arguments&&... arguments) {
  throw plan_error(formatted(why, std::forward<Arguments>(arguments)...));
}

/// Does so if the request `is_wrong`. The arguments are evaluated in any case.
template <class... Arguments>
void reject_if(bool is_wrong, fmt::format_string<Arguments...> why, Arguments&&... arguments) {
  if (is_wrong) reject(why, std::forward<Arguments>(arguments)...);
}

}  // namespace wingbeat
