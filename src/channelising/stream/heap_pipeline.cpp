// SPDX-License-Identifier: Apache-2.0
#include "channelising/stream/heap_pipeline.hpp"

#include <utility>  // move

#include "channelising/memory.hpp"  // heaps_at_once

namespace wingbeat::channelising {

heap_pipeline::heap_pipeline(const queue& on, const channeliser_spec& spec,
                             const sample_planes& planes)
    : bank_(on, spec, planes),
      copies_in_(on.impl()->open_beside()),
      copies_out_(on.impl()->open_beside()) {
  const std::size_t n_slots = heaps_at_once(copies_out_ != nullptr);
  for (std::size_t i = 0; i < n_slots; ++i) slots_.emplace_back(on, spec);
  if (!copies_out_) copies_out_ = on.impl();
}

void heap_pipeline::begin(queue& on, buffer_view samples, begun_heap next, const taker& take) {
  heap_slot* slot = nullptr;
  if (!next.is_withheld) {
    while (n_used_ == slots_.size()) hand_on_first(take);
    slot = &slots_[next_slot_];
    bank_.run(on, copies_in_ ? *copies_in_ : *on.impl(), samples, next.entries, *slot);
    slot->fetch(on, *copies_out_);
    next_slot_ = (next_slot_ + 1) % slots_.size();
    ++n_used_;
    next.entries = {};
  }
  queued_.push_back({std::move(next), slot});
  hand_on(take);
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
  --n_used_;
  first.slot->wait();
  channelised_heap heap = first.begun.heap;
  heap.bytes = first.slot->bytes();
  heap.saturated = bank_.saturated(*first.slot);
  ++counts_.sent;
  if (take) take(heap);
}

}  // namespace wingbeat::channelising
