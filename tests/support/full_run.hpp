// SPDX-License-Identifier: Apache-2.0
// `make test-full` runs whole products of cases, of which `make test` runs a part of each subject.
#pragma once

#include <cstdlib>  // getenv
#include <vector>

#include "wingbeat/devices.hpp"  // engine

namespace wingbeat::test {

inline bool is_full_run() {
  return std::getenv("WINGBEAT_TEST_FULL") != nullptr;
}

/// Returns all cases; on `opencl` the first ones alone, but in full runs, because PoCL compiles a
/// kernel for half a second to four.
template <class Case>
std::vector<Case> cases_on(engine runs_on, std::vector<Case> first,
                           const std::vector<Case>& others) {
  if (runs_on != engine::opencl || is_full_run()) {
    first.insert(first.end(), others.begin(), others.end());
  }
  return first;
}

}  // namespace wingbeat::test
