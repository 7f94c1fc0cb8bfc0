// SPDX-License-Identifier: Apache-2.0
// A part of a search as bytes, to keep or to send to another process. A checksum is at the end.
#pragma once

#include <cstddef>  // byte
#include <span>
#include <vector>

#include "searching/part.hpp"  // search_part

namespace wingbeat::python {

[[nodiscard]] std::vector<std::byte> bytes_of(searching::search_part part);

/// Throws `plan_error` if the bytes are not a part, or were changed.
[[nodiscard]] searching::search_part part_of(std::span<const std::byte> bytes);

}  // namespace wingbeat::python
