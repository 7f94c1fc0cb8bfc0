// SPDX-License-Identifier: Apache-2.0
// What one heap needs on its way from samples to its taker: what a filter bank reads and writes for
// it, and memory of this process where its bytes arrive while other heaps are made.
#pragma once

#include <complex>
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
  heap_slot(const queue& on, const channeliser_spec& spec);
  heap_slot(heap_slot&&) noexcept = default;
  heap_slot& operator=(heap_slot&&) noexcept = default;

  /// Waits for its copies.
  ~heap_slot();

  /// Has what a bank reads copied on `copies`, before what is queued on `on` next.
  void put(queue& on, backend::queue& copies, const heap_entries& entries);

  [[nodiscard]] buffer_view entries() const { return entries_.view(); }
  [[nodiscard]] buffer_view gains() const { return gains_.view(); }
  [[nodiscard]] buffer_view heap() const;
  /// uint32_t[polarisation][counter]; engines with a loop of their own use the first of each.
  [[nodiscard]] buffer_view saturated() const;

  /// Queues copies of what a bank made on `on` to this process, on `copies`.
  void fetch(const queue& on, backend::queue& copies);
  [[nodiscard]] bool is_here() const { return !here_ || here_->is_reached(); }
  void wait() const;

  // Valid when it is here.
  [[nodiscard]] std::span<const std::byte> bytes() const;
  /// Returns the counts of `n` counters for each polarisation, added up.
  [[nodiscard]] std::vector<std::uint64_t> saturated_values(std::size_t n) const;

 private:
  /// Returns where the counters begin, in bytes.
  [[nodiscard]] std::size_t counters_at() const { return (heap_bytes_ + 255) / 256 * 256; }
  [[nodiscard]] std::span<const std::byte> made_bytes() const;

  std::size_t n_polarisations_;
  bool is_here_already_;  ///< The memory of the engine is this process's.
  std::size_t heap_bytes_;
  buffer entries_, gains_;
  buffer made_;  ///< The heap, and behind it the counters: one copy takes both.
  pinned_memory entries_sent_, gains_sent_, made_here_;
  gain_sets gains_held_;
  std::unique_ptr<backend::mark> sending_;  ///< Behind the last copies to a device.
  std::unique_ptr<backend::mark> here_;     ///< Behind the last copies to this process.
};

}  // namespace wingbeat::channelising
