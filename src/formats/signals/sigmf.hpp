// SPDX-License-Identifier: Apache-2.0
// SigMF: raw samples, and a document in JSON that says what they are.
#pragma once

#include <cstddef>  // ptrdiff_t, size_t
#include <filesystem>
#include <memory>  // unique_ptr
#include <string>
#include <string_view>

#include "formats/signals/numbers.hpp"        // number_layout
#include "formats/signals/sample_reader.hpp"  // sample_reader, sample_writer

namespace wingbeat::formats {

/// Returns whether a name ends in .sigmf-meta or .sigmf-data, which are one recording, or .sigmf.
[[nodiscard]] bool is_sigmf(const std::filesystem::path& file);

/// What a document says of its samples.
struct sigmf_recording {
  signal shape = {};  ///< Without length; `sigmf` is the document.
  number_layout layout = {};
  std::size_t trailing_bytes = 0;  ///< Behind the samples.
  std::string data_file = {};      ///< Empty: that of the document's name.
};

/// Parses a document. Throws `file_error` naming `name`.
[[nodiscard]] sigmf_recording parse_sigmf(std::string_view text, const std::string& name);

/// The parts of an archive.
struct sigmf_archive {
  std::string document = {};
  std::size_t begin = 0, end = 0;  ///< Of the samples in the archive.
};

/// Finds the only recording of an archive. Throws `file_error`.
[[nodiscard]] sigmf_archive find_sigmf(const byte_source& archive);

/// Opens a recording by either of its files, or an archive of one recording.
/// Throws `file_error` for a damaged one, and for what is not read: samples of other types, headers
/// between captures, archives of several recordings.
[[nodiscard]] std::unique_ptr<sample_reader> open_sigmf(const std::filesystem::path& file);

/// Returns a document whose captures and annotations lie `n_later` samples later, within
/// `n_samples`; empty for an empty one.
[[nodiscard]] std::string shifted_sigmf(const std::string& document, std::ptrdiff_t n_later,
                                        std::size_t n_samples);

/// Opens both files of a recording, or its archive, in floats, of 64 bits unless the signal is of
/// single precision. The document is that of the signal, or one of its rate and frequency. Throws
/// `plan_error` for an archive of 8 GiB of samples, or of a name too long for it.
[[nodiscard]] std::unique_ptr<sample_writer> open_sigmf_writer(const std::filesystem::path& file,
                                                               const signal& shape);

}  // namespace wingbeat::formats
