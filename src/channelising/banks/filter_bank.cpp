// SPDX-License-Identifier: Apache-2.0
#include "channelising/banks/filter_bank.hpp"

#include "channelising/arithmetic/quantise.hpp"    // limit_of
#include "channelising/arithmetic/weights.hpp"     // rounded_weights
#include "channelising/banks/bank_programs.hpp"    // fused_bank, chained_bank
#include "wingbeat/device/channeliser/filter.hpp"  // counters

namespace wingbeat::channelising {
namespace {

programs::program program_of(const backend::engine& engine, const queue& on,
                             const channeliser_spec& spec, const sample_planes& planes) {
  if (auto whole = engine.realise(on.impl(), request_of(spec, planes))) return *std::move(whole);
  if (const auto tiles = tiles_of(spec, on.device())) return fused_bank(*tiles, spec, planes);
  return chained_bank(engine, on.impl(), spec, planes);
}

template <class Values>
buffer_view view_of(const Values& values) {
  return {const_cast<void*>(static_cast<const void*>(values.data())), 0,
          values.size() * sizeof values[0]};
}

}  // namespace

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
          .limit = limit_of(spec.output),
          .has_dither = has_dither(spec),
          .seed = spec.seed};
}

filter_bank::filter_bank(const queue& on, const channeliser_spec& spec, const sample_planes& planes)
    : is_compiled_(form_of_samples(on.device().runs_on) == sample_form::packed) {
  const backend::engine& engine = backend::engine_of(on.device().runs_on);
  steps_ = std::make_shared<const programs::prepared_program>(engine, on.impl(),
                                                              program_of(engine, on, spec, planes));
  const std::size_t between = steps_->program().workspace_bytes();
  if (between > 0) workspace_ = buffer{on, between};
}

void filter_bank::run(queue& on, backend::queue& copies, buffer_view samples,
                      const heap_entries& entries, heap_slot& slot) {
  kernel_argument operands[] = {view_of(entries.spectra), view_of(*entries.gains),
                                slot.saturated()};
  if (is_compiled_) {
    slot.put(on, copies, entries);
    on.impl()->clear(slot.saturated());
    operands[0] = slot.entries();
    operands[1] = slot.gains();
  }
  steps_->enqueue(
      *on.impl(),
      {.in = samples, .out = slot.heap(), .workspace = workspace_.view(), .load = operands});
}

std::vector<std::uint64_t> filter_bank::saturated(const heap_slot& slot) const {
  // An engine's own loop has one counter for each polarisation.
  return slot.saturated_values(is_compiled_ ? device::channeliser::counters : 1);
}

}  // namespace wingbeat::channelising
