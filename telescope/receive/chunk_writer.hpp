// SPDX-License-Identifier: Apache-2.0
// One thread's access to an assembly: takes datagrams and places samples by their timestamps.
#pragma once

#include <cstddef>  // byte, size_t
#include <cstdint>  // int64_t, uint64_t
#include <span>
#include <vector>

#include "receive/chunk_assembly.hpp"  // chunk_assembly
#include "receive/counts.hpp"          // receive_counts
#include "receive/source.hpp"          // datagram_sink
#include "spead/digitiser_packet.hpp"  // digitiser_packet

namespace wingbeat::receive {

/// Time jumps when this many packets in succession agree on it; until then they are held. During a
/// jump ahead, at most `max_packets_between` packets of the former time may arrive.
inline constexpr std::size_t jump_packets = 16;
inline constexpr std::uint64_t max_packets_between = 128;

class chunk_writer final : public datagram_sink {
 public:
  explicit chunk_writer(chunk_assembly& assembly);
  chunk_writer(const chunk_writer&) = delete;
  chunk_writer& operator=(const chunk_writer&) = delete;
  ~chunk_writer() override;

  /// Returns the bytes that a writer keeps.
  [[nodiscard]] static std::size_t memory_bytes(const chunk_geometry& geometry);

  /// Datagrams are placed between `begin` and `end`, which take a lock. Do not wait for datagrams
  /// between them, because open chunks are not passed on meanwhile.
  void begin() override;
  void end() override;

  /// Counts the datagram, and places it or counts why not.
  void add(std::span<const std::byte> datagram, bool is_truncated = false) override;

 private:
  struct held_packet {
    std::int64_t timestamp = 0;
    unsigned polarisation = 0;
    std::uint16_t saturated = 0;
    std::vector<std::byte> samples = {};
  };

  void place(const spead::digitiser_packet& packet);
  void place_at(std::int64_t timestamp, const spead::digitiser_packet& packet, bool may_jump);
  void place_slowly(std::int64_t timestamp, const spead::digitiser_packet& packet, bool may_jump);
  [[nodiscard]] bool write(std::int64_t timestamp, const spead::digitiser_packet& packet);
  void hold(std::int64_t timestamp, const spead::digitiser_packet& packet, bool is_ahead);
  void discard_held();
  void believe_held();
  void unpin();
  void pin();

  chunk_assembly& assembly_;
  chunk_geometry geometry_;
  std::int64_t chunk_samples_, packet_samples_;
  std::int64_t reference_ = 0;  ///< Timestamps unwrap to the time nearest to it.
  bool has_reference_ = false;
  std::vector<chunk_assembly::pin> pins_;
  receive_counts counts_;       ///< Since `begin`.
  std::uint64_t n_placed_ = 0;  ///< By this writer.

  std::vector<held_packet> held_;  ///< Packets far from the window, which agree with each other.
  std::size_t n_held_ = 0;
  bool is_ahead_ = false;
  std::uint64_t n_placed_before_ = 0, n_all_placed_before_ = 0;  ///< When the first was held.
};

}  // namespace wingbeat::receive
