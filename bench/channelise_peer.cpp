// SPDX-License-Identifier: Apache-2.0
#include "channelise_peer.hpp"

#include <fmt/core.h>

#include <cstdlib>  // getenv
#include <sstream>

#include "channelising/spec.hpp"  // has_dither

namespace wingbeat {

using namespace channelising;

namespace {

/// WINGBEAT_FILTER="spectra resident" shapes the filter otherwise.
filter_shape_of_rows filter_shape() {
  filter_shape_of_rows shape;
  if (const char* const given = std::getenv("WINGBEAT_FILTER")) {
    std::istringstream{given} >> shape.sliding >> shape.resident;
  }
  return shape;
}

constexpr unsigned tile_channels = 64, tile_spectra = 32;

/// A workgroup takes 64 channels of 32 spectra, one polarisation after the other, and leaves rows
/// of 128 bytes.
kernel_spec finish_kernel(const channeliser_spec& spec, std::size_t n_spectra) {
  const channeliser_sizes sizes = sizes_of(spec);
  return {
      .text = fmt::format(R"(#include "wingbeat/device/channeliser/quantise.hpp"
#include "wingbeat/device/dither.hpp"
#include "wingbeat/device/atomic.hpp"
using namespace wingbeat::device;
struct entry {{ size first, time; float phase, slope; unsigned gains, follow; }};
WINGBEAT_KERNEL(256)
void finish(WINGBEAT_GLOBAL const complex<float>* bins, size bins_first,
            WINGBEAT_GLOBAL const entry* spectra, size spectra_first,
            WINGBEAT_GLOBAL const complex<float>* gains, size gains_first,
            WINGBEAT_GLOBAL unsigned* heaps, size heaps_first,
            WINGBEAT_GLOBAL unsigned* saturated, size saturated_first WINGBEAT_SCRATCH_PARAMETER) {{
  using channeliser::stored_kind;
  constexpr unsigned n = {0}, per_heap = {1}, channels = {3}, rows = {4}, pitch = rows + 1;
  constexpr size n_spectra = {2};
  const auto tile = reinterpret_cast<unsigned*>(WINGBEAT_SCRATCH);
  const unsigned c0 = unsigned(group::index() % (n / channels)) * channels;
  const size s0 = group::index() / (n / channels) * rows;
  const unsigned channel = group::thread() % channels;
  unsigned counts[2] = {{0, 0}};
  for (unsigned s = group::thread() / channels; s < rows; s += 256 / channels) {{
    const unsigned k = c0 + channel;
    complex<float> u[2];
    WINGBEAT_UNROLL
    for (unsigned pol = 0; pol < 2; ++pol) {{
      const size row = pol * n_spectra + s0 + s;
      const auto& of = spectra[spectra_first + row];
      const float turns = of.phase + of.slope * (float(k) - float(n / 2));
      u[pol] = bins[bins_first + row * (n + 1) + k] *
               complex<float>{{maths::quick_cosine_of_turns(turns), maths::quick_sine_of_turns(turns)}} *
               gains[gains_first + (of.gains * 2 + pol) * n + k];
    }}
    if constexpr ({5}) {{
      const size t = spectra[spectra_first + s0 + s].time;
      const random_words words = philox<dither_rounds>({{{{unsigned(t), unsigned(t >> 32), k, 0u}}}}, size({6}u) << 32 | {7}u);
      u[0] = u[0] + complex<float>{{dither_of(words.at[0]), dither_of(words.at[1])}};
      u[1] = u[1] + complex<float>{{dither_of(words.at[2]), dither_of(words.at[3])}};
    }}
    using int8 = channeliser::stored<stored_kind::int8>;
    const unsigned a = int8::of(channeliser::limited<stored_kind::int8>(u[0], counts[0]));
    const unsigned b = int8::of(channeliser::limited<stored_kind::int8>(u[1], counts[1]));
    tile[channel * pitch + s] = a | b << 16;
  }}
  for (unsigned pol = 0; pol < 2; ++pol) {{
    if (counts[pol] > 0) atomic_add(saturated + saturated_first + s0 / per_heap * 2 + pol, counts[pol]);
  }}
  group::barrier();
  const size heap = s0 / per_heap, spectrum = s0 % per_heap;
  for (unsigned i = group::thread(); i < channels * rows; i += 256) {{
    heaps[heaps_first + (heap * n + c0 + i / rows) * per_heap + spectrum + i % rows] =
        tile[i / rows * pitch + i % rows];
  }}
}}
)",
                          spec.channels, sizes.spectra_per_heap, n_spectra, tile_channels,
                          tile_spectra, has_dither(spec), spec.seed >> 32, spec.seed & 0xffffffffU),
      .entry = "finish",
      .threads = 256,
      .scratch_bytes = tile_channels * (tile_spectra + 1) * 4,
      .parameters = {kernel_parameter::input(8), kernel_parameter::input(sizeof(spectrum_entry)),
                     kernel_parameter::input(8), kernel_parameter::output(4),
                     kernel_parameter::output(4)}};
}

}  // namespace

unfused_bank::unfused_bank(const queue& on, const channeliser_spec& spec, std::size_t plane_bytes,
                           std::size_t n_spectra)
    : spec_(spec),
      sizes_(sizes_of(spec)),
      n_spectra_(n_spectra),
      filter_(on, spec, plane_bytes, filter_shape()),
      finish_(on, finish_kernel(spec, n_spectra)),
      rows_(on, {.lengths = {sizes_.transform},
                 .batch = 2 * n_spectra,
                 .kind = transform::forward_from_real}),
      filtered_(on, 2 * n_spectra * sizes_.transform * 4),
      bins_(on, 2 * n_spectra * (spec.channels + 1) * 8) {}

void unfused_bank::filter(queue& on, const bank_views& views) const {
  filter_.enqueue(on, views.samples, views.entries, filtered_.view(), n_spectra_, n_spectra_);
}

void unfused_bank::transform() const {
  rows_.run(filtered_.view(), bins_.view());
}

void unfused_bank::finish(queue& on, const bank_views& views) const {
  finish_.enqueue(on, n_spectra_ / tile_spectra * (spec_.channels / tile_channels),
                  {bins_.view(), views.entries, views.gains, views.heaps, views.saturated});
}

void unfused_bank::enqueue(queue& on, const bank_views& views) const {
  filter(on, views);
  transform();
  finish(on, views);
}

std::vector<unfused_bank::step> unfused_bank::steps(queue& on, const bank_views& views) const {
  return {{"filter", [this, &on, &views] { filter(on, views); }},
          {"cufft", [this] { transform(); }},
          {"finish", [this, &on, &views] { finish(on, views); }}};
}

double differing_part(queue& on, const buffer& a, const buffer& b) {
  on.wait();
  const std::size_t n_bytes = std::min(a.size_bytes(), std::size_t{1} << 26);
  std::vector<signed char> of_a(n_bytes), of_b(n_bytes);
  a.read(of_a.data(), n_bytes);
  b.read(of_b.data(), n_bytes);
  std::size_t n_differing = 0;
  for (std::size_t i = 0; i < n_bytes; ++i) n_differing += of_a[i] != of_b[i] ? 1 : 0;
  return static_cast<double>(n_differing) / static_cast<double>(n_bytes);
}

}  // namespace wingbeat
