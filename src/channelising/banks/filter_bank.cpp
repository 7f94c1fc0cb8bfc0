// SPDX-License-Identifier: Apache-2.0
#include "channelising/banks/filter_bank.hpp"

#include <algorithm>  // find_if, max

#include "channelising/arithmetic/quantise.hpp"    // limit_of
#include "channelising/arithmetic/weights.hpp"     // rounded_weights
#include "channelising/banks/bank_programs.hpp"    // fused_bank, chained_bank
#include "text/reject.hpp"                         // reject
#include "wingbeat/device/channeliser/filter.hpp"  // counters

namespace wingbeat::channelising {
namespace {

programs::program program_of(const backend::engine& engine, const queue& on,
                             const channeliser_spec& spec, const sample_planes& planes,
                             std::size_t n_heaps) {
  if (auto whole = engine.realise(on.impl(), request_of(spec, planes))) return *std::move(whole);
  const auto tiles = tiles_of(spec, on.device());
  if (tiles) return fused_bank(*tiles, spec, planes, n_heaps);
  return chained_bank(engine, on.impl(), spec, planes, n_heaps);
}

/// Returns the numbers of heaps that have a program, which are few because each takes time to
/// compile.
std::vector<std::size_t> launch_sizes(std::size_t max_heaps) {
  std::vector<std::size_t> sizes;
  for (std::size_t n = max_heaps; n > 1; n /= 8) sizes.push_back(n);
  sizes.push_back(1);
  return sizes;
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

void require_storage(const channeliser_spec& spec, const device_info& device,
                     std::string_view option) {
  if (!spec.between) return;
  if (form_of_samples(device.runs_on) == sample_form::packed && !tiles_of(spec, device)) return;
  reject(
      "{} is of no use on {}, which stores nothing between launches of these channels; "
      "leave it out",
      option, name_of(device.runs_on));
}

filter_bank::filter_bank(const queue& on, const channeliser_spec& spec, const sample_planes& planes,
                         std::size_t max_heaps)
    : is_compiled_(form_of_samples(on.device().runs_on) == sample_form::packed) {
  const backend::engine& engine = backend::engine_of(on.device().runs_on);
  std::size_t between = 0;
  for (const std::size_t n : launch_sizes(max_heaps)) {
    steps_.push_back({n, std::make_unique<const programs::prepared_program>(
                             engine, on.impl(), program_of(engine, on, spec, planes, n))});
    between = std::max(between, steps_.back().program->program().workspace_bytes());
  }
  if (between > 0) workspace_ = buffer{on, between};
}

const filter_bank::bank_steps& filter_bank::steps_of(std::size_t n_heaps) const {
  return *std::find_if(steps_.begin(), steps_.end(),
                       [&](const bank_steps& each) { return each.n_heaps <= n_heaps; });
}

std::size_t filter_bank::heaps_of_launch(std::size_t n_heaps) const {
  return steps_of(n_heaps).n_heaps;
}

void filter_bank::run(queue& on, backend::queue& copies, buffer_view samples,
                      std::span<const heap_entries> heaps, heap_slot& slot) {
  const heap_entries& first = heaps.front();
  kernel_argument operands[] = {view_of(first.spectra), view_of(*first.gains), slot.saturated()};
  if (is_compiled_) {
    slot.put(on, copies, heaps);
    on.impl()->clear(slot.saturated());
    operands[0] = slot.entries();
    operands[1] = slot.gains();
  }
  steps_of(heaps.size())
      .program->enqueue(
          *on.impl(),
          {.in = samples, .out = slot.heaps(), .workspace = workspace_.view(), .load = operands});
}

std::vector<std::uint64_t> filter_bank::saturated(const heap_slot& slot, std::size_t heap) const {
  // An engine's own loop has one counter for each polarisation.
  return slot.saturated_values(heap, is_compiled_ ? device::channeliser::counters : 1);
}

}  // namespace wingbeat::channelising
