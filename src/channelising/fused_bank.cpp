// SPDX-License-Identifier: Apache-2.0
#include "channelising/fused_bank.hpp"

#include <algorithm>  // max, min
#include <bit>        // bit_floor

#include "channelising/bank_policy.hpp"          // numbers_of, policy_text, filled
#include "channelising/quantise.hpp"             // complex_bytes
#include "channelising/spec.hpp"                 // has_complex_bank
#include "channelising/weights.hpp"              // filter_weights
#include "formatted.hpp"                         // formatted
#include "wingbeat/device/workgroup/advise.hpp"  // scratch_bytes_of
#include "wingbeat/roots.hpp"                    // roots_of

namespace wingbeat::channelising {
namespace {

using device::channeliser::bank_numbers;
using device::workgroup::schedule;

/// Complex numbers of a workgroup's rows: 64 KiB, so that two or three are resident.
constexpr unsigned wanted_numbers = 8192;
/// A multiprocessor of compute capability 9 has 228 KiB; some devices leave 1 KiB to the system.
constexpr unsigned most_sliding = 8;

std::vector<std::complex<float>> rounded_roots(const bank_numbers& of) {
  std::vector<std::complex<float>> roots;
  for (const auto& w : roots_of(schedule{device::order::natural, of.length(), of.elements})) {
    roots.emplace_back(static_cast<float>(w.real()), static_cast<float>(w.imag()));
  }
  return roots;
}

}  // namespace

unsigned scratch_bytes_of(const bank_numbers& numbers) {
  const unsigned length = numbers.length();
  const unsigned exchanged =
      device::workgroup::scratch_bytes_of(length, numbers.elements, numbers.rows, sizeof(float),
                                          device::order::natural, device::workgroup::trade::whole);
  return std::max<unsigned>(exchanged, numbers.rows * length * sizeof(std::complex<float>));
}

std::optional<bank_tiles> tiles_of(const channeliser_spec& spec, const device_info& device) {
  if (has_complex_bank(spec)) return std::nullopt;
  const channeliser_sizes sizes = sizes_of(spec);
  const auto length = static_cast<unsigned>(sizes.transform);
  const auto heap_rows =
      static_cast<unsigned>(sizes.spectra_per_heap / (spec.polarisations == 1 ? 2 : 1));
  bank_tiles tiles{.numbers = numbers_of(spec)};
  bank_numbers& of = tiles.numbers;
  // Compilers for processors take their time over long unrolled transforms.
  of.elements = device.is_gpu ? 32 : 8;
  of.sliding = std::min(most_sliding, heap_rows);
  of.rows = std::min(std::max(wanted_numbers / length, of.sliding), heap_rows);
  tiles.scratch_bytes = scratch_bytes_of(of);
  if (tiles.scratch_bytes > device.local_memory_bytes) return std::nullopt;
  if (of.threads() == 0 || of.threads() > device.max_workgroup) return std::nullopt;
  tiles.resident = 2 * tiles.scratch_bytes <= device.local_memory_bytes ? 2 : 1;
  return tiles;
}

kernel_spec bank_kernel(const channeliser_spec& spec, const bank_tiles& tiles) {
  const bank_numbers& of = tiles.numbers;
  return {.text = formatted(R"(#include "wingbeat/device/channeliser/bank.hpp"
using namespace wingbeat::device;
static_assert(sizeof(complex<float>) == 8, "");
{}
WINGBEAT_KERNEL_RESIDENT({}, {})
void channelise(WINGBEAT_GLOBAL const unsigned char* samples, size samples_first,
                WINGBEAT_GLOBAL const channeliser::spectrum_entry* spectra, size spectra_first,
                WINGBEAT_GLOBAL const float* weights, size weights_first,
                WINGBEAT_GLOBAL const complex<float>* gains, size gains_first,
                WINGBEAT_GLOBAL const complex<float>* roots, size roots_first,
                WINGBEAT_GLOBAL char* heaps, size heaps_first,
                WINGBEAT_GLOBAL unsigned* saturated, size saturated_first,
                size plane_bytes, size n_spectra WINGBEAT_SCRATCH_PARAMETER) {{
  const channeliser::bank_memory memory{{
      {{samples + samples_first, plane_bytes, spectra + spectra_first, n_spectra,
       weights + weights_first}},
      gains + gains_first, roots + roots_first, heaps + heaps_first, saturated + saturated_first}};
  channeliser::bank<policy>{{memory, WINGBEAT_SCRATCH}}.run();
}}
)",
                            policy_text(of, spec.seed), of.threads(), tiles.resident),
          .entry = "channelise",
          .threads = of.threads(),
          .scratch_bytes = tiles.scratch_bytes,
          .parameters = {
              kernel_parameter::input(1), kernel_parameter::input(sizeof(spectrum_entry)),
              kernel_parameter::input(sizeof(float)),
              kernel_parameter::input(sizeof(std::complex<float>)),
              kernel_parameter::input(sizeof(std::complex<float>)), kernel_parameter::output(1),
              kernel_parameter::output(sizeof(std::uint32_t)),
              kernel_parameter::value<std::uint64_t>(), kernel_parameter::value<std::uint64_t>()}};
}

fused_bank::fused_bank(const queue& on, const channeliser_spec& spec, std::size_t plane_bytes,
                       const bank_tiles& tiles)
    : tiles_(tiles),
      plane_bytes_(plane_bytes),
      kernel_(on, bank_kernel(spec, tiles)),
      weights_(filled(on, window_weights(spec, tiles.numbers.length()))),
      roots_(filled(on, rounded_roots(tiles.numbers))) {}

void fused_bank::enqueue(queue& on, const bank_views& views, std::size_t n_heaps) const {
  const bank_numbers& of = tiles_.numbers;
  const std::uint64_t n_spectra = n_heaps * of.spectra_per_heap;
  kernel_.enqueue(on, n_spectra / of.spectra(),
                  {views.samples, views.entries, weights_.view(), views.gains, roots_.view(),
                   views.heaps, views.saturated, std::uint64_t{plane_bytes_}, n_spectra});
}

std::string fused_bank::explain() const {
  const bank_numbers& of = tiles_.numbers;
  return formatted(
      "one launch: tiles of {} spectra by {} threads, {} bytes of local memory; each thread "
      "filters 4 "
      "positions of {} spectra; samples are read {:.1f} times, through the caches\n",
      of.spectra(), of.threads(), tiles_.scratch_bytes, of.sliding,
      static_cast<double>(of.sliding + of.taps - 1) / of.sliding);
}

}  // namespace wingbeat::channelising
