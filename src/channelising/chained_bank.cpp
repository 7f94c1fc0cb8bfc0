// SPDX-License-Identifier: Apache-2.0
#include "channelising/chained_bank.hpp"

#include "channelising/bank_functors.hpp"  // bank_load, bank_store
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
  if (planes.form != sample_form::packed) rows.load = bank_load(spec, planes);
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

constexpr std::size_t tile_channels = 64, tile_spectra = 16;

/// [polarisation][spectrum][channel] to [channel][spectrum][polarisation], tile by tile through
/// local memory. Values are read and stored several at a time.
kernel_spec transpose_spec(const channeliser_spec& spec) {
  const channeliser_sizes sizes = sizes_of(spec);
  const std::size_t unit = complex_bytes(spec.output);
  constexpr std::string_view units[] = {
      "", "unsigned char", "unsigned short", "", "unsigned", "", "", "", "wingbeat::device::size"};
  return {.text = formatted(R"(#include "wingbeat/device/port.hpp"
using namespace wingbeat::device;
using unit = {0};
template <unsigned Count>
struct alignas(Count * sizeof(unit)) several {{
  unit at[Count];
}};
WINGBEAT_KERNEL(256)
void transpose(WINGBEAT_GLOBAL const unit* staged, size staged_first, WINGBEAT_GLOBAL unit* heap,
               size heap_first WINGBEAT_SCRATCH_PARAMETER) {{
  constexpr unsigned channels = {4}, spectra = {5}, pols = {1}, threads = 256;
  constexpr unsigned row = spectra * pols, pitch = row + 4 / sizeof(unit) + (sizeof(unit) > 4);
  constexpr size all_channels = {2}, all_spectra = {3};
  const auto tile = reinterpret_cast<WINGBEAT_LOCAL unit*>(
      static_cast<WINGBEAT_LOCAL char*>(WINGBEAT_SCRATCH));
  const size first_channel = group::index() % (all_channels / channels) * channels;
  const size first_spectrum = group::index() / (all_channels / channels) * spectra;
  // Neighbouring threads read neighbouring channels, `wide` each.
  constexpr unsigned wide = sizeof(unit) < 8 ? 8 / sizeof(unit) : 1, lanes = channels / wide;
  const unsigned lane = group::thread() % lanes;
  WINGBEAT_UNROLL
  for (unsigned i = 0; i < row / (threads / lanes); ++i) {{
    const unsigned n = group::thread() / lanes + i * (threads / lanes);
    const unsigned spectrum = n % spectra, pol = n / spectra;
    const several<wide> read = *reinterpret_cast<WINGBEAT_GLOBAL const several<wide>*>(
        staged + staged_first + (pol * all_spectra + first_spectrum + spectrum) * all_channels +
        first_channel + lane * wide);
    WINGBEAT_UNROLL
    for (unsigned j = 0; j < wide; ++j) {{
      tile[(lane * wide + j) * pitch + spectrum * pols + pol] = read.at[j];
    }}
  }}
  group::barrier();
  // A channel's piece is stored in words of 4 bytes, or of a value.
  constexpr unsigned word = sizeof(unit) < 4 ? 4 / sizeof(unit) : 1, words = row / word;
  WINGBEAT_UNROLL
  for (unsigned i = 0; i < channels * words / threads; ++i) {{
    const unsigned n = group::thread() + i * threads, channel = n / words, at = n % words * word;
    *reinterpret_cast<WINGBEAT_GLOBAL several<word>*>(
        heap + heap_first + ((first_channel + channel) * all_spectra + first_spectrum) * pols + at) =
        *reinterpret_cast<WINGBEAT_LOCAL const several<word>*>(tile + channel * pitch + at);
  }}
}}
)",
                            units[unit], spec.polarisations, spec.channels, sizes.spectra_per_heap,
                            tile_channels, tile_spectra),
          .entry = "transpose",
          .threads = 256,
          .scratch_bytes =
              (tile_channels * (tile_spectra * spec.polarisations * unit + 8) + 15) / 16 * 16,
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

buffer_view part(buffer_view of, std::size_t first_byte) {
  of.offset_bytes += first_byte;
  of.size_bytes -= first_byte;
  return of;
}

}  // namespace

chained_bank::chained_bank(const queue& on, const channeliser_spec& spec,
                           const sample_planes& planes)
    : spec_(spec), sizes_(sizes_of(spec)), spectra_(on, spectra_spec(spec, planes)) {
  if (planes.form == sample_form::packed) {
    filters_.emplace(on, spec, planes.plane_bytes);
    const std::size_t n_rows = spec.polarisations * sizes_.spectra_per_heap;
    filtered_ = buffer{on, n_rows * sizes_.transform * sizeof(float)};
  } else {
    const auto weights =
        rounded(filter_weights({sizes_.transform, spec.taps, spec.window, spec.weight_cutoff}));
    weights_ = buffer{on, weights.size() * sizeof(weights.front())};
    weights_.write(weights.data(), weights_.size_bytes());
  }
  staged_ = buffer{on, sizes_.heap_bytes};
  const engine runs_on = on.device().runs_on;
  if (runs_on == engine::cuda || runs_on == engine::opencl) {
    transpose_.emplace(on, transpose_spec(spec));
  }
}

void chained_bank::enqueue(queue& on, const bank_views& views, std::size_t n_heaps) const {
  for (std::size_t heap = 0; heap < n_heaps; ++heap) {
    enqueue_heap(
        on,
        {.samples = views.samples,
         .entries = part(views.entries, heap * sizes_.spectra_per_heap * sizeof(spectrum_entry)),
         .gains = views.gains,
         .heaps = part(views.heaps, heap * sizes_.heap_bytes),
         .saturated = part(views.saturated, heap * spec_.polarisations * sizeof(std::uint32_t))},
        n_heaps * sizes_.spectra_per_heap);
  }
}

void chained_bank::enqueue_heap(queue& on, const bank_views& views, std::uint64_t n_spectra) const {
  run_operands operands{.store = {views.entries, n_spectra, views.gains, views.saturated}};
  buffer_view rows = views.samples;
  if (filters_) {
    filters_->enqueue(on, views.samples, views.entries, filtered_.view(), sizes_.spectra_per_heap,
                      n_spectra);
    rows = filtered_.view();
  } else {
    operands.load = {views.entries, n_spectra, weights_.view()};
  }
  spectra_.enqueue(on, rows, staged_.view(), operands);
  if (transpose_) {
    const std::size_t n_tiles =
        spec_.channels / tile_channels * (sizes_.spectra_per_heap / tile_spectra);
    return transpose_->enqueue(on, n_tiles, {staged_.view(), views.heaps});
  }
  on.wait();
  transpose_in_process(staged_.view(), views.heaps, spec_, sizes_.spectra_per_heap);
}

std::string chained_bank::explain() const {
  const std::size_t filtered =
      filters_ ? spec_.polarisations * sizes_.heap_samples * sizeof(float) : 0;
  return (filters_ ? formatted("filters store {} bytes\n", filtered) : std::string{}) +
         spectra_.explain() + formatted("then {} bytes are transposed\n", 2 * sizes_.heap_bytes);
}

}  // namespace wingbeat::channelising
