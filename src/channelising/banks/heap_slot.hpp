// SPDX-License-Identifier: Apache-2.0
// The memory of the heaps of one launch: the inputs and outputs of the filter bank, and memory of
// this process in which their bytes arrive while other heaps are computed.
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
  /// Makes a slot of at most `max_heaps` heaps.
  heap_slot(const queue& on, const channeliser_spec& spec, std::size_t max_heaps);
  heap_slot(heap_slot&&) noexcept = default;
  heap_slot& operator=(heap_slot&&) noexcept = default;

  /// Waits for its copies.
  ~heap_slot();

  /// Copies the bank's inputs for heaps with the same gains on `copies`; later work on `on` waits
  /// for them.
  void put(queue& on, backend::queue& copies, std::span<const heap_entries> heaps);

  [[nodiscard]] buffer_view entries() const { return entries_.view(); }
  [[nodiscard]] buffer_view gains() const { return gains_.view(); }
  [[nodiscard]] buffer_view heaps() const;
  /// uint32_t[heap][polarisation][counter]; engines with their own loop, which compute one heap at
  /// a time, use the first counter of each.
  [[nodiscard]] buffer_view saturated() const;

  /// Queues a copy of `n_heaps` heaps, computed on `on`, to this process, on `copies`.
  void fetch(const queue& on, backend::queue& copies, std::size_t n_heaps);
  [[nodiscard]] bool is_here() const { return !here_ || here_->is_reached(); }
  void wait() const;

  // Valid once `is_here()`.
  [[nodiscard]] std::span<const std::byte> bytes(std::size_t heap) const;
  /// Returns the sum of `n` counters for each polarisation of a heap.
  [[nodiscard]] std::vector<std::uint64_t> saturated_values(std::size_t heap, std::size_t n) const;

 private:
  [[nodiscard]] std::span<const std::byte> made_bytes() const;

  std::size_t n_polarisations_;
  bool is_here_already_;  ///< The engine's memory is in this process.
  std::size_t heap_bytes_, counters_bytes_;
  buffer entries_, gains_;
  buffer made_;  ///< The counters, then the heaps; one copy takes both.
  pinned_memory entries_sent_, gains_sent_, made_here_;
  gain_sets gains_held_;
  std::unique_ptr<backend::mark> sending_;  ///< After the last copies to a device.
  std::unique_ptr<backend::mark> here_;     ///< After the last copies to this process.
};

}  // namespace wingbeat::channelising
