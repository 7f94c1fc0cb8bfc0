// SPDX-License-Identifier: Apache-2.0
// Packets of a digitiser; each is a heap of packed samples of one polarisation.
#pragma once

#include <array>
#include <cstddef>  // byte, size_t
#include <cstdint>  // uint16_t, uint64_t
#include <span>
#include <vector>

#include "spead/descriptor.hpp"  // descriptor
#include "spead/item.hpp"        // header_bytes, pointer_bytes
#include "spead/packet.hpp"      // packet_fault

namespace wingbeat::spead {

/// Ids of a digitiser's items.
namespace digitiser_item {
inline constexpr std::uint16_t timestamp = 0x1600, id = 0x3101, status = 0x3102, samples = 0x3300;
}

struct digitiser_packet {
  std::uint64_t heap_id = 0;
  std::uint64_t timestamp = 0;  ///< In ADC samples, modulo 2^48.
  unsigned polarisation = 0;    ///< Bit 0 of the digitiser's id.
  std::uint16_t saturated = 0;  ///< Number of samples: bits 47 to 32 of the status.
  bool is_saturated = false;    ///< Bit 1 of the status.
  std::span<const std::byte> samples = {};
};

enum class digitiser_verdict {
  good,
  undecodable,  ///< No packet of SPEAD-64-48.
  stop,         ///< A stop heap without samples.
  descriptors,  ///< A heap of descriptors without samples.
  foreign,      ///< Another heap: no timestamp, digitiser id or samples.
  wrong_size    ///< Samples of unexpected length, or a part of a heap.
};

/// Decodes a datagram with `n_bytes` of samples, alone or with other items. `fault` says why a
/// datagram is undecodable. `found` is unspecified unless the verdict is good.
[[nodiscard]] digitiser_verdict decode(std::span<const std::byte> datagram, std::size_t n_bytes,
                                       digitiser_packet& found, packet_fault& fault);

inline constexpr std::size_t digitiser_preamble_bytes = header_bytes + 8 * pointer_bytes;

/// Returns the bytes before the samples of a packet.
[[nodiscard]] std::array<std::byte, digitiser_preamble_bytes> preamble_of(
    const digitiser_packet& packet);

/// Returns the descriptors of a digitiser's items.
[[nodiscard]] std::vector<descriptor> digitiser_descriptors(std::size_t packet_samples,
                                                            unsigned sample_bits);

}  // namespace wingbeat::spead
