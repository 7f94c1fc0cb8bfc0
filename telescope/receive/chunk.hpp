// SPDX-License-Identifier: Apache-2.0
// Chunks: samples of all polarisations over one length of time, and which of their packets arrived.
#pragma once

#include <cstddef>  // byte, size_t
#include <cstdint>  // int64_t, uint16_t, uint8_t
#include <span>
#include <vector>

namespace wingbeat::receive {

/// How a digitiser's packets form chunks.
struct chunk_geometry {
  unsigned sample_bits = 10;  ///< 2 to 16.
  std::size_t packet_samples = 4096;
  std::size_t chunk_samples = std::size_t{1} << 25;  ///< Per polarisation; whole packets.
  std::size_t polarisations = 2;                     ///< 1 or 2.

  [[nodiscard]] std::size_t packet_bytes() const { return packet_samples * sample_bits / 8; }
  /// Returns the packets of one polarisation.
  [[nodiscard]] std::size_t packets() const { return chunk_samples / packet_samples; }
  /// Returns the bytes of one polarisation.
  [[nodiscard]] std::size_t plane_bytes() const { return packets() * packet_bytes(); }
  /// Returns the bytes of a chunk, including the records of its packets.
  [[nodiscard]] std::size_t chunk_bytes() const;
};

/// Throws `plan_error` for an impossible geometry.
void check(const chunk_geometry& geometry);

struct chunk {
  /// Time of the first sample, in ADC samples since sample 0, unwrapped beyond 48 bits.
  std::int64_t timestamp = 0;
  /// Chunks of one epoch are in order of time. Another epoch begins if time goes back, because the
  /// digitiser was restarted.
  std::uint64_t epoch = 0;
  /// [polarisation][packet]: 1 if the packet is present. The samples of other packets are
  /// unspecified.
  std::vector<std::vector<std::uint8_t>> present = {};
  std::vector<std::vector<std::uint16_t>> saturated = {};  ///< [polarisation][packet] samples.
  /// [polarisation][byte]: packed samples, the most significant bit first.
  std::vector<std::span<std::byte>> samples = {};
  std::size_t n_present = 0;  ///< Present packets of all polarisations.
  bool is_complete = false;   ///< All packets are present.
};

}  // namespace wingbeat::receive
