// SPDX-License-Identifier: Apache-2.0
#include "channelising/banks/host_bank.hpp"

#include "channelising/arithmetic/quantise.hpp"  // limit_of
#include "channelising/spec.hpp"                 // has_dither

namespace wingbeat::channelising {
namespace {

std::byte* start_of(buffer_view view) {
  return static_cast<std::byte*>(view.handle) + view.offset_bytes;
}

}  // namespace

std::unique_ptr<backend::bank> make_host_bank(engine runs_on, const channeliser_spec& spec,
                                              const sample_planes& planes,
                                              const std::vector<float>& weights) {
  if (planes.form == sample_form::packed) return nullptr;
  const channeliser_sizes sizes = sizes_of(spec);
  return backend::engine_of(runs_on).make_filter_bank(
      {.is_complex = planes.form == sample_form::complex,
       .transform = sizes.transform,
       .channels = spec.channels,
       .polarisations = spec.polarisations,
       .spectra = sizes.spectra_per_heap,
       .taps = spec.taps,
       .plane_bytes = planes.plane_bytes,
       .weights = weights,
       .output = spec.output,
       .limit = static_cast<float>(limit_of(spec.output)),
       .has_dither = has_dither(spec),
       .seed = spec.seed});
}

void run_host_bank(backend::bank& on, buffer_view samples, const heap_entries& entries,
                   buffer_view heap, buffer_view saturated) {
  auto* const counts = reinterpret_cast<std::uint32_t*>(start_of(saturated));
  on.run({.samples = start_of(samples),
          .rows = entries.spectra,
          .gains = entries.gains->data(),
          .out = start_of(heap),
          .saturated = {counts, saturated.size_bytes / sizeof(std::uint32_t)}});
}

}  // namespace wingbeat::channelising
