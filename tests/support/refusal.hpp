// SPDX-License-Identifier: Apache-2.0
// What a call refuses, in words.
#pragma once

#include <string>

#include "wingbeat/error.hpp"  // plan_error

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

}  // namespace wingbeat::test
