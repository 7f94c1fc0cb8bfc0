// SPDX-License-Identifier: Apache-2.0
// The formats of voltages: another one is a file with its reader, and a line of this table.
#pragma once

#include <string_view>

#include "formats/files/signature.hpp"        // signed_content
#include "formats/voltages/dada.hpp"          // open_dada
#include "formats/voltages/guppi.hpp"         // open_guppi
#include "formats/voltages/guppi_header.hpp"  // is_guppi
#include "formats/voltages/mark5b.hpp"        // open_mark5b
#include "formats/voltages/vdif.hpp"          // is_vdif, open_vdif

namespace wingbeat::formats {

struct voltage_format {
  std::string_view name;  ///< As programs are told it.
  /// Returns whether a file is of the format, as its first bytes and its size tell; no size of a
  /// pipe.
  bool (*is_format_of)(std::span<const std::byte> head, std::optional<std::size_t> size_bytes);
  /// Opens a file, which must outlive the result. Throws `file_error` naming it.
  std::unique_ptr<voltage_file> (*open)(const byte_source& source, const voltage_options& options);
  bool has_threads = false;  ///< Whether its polarisations are threads, which options name.
};

/// Those with a mark come first.
inline constexpr voltage_format voltage_formats[] = {
    {"guppi", [](auto head, auto) { return signed_content(head).empty() && is_guppi(head); },
     [](const byte_source& source, const voltage_options&) { return open_guppi(source); }},
    {"dada", [](auto head, auto) { return signed_content(head) == "a DADA recording"; },
     [](const byte_source& source, const voltage_options&) { return open_dada(source); }},
    {"mark5b", [](auto head, auto) { return signed_content(head) == "a Mark5B recording"; },
     open_mark5b},
    {"vdif", is_vdif, open_vdif, true},
};

}  // namespace wingbeat::formats
