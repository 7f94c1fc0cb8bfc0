// SPDX-License-Identifier: Apache-2.0
// Recordings of sound that libsndfile reads and writes: WAV, W64, AIFF, AU, CAF, FLAC, Ogg, MP3.
#pragma once

#include <filesystem>
#include <memory>  // shared_ptr, unique_ptr

#include "formats/files/byte_source.hpp"      // byte_source
#include "formats/signals/sample_reader.hpp"  // sample_reader, sample_writer

namespace wingbeat::formats {

/// Returns whether this build has libsndfile.
[[nodiscard]] bool has_audio_library() noexcept;

/// Opens a recording.  Scale: integers of any width map to [-1, 1), exactly: they are the upper
/// bits of their bytes, and are divided by 2^(bits-1) of these. Floats are unchanged. A WAV stream,
/// whose RIFF size is 0, about 2^31 or about 2^32, may state the same for its data, which then
/// extend to the end of the file; an incomplete frame there is dropped. Bytes behind the RIFF chunk
/// and damaged chunks behind the data are skipped.
/// Throws `file_error` naming the source and the fault; `plan_error` in a build without libsndfile.
[[nodiscard]] std::unique_ptr<sample_reader> open_audio(std::shared_ptr<const byte_source> source);

/// Opens a file for a real signal, each row of which is a channel: .flac, in 24 bits, or .wav in
/// floats of 32 bits, of 4 GiB and more as RF64. Throws `plan_error` for complex samples, for a
/// sample rate that is no whole number of Hz and for more channels than the format holds, and
/// `file_error` for a pipe, whose header cannot be completed.
[[nodiscard]] std::unique_ptr<sample_writer> open_audio_writer(const std::filesystem::path& file,
                                                               const signal& shape);

}  // namespace wingbeat::formats
