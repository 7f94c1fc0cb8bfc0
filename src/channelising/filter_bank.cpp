// SPDX-License-Identifier: Apache-2.0
#include "channelising/filter_bank.hpp"

#include <algorithm>  // min
#include <cstring>    // memcpy

#include "backend/backend.hpp"             // queue::clear
#include "channelising/bank_functors.hpp"  // bank_load, bank_store
#include "channelising/host_bank.hpp"      // make_host_bank, run_host_bank
#include "channelising/quantise.hpp"       // complex_bytes
#include "channelising/weights.hpp"        // filter_weights
#include "formatted.hpp"                   // formatted

namespace wingbeat::channelising {
namespace {

plan_spec spectra_spec(const channeliser_spec& spec, const sample_planes& planes) {
  const channeliser_sizes sizes = sizes_of(spec);
  plan_spec rows{.lengths = {sizes.transform},
                 .batch = {spec.polarisations, sizes.spectra_per_heap},
                 .kind = spec.narrowband ? transform::forward : transform::forward_from_real};
  rows.load = bank_load(spec, planes);
  rows.store = bank_store(spec);
  // Of real samples the last bin is left out; it is half of the frequency of sampling.
  if (!spec.narrowband) rows.valid_out = {{0, spec.channels}};
  return rows;
}

std::vector<float> rounded(const std::vector<double>& from) {
  std::vector<float> to(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = static_cast<float>(from[i]);
  return to;
}

constexpr std::size_t tile_channels = 32, tile_spectra = 16;

/// [polarisation][spectrum][channel] to [channel][spectrum][polarisation], tile by tile through
/// local memory.
kernel_spec transpose_spec(const channeliser_spec& spec) {
  const channeliser_sizes sizes = sizes_of(spec);
  const std::size_t unit = complex_bytes(spec.output);
  constexpr std::string_view units[] = {
      "", "unsigned char", "unsigned short", "", "unsigned", "", "", "", "wingbeat::device::size"};
  return {.text = formatted(R"(#include "wingbeat/device/port.hpp"
using namespace wingbeat::device;
using unit = {0};
WINGBEAT_KERNEL(256)
void transpose(WINGBEAT_GLOBAL const unit* staged, size staged_first, WINGBEAT_GLOBAL unit* heap,
               size heap_first WINGBEAT_SCRATCH_PARAMETER) {{
  constexpr unsigned channels = 32, spectra = 16, pols = {1}, pitch = spectra * pols + 1;
  constexpr size all_channels = {2}, all_spectra = {3};
  const auto tile = reinterpret_cast<WINGBEAT_LOCAL unit*>(
      static_cast<WINGBEAT_LOCAL char*>(WINGBEAT_SCRATCH));
  const size first_channel = group::index() % (all_channels / channels) * channels;
  const size first_spectrum = group::index() / (all_channels / channels) * spectra;
  for (unsigned n = group::thread(); n < channels * spectra * pols; n += 256) {{
    const unsigned channel = n % channels, spectrum = n / channels % spectra;
    const unsigned pol = n / channels / spectra;
    tile[channel * pitch + spectrum * pols + pol] =
        staged[staged_first + (pol * all_spectra + first_spectrum + spectrum) * all_channels +
               first_channel + channel];
  }}
  group::barrier();
  for (unsigned n = group::thread(); n < channels * spectra * pols; n += 256) {{
    const unsigned channel = n / (spectra * pols), rest = n % (spectra * pols);
    heap[heap_first + ((first_channel + channel) * all_spectra + first_spectrum) * pols + rest] =
        tile[channel * pitch + rest];
  }}
}}
)",
                            units[unit], spec.polarisations, spec.channels, sizes.spectra_per_heap),
          .entry = "transpose",
          .threads = 256,
          .scratch_bytes =
              (tile_channels * (tile_spectra * spec.polarisations + 1) * unit + 15) / 16 * 16,
          .parameters = {kernel_parameter::input(unit), kernel_parameter::output(unit)}};
}

/// The same in this process.
template <class Unit>
void transpose(const std::byte* staged, std::byte* heap, const channeliser_spec& spec,
               std::size_t n_spectra) {
  const std::size_t n_channels = spec.channels, n_pols = spec.polarisations;
  const auto* const from = reinterpret_cast<const Unit*>(staged);
  auto* const to = reinterpret_cast<Unit*>(heap);
  for (std::size_t c0 = 0; c0 < n_channels; c0 += tile_channels) {
    for (std::size_t s0 = 0; s0 < n_spectra; s0 += tile_spectra) {
      for (std::size_t c = c0; c < c0 + tile_channels; ++c) {
        for (std::size_t s = s0; s < s0 + tile_spectra; ++s) {
          for (std::size_t p = 0; p < n_pols; ++p) {
            to[(c * n_spectra + s) * n_pols + p] = from[(p * n_spectra + s) * n_channels + c];
          }
        }
      }
    }
  }
}

}  // namespace

filter_bank::filter_bank(const queue& on, const channeliser_spec& spec, const sample_planes& planes)
    : spec_(spec),
      sizes_(sizes_of(spec)),
      is_compiled_(form_of_samples(on.device().runs_on) == sample_form::packed),
      saturated_(on, 16) {
  const auto weights =
      rounded(filter_weights({sizes_.transform, spec.taps, spec.window, spec.weight_cutoff}));
  whole_ = make_host_bank(on.device().runs_on, spec, planes, weights);
  heap_ = buffer{on, is_compiled_ || whole_ ? sizes_.heap_bytes : 16};
  if (whole_) return;
  entries_ = buffer{on, spec.polarisations * sizes_.spectra_per_heap * sizeof(spectrum_entry)};
  if (const auto tiles = tiles_of(spec, on.device()); is_compiled_ && tiles) {
    fused_.emplace(on, spec, planes.plane_bytes, *tiles);
    return;
  }
  spectra_.emplace(on, spectra_spec(spec, planes));
  weights_ = buffer{on, weights.size() * sizeof(weights.front())};
  weights_.write(weights.data(), weights_.size_bytes());
  staged_ = buffer{on, sizes_.heap_bytes};
  if (is_compiled_) transpose_.emplace(on, transpose_spec(spec));
}
filter_bank::filter_bank(filter_bank&&) noexcept = default;
filter_bank::~filter_bank() = default;

void filter_bank::run(queue& on, buffer_view samples, const std::vector<spectrum_entry>& entries,
                      const std::vector<std::complex<float>>& gains) {
  if (whole_) return run_host_bank(*whole_, samples, entries, gains, heap_.view(), saturated_);
  entries_.write(entries.data(), entries.size() * sizeof(spectrum_entry));
  if (gains != gains_held_) {
    const std::size_t n_bytes = gains.size() * sizeof(gains.front());
    if (gains_.size_bytes() < n_bytes) gains_ = buffer{on, n_bytes};
    gains_.write(gains.data(), n_bytes);
    gains_held_ = gains;
  }
  on.impl()->clear(saturated_.view());
  if (fused_) {
    return fused_->enqueue(
        on, {samples, entries_.view(), gains_.view(), heap_.view(), saturated_.view()}, 1);
  }
  spectra_->enqueue(on, samples, staged_.view(),
                    {.load = {entries_.view(), weights_.view()},
                     .store = {entries_.view(), gains_.view(), saturated_.view()}});
  if (!transpose_) return;
  const std::size_t n_tiles =
      spec_.channels / tile_channels * (sizes_.spectra_per_heap / tile_spectra);
  transpose_->enqueue(on, n_tiles, {staged_.view(), heap_.view()});
}

void filter_bank::read_heap(std::vector<std::byte>& bytes) const {
  bytes.resize(sizes_.heap_bytes);
  if (is_compiled_ || whole_) return heap_.read(bytes.data(), bytes.size());
  std::vector<std::byte> staged(sizes_.heap_bytes);
  staged_.read(staged.data(), staged.size());
  switch (complex_bytes(spec_.output)) {
    case 1:
      return transpose<std::uint8_t>(staged.data(), bytes.data(), spec_, sizes_.spectra_per_heap);
    case 2:
      return transpose<std::uint16_t>(staged.data(), bytes.data(), spec_, sizes_.spectra_per_heap);
    case 4:
      return transpose<std::uint32_t>(staged.data(), bytes.data(), spec_, sizes_.spectra_per_heap);
    default:
      return transpose<std::uint64_t>(staged.data(), bytes.data(), spec_, sizes_.spectra_per_heap);
  }
}

std::vector<std::uint64_t> filter_bank::saturated() const {
  std::vector<std::uint32_t> counts(spec_.polarisations);
  saturated_.read(counts.data(), counts.size() * sizeof(counts.front()));
  return {counts.begin(), counts.end()};
}

std::string filter_bank::explain() const {
  if (fused_) return fused_->explain();
  if (whole_) return whole_->explain() + '\n';
  const std::size_t transposed = transpose_ ? 2 * sizes_.heap_bytes : 0;
  return spectra_->explain() + formatted("then {} bytes are transposed\n",
                                         transposed == 0 ? sizes_.heap_bytes : transposed);
}

}  // namespace wingbeat::channelising
