// SPDX-License-Identifier: Apache-2.0
// Deliberate faults in a stream of packets, for tests of receivers: drops, duplicates and shuffles
// packets, the same ones for the same seed.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // uint64_t
#include <optional>
#include <random>  // mt19937_64
#include <vector>

namespace wingbeat::transmit {

struct disturbance_spec {
  double drop = 0;  ///< Share of packets that are not sent, 0 to 1.
  /// Packets dropped in succession. Two bursts may follow each other.
  std::size_t drop_burst = 1;
  std::optional<std::size_t> drop_polarisation = {};  ///< The only one that loses packets.
  double duplicate = 0;     ///< Share of the packets sent that are sent twice.
  std::size_t reorder = 1;  ///< Block of successive packets that are shuffled; 1: none.
  std::uint64_t seed = 0;
};

/// Throws `plan_error` for shares beyond 0 to 1 and for counts of 0.
void check(const disturbance_spec& spec);

/// Exact counts of the faults.
struct disturbance_counts {
  std::uint64_t dropped = 0;     ///< Packets that were not sent.
  std::uint64_t duplicated = 0;  ///< Packets that were sent twice.
  std::uint64_t reordered = 0;   ///< Packets that were sent after a later one.
};

/// The disturbance of one polarisation.
class disturbance {
 public:
  disturbance(const disturbance_spec& spec, std::size_t polarisation);

  /// Writes the indices of the packets to send, of packets `first` to first + count - 1. Shuffled
  /// blocks end with the last packet.
  void apply(std::uint64_t first, std::size_t count, std::vector<std::uint64_t>& order);

  [[nodiscard]] const disturbance_counts& counts() const { return counts_; }

 private:
  [[nodiscard]] bool drops();
  void shuffle(std::vector<std::uint64_t>& order);

  disturbance_spec spec_;
  double begin_probability_ = 0;  ///< Probability, at each packet outside of a burst, that a burst
                                  ///< of drops begins.
  std::size_t n_to_drop_ = 0;
  std::mt19937_64 drops_, duplicates_, orders_;  // separate, so that one does not change the others
  disturbance_counts counts_;
};

}  // namespace wingbeat::transmit
