// SPDX-License-Identifier: Apache-2.0
#include "channelising/banks/chained_bank.hpp"

#include <algorithm>  // min

#include "channelising/arithmetic/quantise.hpp"  // complex_bytes
#include "channelising/arithmetic/weights.hpp"   // rounded_weights
#include "channelising/banks/functors.hpp"       // bank_load, bank_store
#include "channelising/spec.hpp"                 // has_complex_bank, parts_of
#include "formatted.hpp"                         // formatted

namespace wingbeat::channelising {
namespace {

bool compiles_kernels(const queue& on) {
  return on.device().runs_on == engine::cuda || on.device().runs_on == engine::opencl;
}

plan_spec spectra_spec(const channeliser_spec& spec, const sample_planes& planes,
                       std::size_t n_heaps, bool leaves_bins) {
  const channeliser_sizes sizes = sizes_of(spec);
  plan_spec rows{
      .lengths = {sizes.transform},
      .batch = {spec.polarisations, n_heaps * sizes.spectra_per_heap},
      .kind = has_complex_bank(spec) ? transform::forward : transform::forward_from_real};
  if (planes.form != sample_form::packed) rows.load = bank_load(spec, planes, n_heaps);
  if (leaves_bins) return rows;
  rows.store = bank_store(spec);
  // Of real samples the last bin is left out; it is half of the frequency of sampling.
  if (!has_complex_bank(spec)) rows.valid_out = {{0, spec.channels}};
  return rows;
}

constexpr std::size_t tile_channels = 32, tile_spectra = 16;

/// [polarisation][spectrum][channel] to [channel][spectrum][polarisation], tile by tile.
template <class Unit>
void transpose(const std::byte* staged, std::byte* heap, const channeliser_spec& spec,
               std::size_t n_spectra) {
  const std::size_t n_channels = spec.channels, n_pols = spec.polarisations;
  const auto* const from = reinterpret_cast<const Unit*>(staged);
  auto* const to = reinterpret_cast<Unit*>(heap);
  for (std::size_t c0 = 0; c0 < n_channels; c0 += tile_channels) {
    const std::size_t c1 = std::min(c0 + tile_channels, n_channels);
    for (std::size_t s0 = 0; s0 < n_spectra; s0 += tile_spectra) {
      for (std::size_t c = c0; c < c1; ++c) {
        for (std::size_t s = s0; s < s0 + tile_spectra; ++s) {
          for (std::size_t p = 0; p < n_pols; ++p) {
            to[(c * n_spectra + s) * n_pols + p] = from[(p * n_spectra + s) * n_channels + c];
          }
        }
      }
    }
  }
}

void transpose_in_process(buffer_view staged, buffer_view heap, const channeliser_spec& spec,
                          std::size_t n_spectra) {
  const auto* const from = static_cast<const std::byte*>(staged.handle) + staged.offset_bytes;
  auto* const to = static_cast<std::byte*>(heap.handle) + heap.offset_bytes;
  switch (complex_bytes(spec.output)) {
    case 1: return transpose<std::uint8_t>(from, to, spec, n_spectra);
    case 2: return transpose<std::uint16_t>(from, to, spec, n_spectra);
    case 4: return transpose<std::uint32_t>(from, to, spec, n_spectra);
    default: return transpose<std::uint64_t>(from, to, spec, n_spectra);
  }
}

}  // namespace

chained_bank::chained_bank(const queue& on, const channeliser_spec& spec,
                           const sample_planes& planes, std::size_t n_heaps)
    : spec_(spec),
      sizes_(sizes_of(spec)),
      n_heaps_(compiles_kernels(on) ? n_heaps : 1),
      spectra_(on, spectra_spec(spec, planes, n_heaps_, compiles_kernels(on))) {
  const std::size_t n_rows = spec.polarisations * n_heaps_ * sizes_.spectra_per_heap;
  if (planes.form == sample_form::packed) {
    filters_.emplace(on, spec, planes.plane_bytes);
    filtered_ = buffer{on, n_rows * sizes_.transform * parts_of(spec) * sizeof(float)};
  } else {
    const auto weights = rounded_weights(spec);
    weights_ = buffer{on, weights.size() * sizeof(weights.front())};
    weights_.write(weights.data(), weights_.size_bytes());
  }
  if (compiles_kernels(on)) {
    finish_.emplace(on, spec);
    staged_ = buffer{on, n_rows * bins_of(spec) * sizeof(std::complex<float>)};
  } else {
    staged_ = buffer{on, sizes_.heap_bytes};
  }
}

void chained_bank::enqueue(queue& on, const bank_views& views) const {
  const std::uint64_t n_spectra = n_heaps_ * sizes_.spectra_per_heap;
  run_operands operands;
  buffer_view rows = views.samples;
  if (filters_) {
    filters_->enqueue(on, views.samples, views.entries, filtered_.view(), n_spectra, n_spectra);
    rows = filtered_.view();
  } else {
    operands.load = {views.entries, weights_.view()};
  }
  if (!finish_) operands.store = {views.entries, views.gains, views.saturated};
  spectra_.enqueue(on, rows, staged_.view(), operands);
  if (finish_) return finish_->enqueue(on, staged_.view(), views, n_heaps_, n_spectra);
  on.wait();
  transpose_in_process(staged_.view(), views.heaps, spec_, sizes_.spectra_per_heap);
}

std::string chained_bank::explain() const {
  const std::size_t filtered = filters_ ? filtered_.size_bytes() : 0;
  return (filters_ ? formatted("filters store {} bytes\n", filtered) : std::string{}) +
         spectra_.explain() +
         formatted("then {} bytes become {} of heaps\n", staged_.size_bytes(),
                   n_heaps_ * sizes_.heap_bytes);
}

}  // namespace wingbeat::channelising
