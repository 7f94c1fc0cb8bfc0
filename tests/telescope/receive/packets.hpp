// SPDX-License-Identifier: Apache-2.0
// A digitiser's packets whose samples tell which packet they are of, and chunks checked for them.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>  // byte
#include <cstdint>  // int64_t, uint64_t
#include <memory>   // make_shared
#include <span>
#include <vector>

#include "receive/chunk_assembly.hpp"  // chunk_assembly
#include "receive/chunk_pool.hpp"      // chunk_pool
#include "receive/chunk_writer.hpp"    // chunk_writer
#include "spead/digitiser_packet.hpp"  // preamble_of

namespace wingbeat::test {

/// Chunks of 16 packets of 5120 bytes for each of two polarisations.
inline constexpr receive::chunk_geometry small_chunks{.chunk_samples = 65536};

/// Returns byte `i` of the samples that start at this time.
inline std::byte sample_byte(std::int64_t timestamp, unsigned polarisation, std::size_t i) {
  const std::uint64_t mixed =
      (static_cast<std::uint64_t>(timestamp) / 4096 * 2 + polarisation) * 0x9e3779b97f4a7c15u;
  return static_cast<std::byte>((mixed >> (i % 8 * 8) & 0xff) ^ (i / 8 & 0xff));
}

/// Returns the number of saturated samples that a packet states.
inline std::uint16_t saturation_of(std::int64_t timestamp, unsigned polarisation) {
  return static_cast<std::uint16_t>(timestamp / 4096 % 7 + polarisation);
}

/// Returns the packet of one polarisation at this time.
inline std::vector<std::byte> datagram_of(std::int64_t timestamp, unsigned polarisation,
                                          const receive::chunk_geometry& geometry = small_chunks) {
  std::vector<std::byte> samples(geometry.packet_bytes());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i] = sample_byte(timestamp, polarisation, i);
  }
  const auto time = static_cast<std::uint64_t>(timestamp);
  const auto preamble = spead::preamble_of({.heap_id = time / 4096 * 2 & spead::max_address,
                                            .timestamp = time & spead::max_address,
                                            .polarisation = polarisation,
                                            .saturated = saturation_of(timestamp, polarisation),
                                            .samples = samples});
  std::vector<std::byte> bytes(preamble.begin(), preamble.end());
  bytes.insert(bytes.end(), samples.begin(), samples.end());
  return bytes;
}

/// Expects the samples and saturation of each packet that the chunk says is there.
inline void expect_contents(const receive::chunk& received,
                            const receive::chunk_geometry& geometry = small_chunks) {
  const std::size_t n_bytes = geometry.packet_bytes();
  std::size_t n_present = 0, n_wrong = 0;
  for (unsigned p = 0; p < geometry.polarisations; ++p) {
    for (std::size_t k = 0; k < geometry.packets(); ++k) {
      if (received.present[p][k] == 0) {
        n_wrong += received.saturated[p][k] != 0;
        continue;
      }
      ++n_present;
      const std::int64_t time =
          received.timestamp + static_cast<std::int64_t>(k * geometry.packet_samples);
      n_wrong += received.saturated[p][k] != saturation_of(time, p);
      for (std::size_t i = 0; i < n_bytes; ++i) {
        n_wrong += received.samples[p][k * n_bytes + i] != sample_byte(time, p, i);
      }
    }
  }
  EXPECT_EQ(n_wrong, 0u) << "chunk at " << received.timestamp;
  EXPECT_EQ(n_present, received.n_present);
  EXPECT_EQ(received.is_complete, n_present == geometry.packets() * geometry.polarisations);
}

/// An assembly with its pool, filled by one writer. The pool's chunks are taken when asked for.
class chunk_bench {
 public:
  explicit chunk_bench(std::size_t n_chunks = 8, const receive::assembly_spec& spec = {},
                       const receive::chunk_geometry& geometry = small_chunks)
      : geometry_(geometry),
        pool_(std::make_shared<receive::chunk_pool>(geometry, n_chunks, nullptr)),
        assembly_(pool_, n_chunks, spec),
        writer_(std::make_unique<receive::chunk_writer>(assembly_)) {}

  void add(std::span<const std::byte> datagram) {
    writer_->begin();
    writer_->add(datagram);
    writer_->end();
  }

  /// Adds the packet of a number, counted from time 0.
  void add_packet(std::int64_t number, unsigned polarisation) {
    add(datagram_of(number * static_cast<std::int64_t>(geometry_.packet_samples), polarisation,
                    geometry_));
  }

  /// Adds both polarisations of packets `begin` to `end` - 1.
  void add_packets(std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      for (unsigned p = 0; p < geometry_.polarisations; ++p) add_packet(i, p);
    }
  }

  /// Returns the next chunk, checked; an empty one if none is ready.
  receive::received_chunk next() {
    receive::received_chunk result(pool_, pool_->next(std::chrono::milliseconds(0)));
    if (result) expect_contents(*result, geometry_);
    return result;
  }

  /// Returns the timestamps of all chunks that are ready, in chunks.
  std::vector<std::int64_t> ready() {
    std::vector<std::int64_t> indices;
    while (const auto received = next()) {
      indices.push_back(received->timestamp / static_cast<std::int64_t>(geometry_.chunk_samples));
    }
    return indices;
  }

  /// Ends the writer, and hands on what is open.
  void flush() {
    writer_.reset();
    assembly_.flush();
  }

  [[nodiscard]] receive::receive_counts counts() const { return assembly_.counts(); }
  [[nodiscard]] receive::chunk_pool& pool() { return *pool_; }

 private:
  receive::chunk_geometry geometry_;
  std::shared_ptr<receive::chunk_pool> pool_;
  receive::chunk_assembly assembly_;
  std::unique_ptr<receive::chunk_writer> writer_;
};

/// Expects that every datagram is counted once.
inline void expect_all_counted(const receive::receive_counts& counts) {
  EXPECT_EQ(counts.placed() + counts.rejected(), counts.datagrams);
}

}  // namespace wingbeat::test
