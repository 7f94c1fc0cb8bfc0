// SPDX-License-Identifier: Apache-2.0
// Heaps on their way from samples to a taker, in order. On engines with several queues, one heap is
// copied to this process while the next is computed.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // uint64_t
#include <deque>
#include <memory>  // shared_ptr
#include <string>
#include <vector>

#include "channelising/banks/filter_bank.hpp"   // filter_bank
#include "channelising/banks/heap_entries.hpp"  // heap_entries
#include "channelising/banks/heap_slot.hpp"     // heap_slot
#include "wingbeat/channeliser.hpp"             // channeliser, channelised_heap, heap_counts

namespace wingbeat::channelising {

/// A heap that is begun: its delays and gains are fixed.
struct begun_heap {
  channelised_heap heap = {};
  bool is_withheld = false;
  std::uint64_t n_skipped = 0;  ///< Skipped heaps before it.
  heap_entries entries = {};    ///< None if the heap is withheld.
};

class heap_pipeline {
 public:
  using taker = channeliser::taker;

  /// Prepares the bank of a valid spec for samples in the layout `planes`, and for up to
  /// `max_heaps` heaps per launch.
  heap_pipeline(const queue& on, const channeliser_spec& spec, const sample_planes& planes,
                std::size_t max_heaps);

  /// Adds heaps that the next launches compute.
  void begin(std::vector<begun_heap> next);

  /// Queues the begun heaps, of samples that `on` sees, in as few launches as possible, and hands
  /// on earlier heaps whose slots they need. If the taker throws, the next call continues.
  void launch(queue& on, buffer_view samples, const taker& take);

  /// Hands on the heaps whose bytes have arrived.
  void hand_on(const taker& take);

  /// Waits for all launched heaps, and hands them on.
  void finish(const taker& take);

  /// Counts heaps that are skipped after the last one.
  void count_skipped(std::uint64_t n_heaps) { counts_.skipped += n_heaps; }

  /// Returns the counts of heaps handed on, and of those between them.
  [[nodiscard]] const heap_counts& counts() const { return counts_; }
  [[nodiscard]] std::string explain() const { return bank_.explain(); }

 private:
  /// Returns how many of the begun heaps, from the first on, one launch computes.
  [[nodiscard]] std::size_t heaps_of_launch() const;
  /// Queues that launch, in the next slot, which is free.
  void launch_first(queue& on, buffer_view samples);
  /// Waits for the first heap and hands it on.
  void hand_on_first(const taker& take);

  filter_bank bank_;
  // If a copy to the device waited for kernels, the next samples would wait for the copy.
  std::shared_ptr<backend::queue> copies_in_;  ///< Null if kernels and copies share a queue.
  std::shared_ptr<backend::queue> copies_out_;
  std::vector<heap_slot> slots_;
  std::size_t next_slot_ = 0;
  struct queued_heap {
    begun_heap begun;
    heap_slot* slot;     ///< Null if the heap is withheld.
    std::size_t number;  ///< In its slot.
    bool is_last_of_slot;
  };
  std::deque<begun_heap> begun_;    ///< Not launched yet.
  std::deque<queued_heap> queued_;  ///< Launched, or withheld.
  std::size_t n_used_ = 0;          ///< Slots in use.
  heap_counts counts_;
};

}  // namespace wingbeat::channelising
