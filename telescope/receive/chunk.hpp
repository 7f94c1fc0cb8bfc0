// SPDX-License-Identifier: Apache-2.0
// Chunks: samples of all polarisations over one length of time, and which of their packets came.
#pragma once

#include <cstddef>  // byte, size_t
#include <cstdint>  // int64_t, uint16_t, uint8_t
#include <span>
#include <vector>

namespace wingbeat::receive {

/// How a digitiser's packets make chunks.
struct chunk_geometry {
  unsigned sample_bits = 10;  ///< 2 to 16.
  std::size_t packet_samples = 4096;
  std::size_t chunk_samples = std::size_t{1} << 25;  ///< Of one polarisation; whole packets.
  std::size_t polarisations = 2;                     ///< 1 or 2.

  [[nodiscard]] std::size_t packet_bytes() const { return packet_samples * sample_bits / 8; }
  /// Packets of one polarisation.
  [[nodiscard]] std::size_t packets() const { return chunk_samples / packet_samples; }
  /// Bytes of one polarisation.
  [[nodiscard]] std::size_t plane_bytes() const { return packets() * packet_bytes(); }
  /// Bytes of a chunk, with the records of its packets.
  [[nodiscard]] std::size_t chunk_bytes() const;
};

/// Throws `plan_error` for a geometry that is impossible.
void check(const chunk_geometry& geometry);

struct chunk {
  /// Time of the first sample, in ADC samples since sample 0: unwrapped beyond 48 bits.
  std::int64_t timestamp = 0;
  /// Chunks of one epoch come in order of time. Another epoch follows where time went back: the
  /// digitiser was started again.
  std::uint64_t epoch = 0;
  /// [polarisation][packet]: 1 where it is there. The samples of others are unspecified.
  std::vector<std::vector<std::uint8_t>> present = {};
  std::vector<std::vector<std::uint16_t>> saturated = {};  ///< [polarisation][packet] samples.
  /// [polarisation][byte]: packed samples, the most significant bit first.
  std::vector<std::span<std::byte>> samples = {};
  std::size_t n_present = 0;  ///< Packets of all polarisations.
  bool is_complete = false;   ///< All of them are there.
};

}  // namespace wingbeat::receive
