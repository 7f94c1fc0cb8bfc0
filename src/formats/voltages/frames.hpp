// SPDX-License-Identifier: Apache-2.0
// Recordings in frames of one length, a header and samples, channel by channel: VDIF and Mark 5B
// differ in their headers alone.
#pragma once

#include <cstddef>  // byte, size_t
#include <cstdint>  // int64_t, uint32_t, uint64_t
#include <memory>   // unique_ptr
#include <optional>
#include <span>
#include <string_view>

#include "formats/files/byte_source.hpp"  // byte_source
#include "formats/voltages/voltages.hpp"  // voltage_file, voltage_options

namespace wingbeat::formats {

inline constexpr std::int64_t seconds_of_day = 86400;

/// What all frames have in common.
struct frame_shape {
  std::size_t frame_bytes = 0, header = 0, n_channels = 1, sample_bits = 2;
  bool is_complex = false;
  sample_coding coding = sample_coding::offset_binary;
  bool operator==(const frame_shape&) const = default;

  /// Samples of each channel.
  [[nodiscard]] std::size_t n_samples() const {
    return (frame_bytes - header) * 8 / (sample_bits * (is_complex ? 2 : 1) * n_channels);
  }
};

struct frame_header {
  frame_shape shape = {};
  std::uint32_t second = 0, number = 0, thread = 0;
  std::optional<std::int64_t> epoch_mjd = {};  ///< The day from which seconds count.
  bool is_valid = true;
  unsigned extension = 0;  ///< The version of VDIF's extended data; 0: none.
  /// Of extensions 1 and 3: bit 23 tells megahertz from kilohertz, which the lower ones count. 0:
  /// none.
  std::uint32_t stated_rate = 0;
  /// Of extension 4: channels are in so many equal groups, each valid where its bit is set. 0: all.
  unsigned n_groups = 0;
  std::uint64_t valid_groups = 0;

  /// Returns whether samples of the channel are valid; of all channels where none is given.
  [[nodiscard]] bool is_valid_in(std::optional<std::size_t> channel) const;

  [[nodiscard]] double stated_rate_hz() const {
    return (stated_rate >> 23 == 1 ? 1e6 : 1e3) * (stated_rate & 0x7fffff);
  }
};

/// The headers of a format.
struct frame_format {
  std::size_t header_bytes = 0, min_header_bytes = 0;  ///< Those of the longest, of the shortest.
  /// Parses the header of frame `index`, behind whose first byte the file has `n_left` bytes.
  /// Throws `file_error` naming `name` for one that is damaged or claims more.
  frame_header (*parse)(std::span<const std::byte> head, std::size_t n_left, std::size_t index,
                        std::string_view name, const voltage_options& options) = nullptr;
  /// Returns the length of a frame that a header of `min_header_bytes` or more claims.
  std::size_t (*frame_bytes)(std::span<const std::byte> head) = nullptr;
  /// Returns whether two headers of `min_header_bytes` or more agree in what frames have in common.
  bool (*is_same_shape)(std::span<const std::byte> a, std::span<const std::byte> b) = nullptr;
};

/// Opens a file of any size, of which headers are read at once, and samples when they are asked
/// for. Frames may come in any order, each of a thread, of which one or two are polarisations. The
/// options' channels and bits are those of the file. Frames that are left out, or marked invalid,
/// are missing packets.
/// Frames of a second follow from the sample rate, that of the options or of headers; else they
/// are one more than the highest number of a frame, which is right where one whole second was
/// recorded, and not needed within one second.
/// Frames that are damaged, cut, of another shape than the first, there twice or far from the time
/// of most are left out, as a remark says. Throws `file_error` naming the source, which must
/// outlive the file, where most frames are damaged. docs/formats.md has all fields.
[[nodiscard]] std::unique_ptr<voltage_file> open_frames(const byte_source& source,
                                                        const frame_format& format,
                                                        const voltage_options& options);

/// Returns bits first .. first + count - 1 of the header's word i.
[[nodiscard]] std::uint32_t header_field(std::span<const std::byte> head, std::size_t i,
                                         unsigned first, unsigned count);

/// Throws `file_error` for a frame that the file does not hold whole, or without whole samples.
void require_whole_frame(const frame_shape& shape, std::size_t n_left, std::size_t index,
                         std::string_view name);

}  // namespace wingbeat::formats
