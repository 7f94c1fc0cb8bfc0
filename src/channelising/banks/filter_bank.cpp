// SPDX-License-Identifier: Apache-2.0
#include "channelising/banks/filter_bank.hpp"

#include "channelising/arithmetic/quantise.hpp"  // limit_of
#include "channelising/arithmetic/weights.hpp"   // rounded_weights
#include "formatted.hpp"                         // formatted

namespace wingbeat::channelising {

backend::bank_request request_of(const channeliser_spec& spec, const sample_planes& planes) {
  const channeliser_sizes sizes = sizes_of(spec);
  return {.is_complex = planes.form == sample_form::complex,
          .transform = sizes.transform,
          .channels = spec.channels,
          .polarisations = spec.polarisations,
          .spectra = sizes.spectra_per_heap,
          .taps = spec.taps,
          .plane_bytes = planes.plane_bytes,
          .weights = rounded_weights(spec),
          .output = spec.output,
          .limit = static_cast<float>(limit_of(spec.output)),
          .has_dither = has_dither(spec),
          .seed = spec.seed};
}

filter_bank::filter_bank(const queue& on, const channeliser_spec& spec,
                         const sample_planes& planes) {
  const backend::engine& engine = backend::engine_of(on.device().runs_on);
  if (const auto steps = engine.realise(on.impl(), request_of(spec, planes))) {
    whole_ = std::make_shared<const programs::prepared_program>(engine, on.impl(), *steps);
  } else if (const auto tiles = tiles_of(spec, on.device())) {
    fused_.emplace(on, spec, planes.plane_bytes, *tiles);
  } else {
    chained_.emplace(on, spec, planes);
  }
}

void filter_bank::run(queue& on, backend::queue& copies, buffer_view samples,
                      const heap_entries& entries, heap_slot& slot) {
  if (whole_) {
    const auto view_of = [](const auto& values) {
      return buffer_view{const_cast<void*>(static_cast<const void*>(values.data())), 0,
                         values.size() * sizeof values[0]};
    };
    const kernel_argument operands[] = {view_of(entries.spectra), view_of(*entries.gains),
                                        slot.saturated()};
    return whole_->enqueue(*on.impl(),
                           {.in = samples, .out = slot.heap(), .workspace = {}, .load = operands});
  }
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
  if (whole_) return whole_->program().describe();
  return fused_ ? fused_->explain() : chained_->explain();
}

}  // namespace wingbeat::channelising
