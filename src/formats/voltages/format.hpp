// SPDX-License-Identifier: Apache-2.0
// The formats of voltages: another one is a file with its reader, which is declared here, and a
// line of the table.
#pragma once

#include <cstddef>  // byte, size_t
#include <memory>   // unique_ptr
#include <optional>
#include <span>
#include <string_view>

#include "formats/files/byte_source.hpp"  // byte_source
#include "formats/files/signature.hpp"    // signed_content
#include "formats/voltages/voltages.hpp"  // voltage_file, voltage_options

namespace wingbeat::formats {

/// Opens a file of any size, of which headers are read at once, and samples when they are asked
/// for. Packets that are damaged, cut, of another shape than the first or at no time of their own
/// are left out, as a remark says. Throws `file_error` naming the source, which must outlive the
/// file, where most packets are damaged, and for what is not read. docs/formats.md has all keys.
using voltage_opener = std::unique_ptr<voltage_file>(const byte_source& source,
                                                     const voltage_options& options);

/// Returns whether a file is of a format, as its first bytes and its size tell; no size of a pipe.
using voltage_test = bool(std::span<const std::byte> head, std::optional<std::size_t> size_bytes);

/// GUPPI raw: blocks of a header, cards of 80 characters up to END, and of complex samples,
/// [channel][time][polarisation][re, im]. Blocks follow each other without the samples that they
/// repeat (OVERLAP); blocks that PKTIDX leaves out are missing packets. Samples have 4, 8 or 16
/// bits, two's complement; at 4 bits the real part is the higher half of a byte, at 16 bits the
/// lower byte comes first. They come at a rate of 1/TBIN; OBSFREQ and OBSBW, in MHz, are the middle
/// and the width of the channels of an antenna. Samples of 2 bits, whose levels the format leaves
/// open, and floats are refused.
voltage_opener open_guppi;

/// Returns whether a file begins with a card of GUPPI raw: "KEY     = ...", all of it text.
[[nodiscard]] bool is_guppi(std::span<const std::byte> head);

/// PSRDADA: files of a header of lines "KEY value", and of samples, [time][channel][polarisation]
/// unless ORDER says so. The files of a sequence are placed by OBS_OFFSET; those without a header
/// follow the one before, so that a header may be a file of its own.
voltage_opener open_dada;

/// Mark 5B: frames of a header of 16 bytes and of 10,000 bytes of 32 bit streams, which are signs,
/// or signs and magnitudes, of channels; the options state which, as the header does not: channels,
/// of 1 bit or, unless they say so, of 2.
voltage_opener open_mark5b;

/// VDIF, the VLBI data interchange format: frames of a header of 32 bytes, or 16 in its legacy
/// form, and of real or complex samples of 1, 2, 4, 8, 16 or 32 bits, the first in the lowest bits,
/// channel by channel. It has no magic number.
voltage_opener open_vdif;
voltage_test is_vdif;

struct voltage_format {
  std::string_view name;  ///< As programs are told it.
  voltage_test* is_format_of;
  voltage_opener* open;
  bool has_threads = false;  ///< Whether its polarisations are threads, which options name.
};

/// Those with a mark come first.
inline constexpr voltage_format voltage_formats[] = {
    {"guppi", [](auto head, auto) { return signed_content(head).empty() && is_guppi(head); },
     open_guppi},
    {"dada", [](auto head, auto) { return signed_content(head) == "a DADA recording"; }, open_dada},
    {"mark5b", [](auto head, auto) { return signed_content(head) == "a Mark5B recording"; },
     open_mark5b},
    {"vdif", is_vdif, open_vdif, true},
};

}  // namespace wingbeat::formats
