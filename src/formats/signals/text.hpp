// SPDX-License-Identifier: Apache-2.0
// Samples as lines of text: "re", or "re im" separated by blanks or a comma; a blank line, or a
// comment `# row R`, between rows.
#pragma once

#include <string_view>

#include "formats/files/atomic_file.hpp"  // atomic_file
#include "formats/signals/signal.hpp"     // signal

namespace wingbeat::formats {

/// Returns the rows of samples that the lines of `content` hold.
/// Blank lines separate rows: several count as one, and those before the first and after the last
/// row mean nothing. A `#` starts a comment; a line with a comment alone is skipped and separates
/// nothing, except `# row R` with a number R: a row begins below it, and the signal is a table even
/// if that row is its only one. Rows are equally long, lines end in LF or CRLF, and all lines have
/// one column (a real signal) or all have two (a complex one). Numbers are decimal and may carry
/// a sign and an exponent; a line may have one complex number as Python writes it, (1+2j). Where
/// every line is digits, a comma and digits, as 1,5 and 1,000.5 are, or could have a blank between
/// thousands and one like 1 000 or 1 234.5 does, a line may be one number: such a file is refused
/// unless a comment above its first sample has the word
/// `complex`, or `re` and `im` side by side.
/// Throws `file_error` naming `name` and the line at fault.
[[nodiscard]] signal read_text(std::string_view content, std::string_view name);

/// Writes one sample a line: "re im", or "re" for a real signal. The digits suffice to read back
/// the same bits: 9 for single precision, the fewest that round-trip for double. Rows of a table
/// are headed by `# row R` and separated by a blank line.
void write_text(atomic_file& file, const signal& recording);

/// Writes "index,re,im" and a line per sample; of a table, "row,index,re,im".
void write_csv(atomic_file& file, const signal& recording);

}  // namespace wingbeat::formats
