// SPDX-License-Identifier: Apache-2.0
// What became of every datagram that a receiver was given.
#pragma once

#include <array>
#include <cstddef>  // size_t
#include <cstdint>  // uint64_t
#include <span>

#include "spead/packet.hpp"  // n_packet_faults

namespace wingbeat::receive {

struct polarisation_counts {
  std::uint64_t packets = 0;  ///< Placed in a chunk; so the next three.
  std::uint64_t bytes = 0;
  std::uint64_t samples = 0;
  std::uint64_t saturated_samples = 0;  ///< As the digitiser says.
  /// Packets between the first and the last that were placed, and that are in no chunk.
  std::uint64_t missing_packets = 0;
  std::uint64_t misaligned = 0;   ///< A timestamp that is no multiple of a packet's samples.
  std::uint64_t late = 0;         ///< Of a chunk that is closed.
  std::uint64_t duplicates = 0;   ///< Placed before.
  std::uint64_t implausible = 0;  ///< Far from the time of all others.
  std::uint64_t starved = 0;      ///< No chunk was free.
  /// Of a recording: in packets behind the end of the other polarisation's, which is shorter.
  std::uint64_t samples_alone = 0;
};

/// A count of a struct, by the name that documents have for it.
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

/// Those of packets that were not placed.
inline constexpr std::span reject_fields = std::span(polarisation_fields).subspan(5, 5);

/// Each datagram is counted in `datagrams`, and once as placed or under the reason against it.
struct receive_counts {
  std::uint64_t datagrams = 0;
  std::array<polarisation_counts, 2> polarisations{};

  std::array<std::uint64_t, spead::n_packet_faults> undecodable{};  ///< By `packet_fault`.
  std::size_t other_address_bytes = 0;  ///< Of the latest packets of another flavour of SPEAD.
  std::uint64_t truncated = 0;          ///< Longer than the room for it.
  std::uint64_t wrong_size = 0;         ///< Another heap length, or a part of a heap.
  std::uint64_t foreign = 0;      ///< No timestamp, digitiser id or samples; another polarisation.
  std::uint64_t descriptors = 0;  ///< Heaps that describe items.
  std::uint64_t stops = 0;        ///< Heaps that end a stream.

  std::uint64_t chunks = 0;             ///< Handed on.
  std::uint64_t incomplete_chunks = 0;  ///< Of these.
  std::uint64_t restarts = 0;           ///< Times at which time went back.

  std::uint64_t socket_drops = 0;        ///< Messages that the system dropped; not in `datagrams`.
  std::uint64_t other_destinations = 0;  ///< Of a capture: skipped; not in `datagrams`.
  std::uint64_t other_frames = 0;        ///< Of a capture: no whole datagrams of UDP.
  std::uint64_t cut_frames = 0;          ///< Of a capture: not kept whole, by its snap length.

  void add(const receive_counts& more);

  /// Returns a count of both polarisations.
  [[nodiscard]] std::uint64_t sum(std::uint64_t polarisation_counts::*count) const {
    return polarisations[0].*count + polarisations[1].*count;
  }
  [[nodiscard]] std::uint64_t misaligned() const { return sum(&polarisation_counts::misaligned); }
  [[nodiscard]] std::uint64_t late() const { return sum(&polarisation_counts::late); }
  [[nodiscard]] std::uint64_t duplicates() const { return sum(&polarisation_counts::duplicates); }
  [[nodiscard]] std::uint64_t implausible() const { return sum(&polarisation_counts::implausible); }
  [[nodiscard]] std::uint64_t starved() const { return sum(&polarisation_counts::starved); }
  /// Return the datagrams that are no packet of SPEAD-64-48, those that were placed, and those that
  /// were not.
  [[nodiscard]] std::uint64_t n_undecodable() const;
  /// Returns the datagrams that are no samples of a digitiser; some belong to its stream.
  [[nodiscard]] std::uint64_t without_samples() const {
    return n_undecodable() + truncated + wrong_size + foreign + descriptors + stops;
  }
  [[nodiscard]] std::uint64_t placed() const { return sum(&polarisation_counts::packets); }
  [[nodiscard]] std::uint64_t rejected() const;
};

/// But for `datagrams`, which are all.
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
