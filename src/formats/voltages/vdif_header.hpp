// SPDX-License-Identifier: Apache-2.0
// The header of a VDIF frame: 8 words of 32 bits, 4 in its legacy form.
#pragma once

#include <cstddef>  // byte, size_t
#include <cstdint>  // uint32_t, uint64_t
#include <optional>
#include <span>
#include <string_view>

namespace wingbeat::formats {

inline constexpr std::size_t vdif_header_bytes = 32, legacy_vdif_header_bytes = 16;

/// What all frames have in common.
struct frame_shape {
  std::size_t frame_bytes = 0, header = vdif_header_bytes, n_channels = 1, sample_bits = 2;
  bool is_complex = false;
  bool operator==(const frame_shape&) const = default;

  /// Samples of each channel.
  [[nodiscard]] std::size_t n_samples() const {
    return (frame_bytes - header) * 8 / (sample_bits * (is_complex ? 2 : 1) * n_channels);
  }
};

struct frame_header {
  frame_shape shape = {};
  std::uint32_t second = 0, number = 0, epoch = 0, thread = 0;
  bool is_valid = true;
  unsigned extension = 0;     ///< The version of its extended data; 0: none.
  double stated_rate_hz = 0;  ///< Of extensions 1 and 3; 0: none.
  /// Of extension 4: channels are in so many equal groups, each valid where its bit is set. 0: all.
  unsigned n_groups = 0;
  std::uint64_t valid_groups = 0;

  /// Returns whether samples of the channel are valid; of all channels where none is given.
  [[nodiscard]] bool is_valid_in(std::optional<std::size_t> channel) const;

  [[nodiscard]] bool has_unknown_extension() const { return extension > 4 && extension != 0xab; }
};

/// Parses the header of frame `index`, behind whose first byte the file has `n_left` bytes. Throws
/// `file_error` naming `name` for one that is damaged or claims more.
[[nodiscard]] frame_header parse_header(std::span<const std::byte> head, std::size_t n_left,
                                        std::size_t index, std::string_view name);

/// Returns the length of a frame that a header of 16 bytes or more claims.
[[nodiscard]] std::size_t vdif_frame_bytes(std::span<const std::byte> head);

/// Returns whether two headers of 16 bytes or more agree in all that frames have in common.
[[nodiscard]] bool is_same_vdif_shape(std::span<const std::byte> a, std::span<const std::byte> b);

}  // namespace wingbeat::formats
