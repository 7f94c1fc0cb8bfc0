// SPDX-License-Identifier: Apache-2.0
// Samples as lines of text: "re", or "re im" separated by blanks or a comma; a blank line, or a
// comment `# row R`, between rows.
#pragma once

#include <complex>
#include <optional>
#include <string_view>

#include "formats/files/atomic_file.hpp"  // atomic_file
#include "formats/signals/signal.hpp"     // signal

namespace wingbeat::formats {

/// Returns the rows of samples in the lines of `content`. Blank lines separate rows: several count
/// as one, and those before the first and after the last row are ignored. A `#` starts a comment; a
/// line with only a comment is skipped and separates nothing, except `# row R` with a number R: a
/// row begins below it, and the signal is a table even if that row is its only one. Rows are
/// equally long, lines end in LF or CRLF, and either all lines have one column (a real signal) or
/// all have two (a complex signal). Numbers are decimal and may carry a sign and an exponent; a
/// line may have one complex number in Python's form, (1+2j). A file is ambiguous if every line
/// could be one number: digits, a comma and digits (1,5 or 1,000.5), or a number with a blank
/// between thousands, if one line is like 1 000 or 1 234.5. It is then refused unless a comment
/// above its first sample has the word `complex`, or `re` and `im` side by side.
/// Throws `file_error` naming `name` and the line at fault.
[[nodiscard]] signal read_text(std::string_view content, std::string_view name);

/// Returns a number, or a complex one as Python writes it, (1.5+2j); nothing for another text.
[[nodiscard]] std::optional<std::complex<double>> complex_from(std::string_view word);

/// Writes one sample per line: "re im", or "re" for a real signal. The digits suffice to read back
/// the same bits: 9 for single precision, the fewest that round-trip for double. Rows of a table
/// have the heading `# row R` and are separated by a blank line.
void write_text(atomic_file& file, const signal& recording);

/// Writes the heading "index,re,im" and a line per sample; for a table, "row,index,re,im".
void write_csv(atomic_file& file, const signal& recording);

}  // namespace wingbeat::formats
