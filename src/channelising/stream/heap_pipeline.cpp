// SPDX-License-Identifier: Apache-2.0
#include "channelising/stream/heap_pipeline.hpp"

#include <algorithm>  // find_if
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

void heap_pipeline::begin(queue& on, buffer_view samples, std::vector<begun_heap> next,
                          const taker& take) {
  for (std::span<begun_heap> rest = next; !rest.empty();) {
    const std::size_t n = heaps_of_launch(rest);
    if (rest.front().is_withheld) {
      queued_.push_back({std::move(rest.front()), nullptr, 0, false});
    } else {
      launch(on, samples, rest.first(n), take);
    }
    hand_on(take);
    rest = rest.subspan(n);
  }
}

std::size_t heap_pipeline::heaps_of_launch(std::span<const begun_heap> next) const {
  if (next.front().is_withheld) return 1;
  const auto other = std::find_if(next.begin() + 1, next.end(), [&](const begun_heap& each) {
    return each.is_withheld || each.entries.gains != next.front().entries.gains;
  });
  return bank_.heaps_of_launch(static_cast<std::size_t>(other - next.begin()));
}

void heap_pipeline::launch(queue& on, buffer_view samples, std::span<begun_heap> heaps,
                           const taker& take) {
  while (n_used_ == slots_.size()) hand_on_first(take);
  heap_slot& slot = slots_[next_slot_];
  std::vector<heap_entries> entries;
  for (begun_heap& each : heaps) entries.push_back(std::exchange(each.entries, {}));
  bank_.run(on, copies_in_ ? *copies_in_ : *on.impl(), samples, entries, slot);
  slot.fetch(on, *copies_out_, heaps.size());
  next_slot_ = (next_slot_ + 1) % slots_.size();
  ++n_used_;
  for (std::size_t i = 0; i < heaps.size(); ++i) {
    queued_.push_back({std::move(heaps[i]), &slot, i, i + 1 == heaps.size()});
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
