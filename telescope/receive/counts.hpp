// SPDX-License-Identifier: Apache-2.0
// Counts of every datagram that a receiver was given, by outcome.
#pragma once

#include <array>
#include <cstddef>  // size_t
#include <cstdint>  // uint64_t
#include <span>

#include "spead/packet.hpp"  // n_packet_faults

namespace wingbeat::receive {

struct polarisation_counts {
  std::uint64_t packets = 0;  ///< Placed in a chunk; the next three count the same packets.
  std::uint64_t bytes = 0;
  std::uint64_t samples = 0;
  std::uint64_t saturated_samples = 0;  ///< As the digitiser reports.
  /// Packets between the first and the last placed one that are in no chunk.
  std::uint64_t missing_packets = 0;
  std::uint64_t misaligned = 0;   ///< Its timestamp is not a multiple of a packet's samples.
  std::uint64_t late = 0;         ///< For a chunk that is closed.
  std::uint64_t duplicates = 0;   ///< Placed before.
  std::uint64_t implausible = 0;  ///< Far from the time of all other packets.
  std::uint64_t starved = 0;      ///< No chunk was free.
  /// For a recording: samples in packets after the end of the other polarisation's shorter
  /// recording.
  std::uint64_t samples_alone = 0;
};

/// A count of a struct, with its name in documents.
template <class Counts>
struct named_count {
  const char* name;
  std::uint64_t Counts::*count;
};

inline constexpr named_count<polarisation_counts> polarisation_fields[] = {
    {"packets", &polarisation_counts::packets},
    {"bytes", &polarisation_counts::bytes},
    {"samples", &polarisation_counts::samples},
    {"saturated_samples", &polarisation_counts::saturated_samples},
    {"missing_packets", &polarisation_counts::missing_packets},
    {"misaligned", &polarisation_counts::misaligned},
    {"late", &polarisation_counts::late},
    {"duplicates", &polarisation_counts::duplicates},
    {"implausible", &polarisation_counts::implausible},
    {"starved", &polarisation_counts::starved},
    {"samples_alone", &polarisation_counts::samples_alone}};

/// The counts of packets that were not placed.
inline constexpr std::span reject_fields = std::span(polarisation_fields).subspan(5, 5);

/// Each datagram is counted in `datagrams`, and once as placed or by the reason why it was not.
struct receive_counts {
  std::uint64_t datagrams = 0;
  std::array<polarisation_counts, 2> polarisations{};

  std::array<std::uint64_t, spead::n_packet_faults> undecodable{};  ///< By `packet_fault`.
  std::size_t other_address_bytes = 0;  ///< In the latest packet of another flavour of SPEAD.
  std::uint64_t truncated = 0;          ///< Longer than the receive buffer.
  std::uint64_t wrong_size = 0;         ///< Of another heap length, or a part of a heap.
  std::uint64_t foreign = 0;            ///< Without timestamp, digitiser id or samples; another
                                        ///< polarisation.
  std::uint64_t descriptors = 0;        ///< Heaps that describe items.
  std::uint64_t stops = 0;              ///< Heaps that end a stream.

  std::uint64_t chunks = 0;             ///< Passed on.
  std::uint64_t incomplete_chunks = 0;  ///< Incomplete ones among these.
  std::uint64_t restarts = 0;           ///< How often time went back.

  std::uint64_t socket_drops = 0;        ///< Messages that the system dropped; not in `datagrams`.
  std::uint64_t other_destinations = 0;  ///< For a capture: skipped; not in `datagrams`.
  std::uint64_t other_frames = 0;        ///< For a capture: not whole UDP datagrams.
  std::uint64_t cut_frames = 0;          ///< For a capture: shortened by its snap length.

  void add(const receive_counts& more);

  /// Returns the sum of a count over both polarisations.
  [[nodiscard]] std::uint64_t sum(std::uint64_t polarisation_counts::*count) const {
    return polarisations[0].*count + polarisations[1].*count;
  }
  [[nodiscard]] std::uint64_t misaligned() const { return sum(&polarisation_counts::misaligned); }
  [[nodiscard]] std::uint64_t late() const { return sum(&polarisation_counts::late); }
  [[nodiscard]] std::uint64_t duplicates() const { return sum(&polarisation_counts::duplicates); }
  [[nodiscard]] std::uint64_t implausible() const { return sum(&polarisation_counts::implausible); }
  [[nodiscard]] std::uint64_t starved() const { return sum(&polarisation_counts::starved); }
  /// Return the datagrams that are not packets of SPEAD-64-48, those that were placed, and those
  /// that were not.
  [[nodiscard]] std::uint64_t n_undecodable() const;
  /// Returns the datagrams without samples of a digitiser; some belong to its stream.
  [[nodiscard]] std::uint64_t without_samples() const {
    return n_undecodable() + truncated + wrong_size + foreign + descriptors + stops;
  }
  [[nodiscard]] std::uint64_t placed() const { return sum(&polarisation_counts::packets); }
  [[nodiscard]] std::uint64_t rejected() const;
};

/// All counts except `datagrams`, the total.
inline constexpr named_count<receive_counts> receive_fields[] = {
    {"truncated", &receive_counts::truncated},
    {"wrong_size", &receive_counts::wrong_size},
    {"foreign", &receive_counts::foreign},
    {"descriptors", &receive_counts::descriptors},
    {"stops", &receive_counts::stops},
    {"chunks", &receive_counts::chunks},
    {"incomplete_chunks", &receive_counts::incomplete_chunks},
    {"restarts", &receive_counts::restarts},
    {"socket_drops", &receive_counts::socket_drops},
    {"other_destinations", &receive_counts::other_destinations},
    {"other_frames", &receive_counts::other_frames},
    {"cut_frames", &receive_counts::cut_frames}};

}  // namespace wingbeat::receive
