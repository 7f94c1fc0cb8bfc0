// SPDX-License-Identifier: Apache-2.0
// What the heaps of one launch need on their way from samples to their taker: what a filter bank
// reads and writes for them, and memory of this process where their bytes arrive while others are
// made.
#pragma once

#include <cstddef>  // byte
#include <cstdint>  // uint64_t
#include <memory>   // unique_ptr
#include <span>
#include <vector>

#include "backend/backend.hpp"                  // queue, mark
#include "channelising/banks/heap_entries.hpp"  // heap_entries
#include "wingbeat/buffer.hpp"                  // buffer
#include "wingbeat/channeliser.hpp"             // channeliser_spec
#include "wingbeat/pinned_memory.hpp"           // pinned_memory

namespace wingbeat::channelising {

class heap_slot {
 public:
  /// Of so many heaps at most.
  heap_slot(const queue& on, const channeliser_spec& spec, std::size_t max_heaps);
  heap_slot(heap_slot&&) noexcept = default;
  heap_slot& operator=(heap_slot&&) noexcept = default;

  /// Waits for its copies.
  ~heap_slot();

  /// Has what a bank reads of heaps with the same gains copied on `copies`, before what is queued
  /// on `on` next.
  void put(queue& on, backend::queue& copies, std::span<const heap_entries> heaps);

  [[nodiscard]] buffer_view entries() const { return entries_.view(); }
  [[nodiscard]] buffer_view gains() const { return gains_.view(); }
  [[nodiscard]] buffer_view heaps() const;
  /// uint32_t[heap][polarisation][counter]; engines with a loop of their own, which make one heap
  /// at a time, use the first of each.
  [[nodiscard]] buffer_view saturated() const;

  /// Queues a copy of `n_heaps` heaps, which a bank made on `on`, to this process, on `copies`.
  void fetch(const queue& on, backend::queue& copies, std::size_t n_heaps);
  [[nodiscard]] bool is_here() const { return !here_ || here_->is_reached(); }
  void wait() const;

  // Valid when it is here.
  [[nodiscard]] std::span<const std::byte> bytes(std::size_t heap) const;
  /// Returns the counts of `n` counters for each polarisation of a heap, added up.
  [[nodiscard]] std::vector<std::uint64_t> saturated_values(std::size_t heap, std::size_t n) const;

 private:
  [[nodiscard]] std::span<const std::byte> made_bytes() const;

  std::size_t n_polarisations_;
  bool is_here_already_;  ///< The memory of the engine is this process's.
  std::size_t heap_bytes_, counters_bytes_;
  buffer entries_, gains_;
  buffer made_;  ///< The counters, and behind them the heaps: one copy takes both.
  pinned_memory entries_sent_, gains_sent_, made_here_;
  gain_sets gains_held_;
  std::unique_ptr<backend::mark> sending_;  ///< Behind the last copies to a device.
  std::unique_ptr<backend::mark> here_;     ///< Behind the last copies to this process.
};

}  // namespace wingbeat::channelising
