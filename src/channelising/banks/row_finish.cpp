// SPDX-License-Identifier: Apache-2.0
#include "channelising/banks/row_finish.hpp"

#include "channelising/arithmetic/quantise.hpp"  // complex_bytes
#include "channelising/banks/policy.hpp"         // numbers_of, policy_text
#include "channelising/spec.hpp"                 // has_complex_bank
#include "formatted.hpp"                         // formatted

namespace wingbeat::channelising {
namespace {

constexpr unsigned tile_channels = 64, tile_spectra = 16, n_threads = 256;

}  // namespace

std::size_t bins_of(const channeliser_spec& spec) {
  return has_complex_bank(spec) ? sizes_of(spec).transform : spec.channels + 1;
}

kernel_spec finish_kernel(const channeliser_spec& spec) {
  const std::size_t unit = complex_bytes(spec.output);
  // Of complex numbers, channel k is bin k - channels/2, modulo the length.
  const std::size_t shift = has_complex_bank(spec) ? bins_of(spec) - spec.channels / 2 : 0;
  return {.text = formatted(R"(#include "wingbeat/device/channeliser/finish.hpp"
using namespace wingbeat::device;
static_assert(sizeof(complex<float>) == 8, "");
{0}
WINGBEAT_KERNEL({1})
void finish(WINGBEAT_GLOBAL const complex<float>* bins, size bins_first,
            WINGBEAT_GLOBAL const channeliser::spectrum_entry* spectra, size spectra_first,
            WINGBEAT_GLOBAL const complex<float>* gains, size gains_first,
            WINGBEAT_GLOBAL char* heaps, size heaps_first,
            WINGBEAT_GLOBAL unsigned* saturated, size saturated_first,
            size n_spectra, size n_of_entries WINGBEAT_SCRATCH_PARAMETER) {{
  using rows = channeliser::finished_rows<policy, {2}, {3}, {4}, {5}, {1}>;
  rows{{{{bins + bins_first, spectra + spectra_first, gains + gains_first, heaps + heaps_first,
         saturated + saturated_first, n_spectra, n_of_entries}},
       WINGBEAT_SCRATCH}}.run();
}}
)",
                            policy_text(numbers_of(spec), spec.seed), n_threads, bins_of(spec),
                            shift, tile_channels, tile_spectra),
          .entry = "finish",
          .threads = n_threads,
          .scratch_bytes = tile_channels * (tile_spectra * spec.polarisations * unit + 16),
          .parameters = {
              kernel_parameter::input(sizeof(std::complex<float>)),
              kernel_parameter::input(sizeof(spectrum_entry)),
              kernel_parameter::input(sizeof(std::complex<float>)), kernel_parameter::output(1),
              kernel_parameter::output(sizeof(std::uint32_t)),
              kernel_parameter::value<std::uint64_t>(), kernel_parameter::value<std::uint64_t>()}};
}

row_finish::row_finish(const queue& on, const channeliser_spec& spec)
    : spec_(spec),
      spectra_per_heap_(sizes_of(spec).spectra_per_heap),
      kernel_(on, finish_kernel(spec)) {}

void row_finish::enqueue(queue& on, buffer_view bins, const bank_views& views, std::size_t n_heaps,
                         std::size_t n_of_entries) const {
  const std::size_t n_spectra = n_heaps * spectra_per_heap_;
  const std::size_t n_tiles = (spec_.channels + tile_channels - 1) / tile_channels;
  kernel_.enqueue(on, n_tiles * (n_spectra / tile_spectra),
                  {bins, views.entries, views.gains, views.heaps, views.saturated,
                   std::uint64_t{n_spectra}, std::uint64_t{n_of_entries}});
}

}  // namespace wingbeat::channelising
