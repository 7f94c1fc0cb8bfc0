// SPDX-License-Identifier: Apache-2.0
// What the device's filter banks are compiled for, of a description.
#pragma once

#include <string>
#include <vector>

#include "wingbeat/buffer.hpp"                     // buffer
#include "wingbeat/channeliser.hpp"                // channeliser_spec
#include "wingbeat/device/channeliser/filter.hpp"  // bank_numbers

namespace wingbeat::channelising {

/// Returns the numbers of a valid spec, with tiles of one row.
[[nodiscard]] device::channeliser::bank_numbers numbers_of(const channeliser_spec& spec);

/// Returns the text of `struct policy` for device/channeliser.
[[nodiscard]] std::string policy_text(const device::channeliser::bank_numbers& numbers,
                                      std::uint64_t seed);

/// Returns device memory that holds `values`.
template <class T>
[[nodiscard]] buffer filled(const queue& on, const std::vector<T>& values) {
  buffer memory{on, values.size() * sizeof(T)};
  memory.write(values.data(), memory.size_bytes());
  return memory;
}

}  // namespace wingbeat::channelising
