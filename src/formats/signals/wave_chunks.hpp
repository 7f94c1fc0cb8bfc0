// SPDX-License-Identifier: Apache-2.0
// Where the samples of a RIFF WAVE recording lie, also of streams and of damaged files, whose
// headers libsndfile would believe.
#pragma once

#include <string>
#include <string_view>

#include "formats/files/byte_source.hpp"  // byte_source

namespace wingbeat::formats {

/// The bytes of a file from `begin` to `end` behind a header.
struct wave_file {
  std::string header = {};  ///< RIFF with its chunk of the format and the head of its data.
  std::size_t begin = 0, end = 0;
};

/// Returns whether a file begins with RIFF, RIFX, RF64 or BW64.
[[nodiscard]] bool is_wave(std::string_view head);

/// Finds the chunks, and writes a header whose sizes are those of the file. Throws `file_error` for
/// a file that was cut, and for one without format or data.
[[nodiscard]] wave_file find_wave(const byte_source& source);

}  // namespace wingbeat::formats
