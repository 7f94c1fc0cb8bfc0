// SPDX-License-Identifier: Apache-2.0
// What an exception says, and bytes made by hand.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>  // byte
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "wingbeat/error.hpp"  // file_error

namespace wingbeat::test {

/// Returns the message of the `Error` that `action` throws; fails if it throws none.
template <class Error = file_error, class Action>
std::string message_of(Action&& action) {
  try {
    action();
  } catch (const Error& refused) {
    return refused.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

inline std::span<const std::byte> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

/// Returns the number's lowest `n_bytes` bytes, lowest first.
inline std::string little_endian(std::uint64_t number, int n_bytes) {
  std::string bytes;
  for (int i = 0; i < n_bytes; ++i) bytes += static_cast<char>(number >> (8 * i));
  return bytes;
}

}  // namespace wingbeat::test
