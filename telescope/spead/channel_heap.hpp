// SPDX-License-Identifier: Apache-2.0
// Heaps of channelised voltages: the channels of one substream, [channel][spectrum][pol][re, im].
#pragma once

#include <cstddef>  // byte, size_t
#include <cstdint>  // uint16_t, uint64_t
#include <optional>
#include <span>
#include <vector>

#include "spead/descriptor.hpp"      // descriptor
#include "spead/heap.hpp"            // heap
#include "spead/packetiser.hpp"      // outgoing_heap
#include "wingbeat/channeliser.hpp"  // heap_sample

namespace wingbeat::spead {

/// Ids of a channeliser's items.
namespace channel_item {
inline constexpr std::uint16_t timestamp = 0x1600, engine = 0x4101, first_channel = 0x4103,
                               missing = 0x4104, voltages = 0x4300;
}

/// The common properties of a stream's heaps.
struct channel_heap_format {
  std::size_t channels = 0;  ///< Of one substream.
  std::size_t spectra = 0;
  std::size_t polarisations = 2;
  heap_sample samples = heap_sample::int8;
  bool has_missing = false;  ///< An item says which polarisations have missing samples.

  [[nodiscard]] std::size_t heap_bytes() const;
};

struct channel_heap {
  std::uint64_t timestamp = 0;  ///< In ADC samples, modulo 2^48, of the first spectrum.
  std::uint64_t engine = 0;
  std::uint64_t first_channel = 0;
  std::uint64_t missing = 0;  ///< Bit p: missing samples of polarisation p count as 0.
  std::span<const std::byte> voltages = {};
};

/// Returns the descriptors of a stream's items.
[[nodiscard]] std::vector<descriptor> descriptors_of(const channel_heap_format& format);

/// Returns the heap to send; its payload is `heap.voltages`.
[[nodiscard]] outgoing_heap outgoing(const channel_heap& heap, const channel_heap_format& format,
                                     std::uint64_t heap_id);

/// Returns the contents of a heap of this kind; none if an item is missing.
[[nodiscard]] std::optional<channel_heap> channel_heap_of(const heap& received);

}  // namespace wingbeat::spead
