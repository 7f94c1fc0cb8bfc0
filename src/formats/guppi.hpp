// SPDX-License-Identifier: Apache-2.0
// GUPPI raw: blocks of a header, cards of 80 characters up to END, and of complex samples,
// [channel][time][polarisation][re, im].
#pragma once

#include <cstddef>  // byte
#include <span>
#include <string_view>

#include "formats/voltages.hpp"  // voltages

namespace wingbeat::formats {

/// Returns all blocks behind each other, without the samples that blocks repeat (OVERLAP). Samples
/// have 4, 8 or 16 bits, two's complement; at 4 bits the real part is the higher half of a byte, at
/// 16 bits the lower byte comes first. Blocks that PKTIDX leaves out are missing packets. Throws
/// `file_error` naming `name` for headers that are damaged, differ or claim more than follows, for
/// samples of 2 bits, whose levels the format leaves open, and for packets of format SIMPLE.
[[nodiscard]] voltages read_guppi(std::span<const std::byte> content, std::string_view name);

}  // namespace wingbeat::formats
