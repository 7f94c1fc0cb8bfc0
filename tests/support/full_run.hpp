// SPDX-License-Identifier: Apache-2.0
// `make test-full` runs whole products of cases, of which `make test` runs a part of each subject.
#pragma once

#include <cstdlib>  // getenv

namespace wingbeat::test {

inline bool is_full_run() {
  return std::getenv("WINGBEAT_TEST_FULL") != nullptr;
}

}  // namespace wingbeat::test
