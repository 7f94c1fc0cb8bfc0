// SPDX-License-Identifier: Apache-2.0
#include "channelising/banks/heap_slot.hpp"

#include <cstring>  // memcpy

#include "arrays/view_part.hpp"                    // part_of, rest_of
#include "channelising/banks/views.hpp"            // form_of_samples
#include "wingbeat/device/channeliser/filter.hpp"  // counters

namespace wingbeat::channelising {
namespace {

/// Queues the copy of `n_bytes` of pinned memory.
void send(backend::queue& copies, const pinned_memory& pinned, const buffer& memory,
          std::size_t n_bytes) {
  copies.write_later(part_of(memory.view(), 0, n_bytes), pinned.bytes().data());
}

/// Copies to `memory`, and returns the end of the copy.
template <class Value>
std::byte* copied(std::span<const Value> values, std::byte* memory) {
  std::memcpy(memory, values.data(), values.size_bytes());
  return memory + values.size_bytes();
}

}  // namespace

heap_slot::heap_slot(const queue& on, const channeliser_spec& spec, std::size_t max_heaps)
    : n_polarisations_(spec.polarisations),
      is_here_already_(form_of_samples(on.device().runs_on) != sample_form::packed) {
  const channeliser_sizes sizes = sizes_of(spec);
  heap_bytes_ = sizes.heap_bytes;
  counters_bytes_ = max_heaps * 2 * device::channeliser::counters * sizeof(std::uint32_t);
  made_ = buffer{on, counters_bytes_ + max_heaps * heap_bytes_};
  entries_ =
      buffer{on, max_heaps * spec.polarisations * sizes.spectra_per_heap * sizeof(spectrum_entry)};
  entries_sent_ = pinned_memory{on, entries_.size_bytes()};
  if (!is_here_already_) made_here_ = pinned_memory{on, made_.size_bytes()};
}

heap_slot::~heap_slot() {
  try {
    if (sending_) sending_->wait();
    wait();
  } catch (...) {
    // A failed queue copies no more.
  }
}

void heap_slot::put(queue& on, backend::queue& copies, std::span<const heap_entries> heaps) {
  // [polarisation][heap][spectrum]
  std::byte* end = entries_sent_.bytes().data();
  for (std::size_t p = 0; p < n_polarisations_; ++p) {
    for (const heap_entries& each : heaps) {
      const std::size_t n = each.spectra.size() / n_polarisations_;
      end = copied(std::span(each.spectra).subspan(p * n, n), end);
    }
  }
  send(copies, entries_sent_, entries_,
       static_cast<std::size_t>(end - entries_sent_.bytes().data()));
  const gain_sets& gains = heaps.front().gains;
  if (gains != gains_held_) {
    const std::size_t n_bytes = gains->size() * sizeof(gains->front());
    if (gains_.size_bytes() < n_bytes) {
      gains_ = buffer{on, n_bytes};
      gains_sent_ = pinned_memory{on, n_bytes};
    }
    copied(std::span(*gains), gains_sent_.bytes().data());
    send(copies, gains_sent_, gains_, n_bytes);
    gains_held_ = gains;
  }
  sending_ = copies.record();
  if (&copies != on.impl().get()) on.impl()->after(*sending_);
}

buffer_view heap_slot::heaps() const {
  return rest_of(made_.view(), counters_bytes_);
}

buffer_view heap_slot::saturated() const {
  return part_of(made_.view(), 0, counters_bytes_);
}

void heap_slot::fetch(const queue& on, backend::queue& copies, std::size_t n_heaps) {
  if (is_here_already_) return on.wait();
  copies.after(*on.impl()->record());
  copies.read_later(made_here_.bytes().data(),
                    part_of(made_.view(), 0, counters_bytes_ + n_heaps * heap_bytes_));
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

std::span<const std::byte> heap_slot::bytes(std::size_t heap) const {
  return made_bytes().subspan(counters_bytes_ + heap * heap_bytes_, heap_bytes_);
}

std::vector<std::uint64_t> heap_slot::saturated_values(std::size_t heap, std::size_t n) const {
  std::vector<std::uint32_t> counts(n_polarisations_ * n);
  const std::size_t n_bytes = counts.size() * sizeof(counts.front());
  std::memcpy(counts.data(), made_bytes().subspan(heap * n_bytes).data(), n_bytes);
  std::vector<std::uint64_t> sums(n_polarisations_);
  for (std::size_t i = 0; i < counts.size(); ++i) sums[i / n] += counts[i];
  return sums;
}

}  // namespace wingbeat::channelising
