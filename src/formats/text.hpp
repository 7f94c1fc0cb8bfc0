// SPDX-License-Identifier: Apache-2.0
// Samples as lines of text: "re", or "re im" separated by blanks or a comma.
#pragma once

#include <string_view>

#include "formats/atomic_file.hpp"  // atomic_file
#include "formats/signal.hpp"       // signal

namespace wingbeat::formats {

/// Returns the signal that the lines of `content` hold, as one row.
/// A `#` starts a comment, blank lines are skipped, lines end in LF or CRLF, and all lines have
/// one column (a real signal) or all have two (a complex one). Numbers are decimal and may carry
/// a sign and an exponent. Throws `file_error` naming `name` and the line at fault.
[[nodiscard]] signal read_text(std::string_view content, std::string_view name);

/// Writes one sample a line: "re im", or "re" for a real signal. The digits suffice to read back
/// the same bits: 9 for single precision, the fewest that round-trip for double. Several rows
/// follow one another, each headed by a comment.
void write_text(atomic_file& to, const signal& what);

/// Writes "index,re,im" and a line per sample; with several rows, "row,index,re,im".
void write_csv(atomic_file& to, const signal& what);

}  // namespace wingbeat::formats
