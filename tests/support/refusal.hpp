// SPDX-License-Identifier: Apache-2.0
// What a call refuses, in words.
#pragma once

#include <string>

#include "wingbeat/error.hpp"  // error, plan_error

namespace wingbeat::test {

inline constexpr const char* nothing_refused = "nothing was refused";

/// Returns the sentence of the `plan_error` that `action` throws.
template <class Action>
std::string refusal(Action action) {
  try {
    action();
  } catch (const plan_error& refused) {
    return refused.what();
  }
  return nothing_refused;
}

/// Runs `work` and returns the sentence of the `Error` that it throws, of any kind if none is
/// named; empty if it throws none.
template <class Error = error, class Work>
std::string message_of(Work work) {
  try {
    work();
  } catch (const Error& refused) {
    return refused.what();
  }
  return "";
}

}  // namespace wingbeat::test
