// SPDX-License-Identifier: Apache-2.0
// GUPPI raw: blocks of a header, cards of 80 characters up to END, and of complex samples,
// [channel][time][polarisation][re, im].
#pragma once

#include <cstddef>  // byte, size_t
#include <optional>
#include <span>
#include <string_view>

#include "formats/voltages.hpp"  // voltages

namespace wingbeat::formats {

struct guppi_options {
  std::optional<std::size_t> channel = {};  ///< The only channel that is read; unset: all.
};

/// Returns all blocks behind each other, without the samples that blocks repeat (OVERLAP). Samples
/// have 4, 8 or 16 bits, two's complement; at 4 bits the real part is the higher half of a byte, at
/// 16 bits the lower byte comes first. Blocks that PKTIDX leaves out are missing packets. Samples
/// come at a rate of 1/TBIN; OBSFREQ and OBSBW, in MHz, are the middle and the width of all
/// channels. Throws `file_error` naming `name` for headers that are damaged, differ or claim more
/// than follows, for samples of 2 bits, whose levels the format leaves open, for packets of format
/// SIMPLE, and for a channel that the file does not have.
[[nodiscard]] voltages read_guppi(std::span<const std::byte> content, std::string_view name,
                                  const guppi_options& options = {});

}  // namespace wingbeat::formats
