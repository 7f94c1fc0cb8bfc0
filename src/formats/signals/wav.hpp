// SPDX-License-Identifier: Apache-2.0
// RIFF WAVE recordings, RIFX and RF64: PCM of 1 to 32 bits, floats of 32 or 64. libsndfile is not
// used, because it reads a cut file as a shorter one, and a stream of unknown size as an empty one.
#pragma once

#include <bit>      // endian
#include <cstddef>  // byte, size_t
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "formats/files/atomic_file.hpp"  // atomic_file
#include "formats/files/byte_source.hpp"  // byte_source
#include "formats/signals/signal.hpp"     // signal

namespace wingbeat::formats {

/// The layout of samples in a recording.
struct wav_layout {
  std::size_t first_byte = 0;  ///< Of the samples, in the file.
  std::size_t frame_bytes = 0, sample_bits = 0;
  bool is_float = false;
  std::endian order = std::endian::little;
};

/// Returns whether a file begins with RIFF, RIFX, RF64 or BW64.
[[nodiscard]] bool is_wav(std::string_view head);

/// A recording whose frames, one sample of every channel, are read a few at a time.
class wav_reader {
 public:
  /// Reads the header. `source` must outlive the reader. Throws as `read_wav` does.
  explicit wav_reader(const byte_source& source);

  /// Returns the recording without its samples; each channel is a row.
  [[nodiscard]] const signal& shape() const noexcept { return shape_; }

  /// Throws `plan_error` for a channel that the recording does not have.
  void require_channel(std::size_t channel) const;

  /// Returns `count` frames from `first` on, which must exist, as [frame][channel], or of one
  /// channel. Throws `file_error` for a sample that is NaN or infinite.
  [[nodiscard]] std::vector<double> read(std::size_t first, std::size_t count,
                                         std::optional<std::size_t> channel = {}) const;

 private:
  const byte_source& from_;
  wav_layout layout_;
  signal shape_;
};

/// Returns one channel as a real row, or all channels, each as a row, with the sample rate.  Scale:
/// PCM maps to [-1, 1): integers are the upper bits of their bytes, and are divided by 2^(bits-1)
/// of these; in one byte they are unsigned and 128 is zero. Floats are unchanged. A streamed
/// recording, whose RIFF size is 0, about 2^31 or about 2^32, may state the same for its data,
/// which then extend to the end of the file; an incomplete frame there is dropped.
/// WAVE_FORMAT_EXTENSIBLE is read when it wraps one of these. Bytes behind the RIFF chunk and
/// damaged chunks behind the data are skipped. Throws `file_error` naming `name` and the fault, and
/// `plan_error` for a channel that the file does not have.
[[nodiscard]] signal read_wav(std::span<const std::byte> content, std::string_view name,
                              std::optional<std::size_t> channel);

/// Writes a recording as IEEE floats of 32 bits, a few frames at a time.
class wav_writer {
 public:
  /// Writes the header for `shape`, whose samples are not read; each row is a channel. Throws as
  /// `write_wav` does.
  wav_writer(atomic_file& file, const signal& shape);

  /// Appends frames [frame][channel]; in the end there must be as many as in the shape.
  void add(std::span<const double> frames);

 private:
  atomic_file& to_;
};

/// Writes a real signal as above; each row is a channel. Throws `plan_error` for complex samples,
/// for a sample rate that is not a whole number of Hz from 1 to 2^32 - 1, for more than 65,535 rows
/// and for a file of more than 4 GiB; `file_error` for a sample beyond fp32.
void write_wav(atomic_file& file, const signal& recording);

}  // namespace wingbeat::formats
