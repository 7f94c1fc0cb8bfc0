// SPDX-License-Identifier: Apache-2.0
// GUPPI raw: blocks of a header, cards of 80 characters up to END, and of complex samples,
// [channel][time][polarisation][re, im].
#pragma once

#include <cstddef>  // byte
#include <memory>   // unique_ptr
#include <span>

#include "formats/files/byte_source.hpp"  // byte_source
#include "formats/voltages/voltages.hpp"  // voltage_file

namespace wingbeat::formats {

/// Opens a file of any size, of which headers are read at once, and samples when they are asked
/// for. Blocks follow each other without the samples that they repeat (OVERLAP); blocks that PKTIDX
/// leaves out are missing packets. Samples have 4, 8 or 16 bits, two's complement; at 4 bits the
/// real part is the higher half of a byte, at 16 bits the lower byte comes first. They come at a
/// rate of 1/TBIN; OBSFREQ and OBSBW, in MHz, are the middle and the width of the channels of an
/// antenna. Blocks that are damaged, cut, of another shape than the first or at no time of their
/// own are left out, as a remark says. Throws `file_error` naming the source, which must outlive
/// the file, where most blocks are damaged, for samples of 2 bits, whose levels
/// the format leaves open, for floats, and for packets of format SIMPLE. docs/formats.md has all
/// keys.
[[nodiscard]] std::unique_ptr<voltage_file> open_guppi(const byte_source& source);

}  // namespace wingbeat::formats
