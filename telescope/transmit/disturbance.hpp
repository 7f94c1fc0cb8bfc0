// SPDX-License-Identifier: Apache-2.0
// Deliberate faults of a stream of packets, for tests of receivers: packets are dropped, sent twice
// and shuffled, the same ones for the same seed.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // uint64_t
#include <optional>
#include <random>  // mt19937_64
#include <vector>

namespace wingbeat::transmit {

struct disturbance_spec {
  double drop = 0;  ///< Share of packets that are not sent, 0 to 1.
  /// How many in succession. Two bursts may follow each other.
  std::size_t drop_burst = 1;
  std::optional<std::size_t> drop_polarisation = {};  ///< The only one that loses packets.
  double duplicate = 0;     ///< Share of the packets sent that are sent twice.
  std::size_t reorder = 1;  ///< Packets that are shuffled, in succession; 1: none.
  std::uint64_t seed = 0;
};

/// Throws `plan_error` for shares beyond 0 to 1 and for counts of 0.
void check(const disturbance_spec& spec);

/// Exactly what was done.
struct disturbance_counts {
  std::uint64_t dropped = 0;     ///< Packets not sent.
  std::uint64_t duplicated = 0;  ///< Packets sent once more.
  std::uint64_t reordered = 0;   ///< Packets sent after a later one.
};

/// The disturbance of one polarisation.
class disturbance {
 public:
  disturbance(const disturbance_spec& spec, std::size_t polarisation);

  /// Writes the indices of the packets to send, of packets `first` to first + count - 1. Blocks
  /// that are shuffled end with the last one.
  void apply(std::uint64_t first, std::size_t count, std::vector<std::uint64_t>& order);

  [[nodiscard]] const disturbance_counts& counts() const { return counts_; }

 private:
  [[nodiscard]] bool drops();
  void shuffle(std::vector<std::uint64_t>& order);

  disturbance_spec spec_;
  double begin_probability_ = 0;  ///< Of a burst of drops, at each packet outside of one.
  std::size_t n_to_drop_ = 0;
  std::mt19937_64 drops_, duplicates_, orders_;  // one does not change the others
  disturbance_counts counts_;
};

}  // namespace wingbeat::transmit
