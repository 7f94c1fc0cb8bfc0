// SPDX-License-Identifier: Apache-2.0
// The header of a block of GUPPI raw: cards of 80 characters up to END.
#pragma once

#include <compare>  // operator<=>
#include <cstddef>  // size_t
#include <optional>
#include <string>

#include "formats/files/byte_source.hpp"  // byte_source
#include "formats/voltages/voltages.hpp"  // day_time

namespace wingbeat::formats {

inline constexpr std::size_t guppi_card_bytes = 80, guppi_key_bytes = 8;

/// What all blocks have in common.
struct block_shape {
  std::size_t block_bytes = 0, n_channels = 1, n_antennas = 1, n_polarisations = 1, sample_bits = 8;
  std::size_t n_samples = 0, overlap = 0;
  bool has_channels_in_turn = false;  ///< [time][channel] in place of [channel][time].
  bool operator==(const block_shape&) const = default;

  /// All channels at one time.
  [[nodiscard]] std::size_t time_bits() const {
    return n_channels * n_polarisations * 2 * sample_bits;
  }
};

/// What the cards say of times and frequencies.
struct sky {
  std::optional<double> time_s, centre_mhz, band_mhz, channel_mhz;
  auto operator<=>(const sky&) const = default;
};

/// What a header says.
struct guppi_header {
  block_shape shape = {};
  sky seen = {};
  std::optional<day_time> start = {};  ///< Of the packet `first_index`.
  std::string target = {};
  std::size_t first_index = 0;
  std::optional<std::size_t> packet_index = {};
  /// What PKTIDX grows by from block to block, as PIPERBLK says, or else PKTSIZE and BLOCSIZE.
  std::optional<std::size_t> packets_of_block = {};
  bool is_direct = false;  ///< It is padded to whole 512 bytes, by some writers the data, too.
  bool has_drops = false;  ///< Packets of the block were lost.
};

/// Parses the header at `offset`, which then lies behind it. Throws `file_error` for one that is
/// damaged, or of samples that are not read.
[[nodiscard]] guppi_header take_guppi_header(const byte_source& source, std::size_t& offset);

}  // namespace wingbeat::formats
