// SPDX-License-Identifier: Apache-2.0
// A part of a search as bytes that are kept, or sent to another process. They end with a checksum.
#pragma once

#include <cstddef>  // byte
#include <span>
#include <vector>

#include "searching/part.hpp"  // search_part

namespace wingbeat::python {

[[nodiscard]] std::vector<std::byte> bytes_of(searching::search_part part);

/// Throws `plan_error` for bytes that are no part, or no longer as they were.
[[nodiscard]] searching::search_part part_of(std::span<const std::byte> bytes);

}  // namespace wingbeat::python
