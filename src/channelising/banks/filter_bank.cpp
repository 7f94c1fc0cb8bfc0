// SPDX-License-Identifier: Apache-2.0
#include "channelising/banks/filter_bank.hpp"

#include "backend/backend.hpp"                  // queue::clear
#include "channelising/arithmetic/weights.hpp"  // rounded_weights
#include "channelising/banks/host_bank.hpp"     // make_host_bank, run_host_bank

namespace wingbeat::channelising {

filter_bank::filter_bank(const queue& on, const channeliser_spec& spec,
                         const sample_planes& planes) {
  const auto weights = rounded_weights(spec);
  whole_ = make_host_bank(on.device().runs_on, spec, planes, weights);
  if (whole_) return;
  const bool is_compiled = form_of_samples(on.device().runs_on) == sample_form::packed;
  const auto tiles = tiles_of(spec, on.device());
  if (is_compiled && tiles) {
    fused_.emplace(on, spec, planes.plane_bytes, *tiles);
  } else {
    chained_.emplace(on, spec, planes);
  }
}
filter_bank::filter_bank(filter_bank&&) noexcept = default;
filter_bank::~filter_bank() = default;

void filter_bank::run(queue& on, backend::queue& copies, buffer_view samples,
                      const heap_entries& entries, heap_slot& slot) {
  if (whole_) return run_host_bank(*whole_, samples, entries, slot.heap(), slot.saturated());
  slot.put(on, copies, entries);
  on.impl()->clear(slot.saturated());
  const bank_views views{samples, slot.entries(), slot.gains(), slot.heap(), slot.saturated()};
  if (fused_) return fused_->enqueue(on, views, 1);
  chained_->enqueue(on, views);
}

std::vector<std::uint64_t> filter_bank::saturated(const heap_slot& slot) const {
  // An engine's own loop has one counter for each polarisation.
  return slot.saturated_values(whole_ ? 1 : saturation_counters);
}

std::string filter_bank::explain() const {
  if (whole_) return whole_->explain() + '\n';
  return fused_ ? fused_->explain() : chained_->explain();
}

}  // namespace wingbeat::channelising
