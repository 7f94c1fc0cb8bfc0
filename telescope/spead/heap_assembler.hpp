// SPDX-License-Identifier: Apache-2.0
// Assembles heaps from packets in any order. Its memory is bounded, whatever packets claim.
#pragma once

#include <array>
#include <cstddef>  // byte, size_t
#include <cstdint>  // uint64_t
#include <list>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "spead/heap.hpp"            // heap
#include "spead/packet.hpp"          // packet, packet_fault
#include "spead/received_parts.hpp"  // received_parts

namespace wingbeat::spead {

/// Memory is at most `max_heaps` times `max_heap_bytes`, plus pointers.
struct assembler_spec {
  std::size_t max_heaps = 4;                          ///< Incomplete at once; at least 1.
  std::size_t max_heap_bytes = std::size_t{1} << 24;  ///< Longer heaps are refused.
  std::size_t max_pointers = 4096;                    ///< Distinct pointers per heap.
  std::size_t max_parts = 1024;                       ///< Of a heap's payload, separated by gaps.
};

/// Counts of datagrams and heaps; each datagram is counted once, in `packets` or a reject.
struct assembler_counts {
  std::uint64_t packets = 0;                                 ///< Accepted.
  std::array<std::uint64_t, n_packet_faults> undecodable{};  ///< By `packet_fault`.
  std::uint64_t too_long = 0;      ///< Rejected: the heap is longer than `max_heap_bytes`.
  std::uint64_t inconsistent = 0;  ///< Rejected: another heap length than in earlier packets.
  std::uint64_t duplicates = 0;    ///< Rejected: a byte has arrived before, or there are too many
                                   ///< gaps.
  std::uint64_t too_many_pointers = 0;  ///< Rejected.
  std::uint64_t heaps = 0;              ///< Completed and passed on.
  std::uint64_t incomplete = 0;  ///< Heaps dropped for later ones, or replaced by a complete one.
  std::uint64_t invalid = 0;     ///< Completed heaps that were dropped because an item lies beyond
                                 ///< their end.
};

class heap_assembler {
 public:
  /// Throws `plan_error` for limits of 0.
  explicit heap_assembler(const assembler_spec& spec = {});

  /// Takes one datagram, and returns the heap that it completes.
  [[nodiscard]] std::optional<heap> add(std::span<const std::byte> datagram);

  [[nodiscard]] const assembler_counts& counts() const { return counts_; }

 private:
  /// A heap of whose payload some bytes have arrived.
  struct partial {
    std::uint64_t id = 0;
    received_parts parts = received_parts{};
    std::vector<std::byte> payload = {};
    std::vector<item_pointer> pointers = {};
    std::unordered_set<std::uint64_t> known = {};  ///< Words of `pointers`.
  };

  [[nodiscard]] bool accept(partial& heap, const packet& next);
  [[nodiscard]] bool add_pointers(partial& heap, const packet& next) const;

  assembler_spec spec_;
  assembler_counts counts_;
  std::list<partial> partials_;  ///< The heap with the latest packet comes first.
};

}  // namespace wingbeat::spead
