// SPDX-License-Identifier: Apache-2.0
// Heaps from packets. Its memory is bounded whatever lengths packets claim: bytes are reserved as
// payload arrives, never for a claim.
#pragma once

#include <array>
#include <cstddef>  // byte, size_t
#include <cstdint>  // uint64_t
#include <list>
#include <map>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "spead/heap.hpp"    // heap
#include "spead/packet.hpp"  // packet, packet_fault

namespace wingbeat::spead {

struct assembler_spec {
  std::size_t most_heaps = 4;                          ///< Incomplete at a time; 1 at least.
  std::size_t most_heap_bytes = std::size_t{1} << 28;  ///< Longer heaps are refused.
  std::size_t most_pointers = 4096;                    ///< Different ones in a heap.
  /// Payload may arrive in any order within a heap. Otherwise each packet must continue the last.
  bool allow_out_of_order = false;
  std::size_t most_parts = 1024;  ///< Of a heap's payload, with gaps between them.
};

/// What became of datagrams and heaps; each datagram is counted once, in `packets` or a reject.
struct assembler_counts {
  std::uint64_t packets = 0;                                 ///< Accepted.
  std::array<std::uint64_t, n_packet_faults> undecodable{};  ///< By `packet_fault`.
  std::uint64_t too_long = 0;           ///< Rejected: the heap is longer than `most_heap_bytes`.
  std::uint64_t inconsistent = 0;       ///< Rejected: another heap length than before.
  std::uint64_t duplicates = 0;         ///< Rejected: a part of the payload is there already.
  std::uint64_t out_of_order = 0;       ///< Rejected: payload was skipped, or has too many gaps.
  std::uint64_t too_many_pointers = 0;  ///< Rejected.
  std::uint64_t heaps = 0;              ///< Completed and handed on.
  std::uint64_t incomplete = 0;  ///< Heaps dropped for later ones, or replaced by a whole one.
  std::uint64_t invalid = 0;     ///< Completed heaps with an item beyond their end, dropped.
};

class heap_assembler {
 public:
  /// Throws `plan_error` for limits of 0.
  explicit heap_assembler(const assembler_spec& spec = {});

  /// Takes one datagram, and returns the heap that it completes.
  [[nodiscard]] std::optional<heap> add(std::span<const std::byte> datagram);

  /// Drops all incomplete heaps, and counts them.
  void clear();

  [[nodiscard]] const assembler_counts& counts() const { return counts_; }

  /// Returns the bytes that the payloads of incomplete heaps take, and may take at most.
  [[nodiscard]] std::size_t held_bytes() const;
  [[nodiscard]] std::size_t most_held_bytes() const {
    return spec_.most_heaps * spec_.most_heap_bytes;
  }

 private:
  /// A heap some of whose payload is there.
  struct partial {
    std::uint64_t id = 0, length = 0, n_received = 0;
    std::vector<item_pointer> pointers = {};
    std::unordered_set<std::uint64_t> known = {};                ///< Words of `pointers`.
    std::map<std::uint64_t, std::vector<std::byte>> parts = {};  ///< Payload received, by offset.
  };

  [[nodiscard]] std::optional<heap> add(const packet& next);
  [[nodiscard]] bool accept(partial& to, const packet& next);
  [[nodiscard]] bool accept_part(partial& to, const packet& next);
  [[nodiscard]] bool overlaps(const partial& to, std::uint64_t begin, std::uint64_t end) const;
  [[nodiscard]] bool add_pointers(partial& to, const packet& next);
  [[nodiscard]] std::optional<heap> finished(partial&& whole);
  [[nodiscard]] std::list<partial>::iterator find(std::uint64_t id);

  assembler_spec spec_;
  assembler_counts counts_;
  std::list<partial> partials_;  ///< The one that a packet reached last comes first.
};

}  // namespace wingbeat::spead
