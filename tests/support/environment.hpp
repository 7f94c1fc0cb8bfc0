// SPDX-License-Identifier: Apache-2.0
// Numbers that the environment gives to a test.
#pragma once

#include <cstdint>  // uint64_t
#include <cstdlib>  // getenv, strtoull

namespace wingbeat::test {

/// Returns a number of the environment, or `otherwise`.
inline std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* const given = std::getenv(name);
  return given == nullptr ? otherwise : std::strtoull(given, nullptr, 10);
}

}  // namespace wingbeat::test
