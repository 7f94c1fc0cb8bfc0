// SPDX-License-Identifier: Apache-2.0
// Packets of an F-engine's heaps, whose voltages tell where they belong.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "receive/batch_assembly.hpp"  // channel_batch
#include "spead/channel_heap.hpp"      // outgoing
#include "spead/packetiser.hpp"        // packets_of

namespace wingbeat::test {

/// 4 substreams of 16 channels, 8 spectra: heaps of 512 bytes.
inline constexpr receive::channel_layout small_layout{
    .channels = 64, .channels_per_substream = 16, .spectra = 8};

inline constexpr std::int64_t batch_samples = 1024;

/// Returns the voltages of a batch.
inline std::vector<std::byte> voltages_of(std::int64_t batch) {
  std::vector<std::byte> bytes(small_layout.batch_bytes());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] =
        static_cast<std::byte>((static_cast<std::size_t>(batch) * 37 + i * 7 + i / 256 + 1) & 0xff);
  }
  return bytes;
}

/// Returns the 4 packets of a heap.
inline std::vector<std::vector<std::byte>> heap_packets(std::int64_t batch, std::size_t substream,
                                                        std::uint64_t engine = 3,
                                                        std::uint64_t missing = 0) {
  const spead::channel_heap_format format{
      .channels = 16, .spectra = 8, .has_missing = missing != 0};
  const auto values = voltages_of(batch);
  const spead::channel_heap heap{.timestamp = static_cast<std::uint64_t>(batch * batch_samples),
                                 .engine = engine,
                                 .first_channel = 16 * substream,
                                 .missing = missing,
                                 .voltages = std::span(values).subspan(substream % 4 * 512, 512)};
  const std::size_t preamble = missing != 0 ? 80 : 72;
  return spead::packets_of(
      outgoing(heap, format, static_cast<std::uint64_t>(batch) * 4 + substream),
      {.packet_bytes = preamble + 128, .repeats_pointers = true});
}

/// Expects the voltages of the batch in complete heaps.
inline void expect_voltages(const receive::channel_batch& batch) {
  const auto expected = voltages_of(batch.timestamp / batch_samples);
  ASSERT_EQ(batch.voltages.size(), expected.size());
  for (std::size_t s = 0; s < batch.complete.size(); ++s) {
    if (!batch.complete[s]) continue;
    EXPECT_TRUE(std::equal(expected.begin() + static_cast<std::ptrdiff_t>(512 * s),
                           expected.begin() + static_cast<std::ptrdiff_t>(512 * (s + 1)),
                           batch.voltages.begin() + static_cast<std::ptrdiff_t>(512 * s)))
        << batch.timestamp << ", substream " << s;
  }
}

}  // namespace wingbeat::test
