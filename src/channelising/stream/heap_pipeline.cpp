// SPDX-License-Identifier: Apache-2.0
#include "channelising/stream/heap_pipeline.hpp"

#include <algorithm>  // find_if, move
#include <iterator>   // back_inserter, make_move_iterator
#include <utility>    // exchange, move

#include "channelising/memory.hpp"  // launches_at_once

namespace wingbeat::channelising {

heap_pipeline::heap_pipeline(const queue& on, const channeliser_spec& spec,
                             const sample_planes& planes, std::size_t max_heaps)
    : bank_(on, spec, planes, max_heaps),
      copies_in_(on.impl()->open_beside()),
      copies_out_(on.impl()->open_beside()) {
  const std::size_t n_slots = launches_at_once(copies_out_ != nullptr);
  for (std::size_t i = 0; i < n_slots; ++i) slots_.emplace_back(on, spec, max_heaps);
  if (!copies_out_) copies_out_ = on.impl();
}

void heap_pipeline::begin(std::vector<begun_heap> next) {
  std::move(next.begin(), next.end(), std::back_inserter(begun_));
}

void heap_pipeline::launch(queue& on, buffer_view samples, const taker& take) {
  while (!begun_.empty()) {
    if (begun_.front().is_withheld) {
      queued_.push_back({std::move(begun_.front()), nullptr, 0, false});
      begun_.pop_front();
    } else {
      while (n_used_ == slots_.size()) hand_on_first(take);
      launch_first(on, samples);
    }
    hand_on(take);
  }
}

std::size_t heap_pipeline::heaps_of_launch() const {
  const auto other = std::find_if(begun_.begin() + 1, begun_.end(), [&](const begun_heap& each) {
    return each.is_withheld || each.entries.gains != begun_.front().entries.gains;
  });
  return bank_.heaps_of_launch(static_cast<std::size_t>(other - begun_.begin()));
}

void heap_pipeline::launch_first(queue& on, buffer_view samples) {
  heap_slot& slot = slots_[next_slot_];
  const std::size_t n_heaps = heaps_of_launch();
  const auto end = begun_.begin() + static_cast<std::ptrdiff_t>(n_heaps);
  std::vector<begun_heap> heaps{std::make_move_iterator(begun_.begin()),
                                std::make_move_iterator(end)};
  begun_.erase(begun_.begin(), end);
  std::vector<heap_entries> entries;
  for (begun_heap& each : heaps) entries.push_back(std::exchange(each.entries, {}));
  bank_.run(on, copies_in_ ? *copies_in_ : *on.impl(), samples, entries, slot);
  slot.fetch(on, *copies_out_, n_heaps);
  next_slot_ = (next_slot_ + 1) % slots_.size();
  ++n_used_;
  for (std::size_t i = 0; i < n_heaps; ++i) {
    queued_.push_back({std::move(heaps[i]), &slot, i, i + 1 == n_heaps});
  }
}

void heap_pipeline::hand_on(const taker& take) {
  while (!queued_.empty()) {
    const heap_slot* const slot = queued_.front().slot;
    if (slot != nullptr && !slot->is_here()) return;
    hand_on_first(take);
  }
}

void heap_pipeline::finish(const taker& take) {
  while (!queued_.empty()) hand_on_first(take);
}

void heap_pipeline::hand_on_first(const taker& take) {
  const queued_heap first = std::move(queued_.front());
  queued_.pop_front();
  counts_.skipped += first.begun.n_skipped;
  if (first.slot == nullptr) {
    ++counts_.withheld;
    return;
  }
  if (first.is_last_of_slot) --n_used_;
  first.slot->wait();
  channelised_heap heap = first.begun.heap;
  heap.bytes = first.slot->bytes(first.number);
  heap.saturated = bank_.saturated(*first.slot, first.number);
  ++counts_.sent;
  if (take) take(heap);
}

}  // namespace wingbeat::channelising
