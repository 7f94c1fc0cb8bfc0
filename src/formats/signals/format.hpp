// SPDX-License-Identifier: Apache-2.0
// The formats of signals: how each is read and written; `signal.cpp` chooses among them.
#pragma once

#include <complex>
#include <filesystem>
#include <memory>  // shared_ptr, unique_ptr
#include <optional>
#include <string_view>

#include "formats/files/atomic_file.hpp"      // atomic_file
#include "formats/files/byte_source.hpp"      // byte_source
#include "formats/signals/sample_reader.hpp"  // sample_reader, sample_writer

namespace wingbeat::formats {

/// Opens a file of a format. Throws `file_error` naming the source for anything that its reader
/// does not read; `plan_error` in a build without its library.
using sample_opener = std::unique_ptr<sample_reader>(std::shared_ptr<const byte_source> source);

/// Returns whether this build has libsndfile.
[[nodiscard]] bool has_audio_library() noexcept;

/// Recordings of sound that libsndfile reads: WAV, W64, AIFF, AU, CAF, FLAC, Ogg, MP3.  Scale:
/// integers of any width map to [-1, 1), exactly: they are the upper bits of their bytes, and are
/// divided by 2^(bits-1) of these. Floats are unchanged. A WAV stream, whose RIFF size is 0, about
/// 2^31 or about 2^32, may state the same for its data, which then extend to the end of the file;
/// an incomplete frame there is dropped. Bytes behind the RIFF chunk and damaged chunks behind the
/// data are skipped.
sample_opener open_audio;

/// Opens a file for a real signal, each row of which is a channel: .flac, in 24 bits, or .wav in
/// floats of 32 bits, of 4 GiB and more as RF64. Throws `plan_error` for complex samples, for a
/// sample rate that is no whole number of Hz and for more channels than the format holds, and
/// `file_error` for a pipe, whose header cannot be completed.
[[nodiscard]] std::unique_ptr<sample_writer> open_audio_writer(const std::filesystem::path& file,
                                                               const signal& shape);

/// NumPy's .npy, versions 1.0 to 3.0, of one array: one dimension is one row, two are rows of
/// samples, maybe only one; three, in C order, are tables of rows. Takes b1, i1 to i8, u1 to u8, f2
/// to f8, c8 and c16 in either byte order, in C or Fortran order; integers beyond 2^53 are rounded.
sample_opener open_npy;

/// Writes version 1.0, little-endian, C order: f4, f8, c8 or c16 by the signal's flags; one
/// dimension for one row, two for several rows and for a table.
void write_npy(atomic_file& file, const signal& recording);

/// The dataset of a name, file.h5:/path: axes of length 1 do not count, one axis is a row, two are
/// rows of samples. The rate is that of an attribute `sample_rate`, or of one of its other common
/// names, in Hz. More axes are refused.
sample_opener open_hdf5;

/// Writes a signal as the dataset `values`, with an axis of rows, if there are, and one of
/// frequencies, times, or numbers of samples where the rate is unknown. Throws as `hdf5_writer`
/// does.
void write_hdf5(const atomic_file& file, const signal& recording);

// Samples as lines of text: "re", or "re im" separated by blanks or a comma; a blank
// line, or a comment `# row R`, between rows.

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

/// Returns a number, or a complex one as Python or MATLAB writes it, (1.5+2j) or 1.5+2i; nothing
/// for another text.
[[nodiscard]] std::optional<std::complex<double>> complex_from(std::string_view word);

/// Writes one sample per line: "re im", or "re" for a real signal. The digits suffice to read back
/// the same bits: 9 for single precision, the fewest that round-trip for double. Rows of a table
/// have the heading `# row R` and are separated by a blank line.
void write_text(atomic_file& file, const signal& recording);

/// Writes the heading "index,re,im" and a line per sample; for a table, "row,index,re,im".
void write_csv(atomic_file& file, const signal& recording);

// Comma-separated values: one column of a table, or what `write_csv` writes.

/// Returns whether the first line that is no comment names several columns, none of which is a
/// number, or one above a number.
[[nodiscard]] bool has_csv_heading(std::string_view content);

/// Returns the samples of a column, chosen by its name or its number from 0; without a choice the
/// only one, or both of `re,im`. Fields are separated by commas, semicolons or tabs, numbers are
/// real or complex as Python writes them. The signal is real if every imaginary part is 0.
/// Of the headings of `write_csv`, `index,re,im` and `row,index,re,im`, these are rows of samples:
/// indices count from 0 in every row, and rows from 0, without omissions.
/// Throws `file_error` naming `name` and the line at fault, and `plan_error` without a choice.
[[nodiscard]] signal read_csv(std::string_view content, std::string_view name,
                              std::string_view column = {});

}  // namespace wingbeat::formats
