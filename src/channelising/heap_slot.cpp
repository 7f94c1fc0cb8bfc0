// SPDX-License-Identifier: Apache-2.0
#include "channelising/heap_slot.hpp"

#include <cstring>  // memcpy

#include "channelising/bank_views.hpp"  // form_of_samples, saturation_counters

namespace wingbeat::channelising {
namespace {

/// Copies to pinned memory and queues the copy from there.
template <class Value>
void send(queue& on, const std::vector<Value>& values, pinned_memory& by, buffer_view to) {
  to.size_bytes = values.size() * sizeof(Value);
  std::memcpy(by.bytes().data(), values.data(), to.size_bytes);
  on.impl()->write_later(to, by.bytes().data());
}

}  // namespace

heap_slot::heap_slot(const queue& on, const channeliser_spec& spec)
    : n_polarisations_(spec.polarisations),
      is_here_already_(form_of_samples(on.device().runs_on) != sample_form::packed),
      saturated_(on, 2 * saturation_counters * sizeof(std::uint32_t)) {
  const channeliser_sizes sizes = sizes_of(spec);
  heap_ = buffer{on, sizes.heap_bytes};
  entries_ = buffer{on, spec.polarisations * sizes.spectra_per_heap * sizeof(spectrum_entry)};
  entries_sent_ = pinned_memory{on, entries_.size_bytes()};
  if (is_here_already_) return;
  bytes_ = pinned_memory{on, heap_.size_bytes()};
  counts_ = pinned_memory{on, saturated_.size_bytes()};
}

heap_slot::~heap_slot() {
  try {
    if (sending_) sending_->wait();
    wait();
  } catch (...) {
    // A queue that failed copies no more.
  }
}

void heap_slot::put(queue& on, const heap_entries& entries) {
  send(on, entries.spectra, entries_sent_, entries_.view());
  sending_ = on.impl()->record();
  if (entries.gains == gains_held_) return;
  const std::size_t n_bytes = entries.gains->size() * sizeof(entries.gains->front());
  if (gains_.size_bytes() < n_bytes) {
    gains_ = buffer{on, n_bytes};
    gains_sent_ = pinned_memory{on, n_bytes};
  }
  send(on, *entries.gains, gains_sent_, gains_.view());
  sending_ = on.impl()->record();
  gains_held_ = entries.gains;
}

void heap_slot::fetch(const queue& on, backend::queue& copies) {
  if (is_here_already_) return on.wait();
  copies.after(*on.impl()->record());
  copies.read_later(bytes_.bytes().data(), heap_.view());
  copies.read_later(counts_.bytes().data(), saturated_.view());
  here_ = copies.record();
}

void heap_slot::wait() const {
  if (here_) here_->wait();
}

std::span<const std::byte> heap_slot::bytes() const {
  if (!is_here_already_) return bytes_.bytes();
  const buffer_view at = heap_.view();
  return {static_cast<const std::byte*>(at.handle) + at.offset_bytes, at.size_bytes};
}

std::vector<std::uint64_t> heap_slot::saturated_values(std::size_t n) const {
  const buffer_view at = saturated_.view();
  const void* const counters = is_here_already_
                                   ? static_cast<const std::byte*>(at.handle) + at.offset_bytes
                                   : counts_.bytes().data();
  std::vector<std::uint32_t> counts(n_polarisations_ * n);
  std::memcpy(counts.data(), counters, counts.size() * sizeof(counts.front()));
  std::vector<std::uint64_t> sums(n_polarisations_);
  for (std::size_t i = 0; i < counts.size(); ++i) sums[i / n] += counts[i];
  return sums;
}

}  // namespace wingbeat::channelising
