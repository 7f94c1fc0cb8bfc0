// SPDX-License-Identifier: Apache-2.0
#include "channelising/banks/heap_slot.hpp"

#include <cstring>  // memcpy

#include "channelising/banks/views.hpp"            // form_of_samples
#include "wingbeat/device/channeliser/filter.hpp"  // counters

namespace wingbeat::channelising {
namespace {

/// Copies to pinned memory and queues the copy from there.
template <class Value>
void send(backend::queue& copies, const std::vector<Value>& values, pinned_memory& pinned,
          buffer_view memory) {
  memory.size_bytes = values.size() * sizeof(Value);
  std::memcpy(pinned.bytes().data(), values.data(), memory.size_bytes);
  copies.write_later(memory, pinned.bytes().data());
}

}  // namespace

heap_slot::heap_slot(const queue& on, const channeliser_spec& spec)
    : n_polarisations_(spec.polarisations),
      is_here_already_(form_of_samples(on.device().runs_on) != sample_form::packed) {
  const channeliser_sizes sizes = sizes_of(spec);
  heap_bytes_ = sizes.heap_bytes;
  made_ = buffer{on, counters_at() + 2 * device::channeliser::counters * sizeof(std::uint32_t)};
  entries_ = buffer{on, spec.polarisations * sizes.spectra_per_heap * sizeof(spectrum_entry)};
  entries_sent_ = pinned_memory{on, entries_.size_bytes()};
  if (!is_here_already_) made_here_ = pinned_memory{on, made_.size_bytes()};
}

heap_slot::~heap_slot() {
  try {
    if (sending_) sending_->wait();
    wait();
  } catch (...) {
    // A queue that failed copies no more.
  }
}

void heap_slot::put(queue& on, backend::queue& copies, const heap_entries& entries) {
  send(copies, entries.spectra, entries_sent_, entries_.view());
  if (entries.gains != gains_held_) {
    const std::size_t n_bytes = entries.gains->size() * sizeof(entries.gains->front());
    if (gains_.size_bytes() < n_bytes) {
      gains_ = buffer{on, n_bytes};
      gains_sent_ = pinned_memory{on, n_bytes};
    }
    send(copies, *entries.gains, gains_sent_, gains_.view());
    gains_held_ = entries.gains;
  }
  sending_ = copies.record();
  if (&copies != on.impl().get()) on.impl()->after(*sending_);
}

buffer_view heap_slot::heap() const {
  buffer_view view = made_.view();
  view.size_bytes = heap_bytes_;
  return view;
}

buffer_view heap_slot::saturated() const {
  buffer_view view = made_.view();
  view.offset_bytes += counters_at();
  view.size_bytes -= counters_at();
  return view;
}

void heap_slot::fetch(const queue& on, backend::queue& copies) {
  if (is_here_already_) return on.wait();
  copies.after(*on.impl()->record());
  copies.read_later(made_here_.bytes().data(), made_.view());
  here_ = copies.record();
}

void heap_slot::wait() const {
  if (here_) here_->wait();
}

std::span<const std::byte> heap_slot::made_bytes() const {
  if (!is_here_already_) return made_here_.bytes();
  const buffer_view view = made_.view();
  return {static_cast<const std::byte*>(view.handle) + view.offset_bytes, view.size_bytes};
}

std::span<const std::byte> heap_slot::bytes() const {
  return made_bytes().first(heap_bytes_);
}

std::vector<std::uint64_t> heap_slot::saturated_values(std::size_t n) const {
  std::vector<std::uint32_t> counts(n_polarisations_ * n);
  std::memcpy(counts.data(), made_bytes().subspan(counters_at()).data(),
              counts.size() * sizeof(counts.front()));
  std::vector<std::uint64_t> sums(n_polarisations_);
  for (std::size_t i = 0; i < counts.size(); ++i) sums[i / n] += counts[i];
  return sums;
}

}  // namespace wingbeat::channelising
