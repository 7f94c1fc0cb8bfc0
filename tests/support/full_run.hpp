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

/// Returns the first cases, in full runs the others too.
template <class Case>
std::vector<Case> sampled(std::vector<Case> first, const std::vector<Case>& others,
                          bool takes_all = is_full_run()) {
  if (takes_all) first.insert(first.end(), others.begin(), others.end());
  return first;
}

/// Returns whether an engine runs all cases: each, but `opencl` in full runs alone, because PoCL
/// compiles a kernel for half a second to four.
inline bool runs_all_on(engine runs_on) {
  return runs_on != engine::opencl || is_full_run();
}

/// Returns all cases, or the first ones where an engine does not run all.
template <class Case>
std::vector<Case> cases_on(engine runs_on, std::vector<Case> first,
                           const std::vector<Case>& others) {
  return sampled(std::move(first), others, runs_all_on(runs_on));
}

}  // namespace wingbeat::test
