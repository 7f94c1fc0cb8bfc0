// SPDX-License-Identifier: Apache-2.0
#include "channelising/banks/fused_bank.hpp"

#include <algorithm>  // max, min
#include <bit>        // bit_floor, countr_zero, has_single_bit

#include "channelising/arithmetic/quantise.hpp"  // complex_bytes
#include "channelising/arithmetic/weights.hpp"   // filter_weights
#include "channelising/banks/policy.hpp"         // numbers_of, policy_text, filled
#include "channelising/spec.hpp"                 // has_complex_bank
#include "formatted.hpp"                         // formatted
#include "wingbeat/device/workgroup/advise.hpp"  // scratch_bytes_of
#include "wingbeat/roots.hpp"                    // roots_of

namespace wingbeat::channelising {
namespace {

using device::channeliser::bank_numbers;
using device::workgroup::schedule;

/// Complex numbers of a workgroup's rows: 64 KiB, so that two or three are resident.
constexpr unsigned wanted_numbers = 8192;
/// Spectra that a thread slides over.
constexpr unsigned most_sliding = 8;
/// With fewer channels there is little to win, and rows of a thread or two to transform.
constexpr std::size_t least_fused_channels = 64;
/// From here on GPUs are quicker with three launches where the length is no power of two: 1,000,
/// 1,200 and 1,536 channels took 7.6, 7.0 and 6.4 ps a sample on an H200, for 5.9, 5.9 and 5.7.
constexpr std::size_t least_chained_channels = 1000;

std::vector<std::complex<float>> rounded_roots(const bank_numbers& numbers) {
  std::vector<std::complex<float>> roots;
  for (const auto& w :
       roots_of(schedule{device::order::natural, numbers.length(), numbers.elements})) {
    roots.emplace_back(static_cast<float>(w.real()), static_cast<float>(w.imag()));
  }
  return roots;
}

/// Cuts tiles of `rows`, whose threads hold `elements` each and slide over `sliding` spectra.
bank_tiles cut(const bank_numbers& from, unsigned elements, unsigned rows, unsigned sliding) {
  bank_tiles tiles{.numbers = from};
  tiles.numbers.elements = elements;
  tiles.numbers.rows = rows;
  tiles.numbers.sliding = sliding;
  tiles.scratch_bytes = scratch_bytes_of(tiles.numbers);
  return tiles;
}

/// Returns how many rows have all numbers that are wanted, a power of two of them.
unsigned wanted_rows(const bank_numbers& numbers, unsigned sliding, unsigned heap_rows) {
  return std::min(std::max(std::bit_floor(wanted_numbers / numbers.length()), sliding), heap_rows);
}

/// Returns tiles for threads of 32 elements, or 8: compilers for processors take their time over
/// long unrolled transforms. Of other lengths than powers of two, as few above as divide them, an
/// even number, since opposite bins meet in pairs.
bank_tiles plain_tiles(const bank_numbers& numbers, unsigned heap_rows, const device_info& device) {
  unsigned elements = device.is_gpu ? 32 : 8;
  while (numbers.length() % elements != 0 && elements < 32) elements += 2;
  while (numbers.length() % elements != 0) elements -= 2;
  const unsigned sliding = std::min(most_sliding, heap_rows);
  bank_tiles tiles = cut(numbers, elements, wanted_rows(numbers, sliding, heap_rows), sliding);
  tiles.resident = 2 * tiles.scratch_bytes <= device.local_memory_bytes ? 2 : 1;
  return tiles;
}

/// Returns how many subgroups of such workgroups a GPU's multiprocessor has at once, 16 at most,
/// and sets how many workgroups they are.
unsigned subgroups_of(bank_tiles& tiles, const device_info& device) {
  constexpr unsigned most = 16;
  const unsigned own = (tiles.numbers.threads() + 31) / 32;
  tiles.resident = static_cast<unsigned>(
      std::min<std::size_t>(most / own, device.local_memory_bytes / tiles.scratch_bytes));
  return own * tiles.resident;
}

/// Returns tiles of other lengths than powers of two for a GPU: those that give it most subgroups,
/// of 128 registers a thread, as powers of two have; with fewer registers, and with some more,
/// filters spill. Nothing where no tiles have as many. Threads slide over half as many spectra
/// where the workgroup would be too large: samples are then read 4.75 times, not 2.9 (of 16 taps).
std::optional<bank_tiles> mixed_tiles(const bank_numbers& numbers, unsigned heap_rows,
                                      const device_info& device) {
  constexpr unsigned least_subgroups = 13;  // four in one of the four parts of a multiprocessor
  for (const unsigned sliding : {most_sliding, most_sliding / 2}) {
    if (sliding > heap_rows) continue;
    std::optional<bank_tiles> best;
    unsigned most = least_subgroups - 1;
    for (unsigned elements = 32; elements >= 8; elements -= 2) {
      if (numbers.length() % elements != 0 || elements % 13 == 0) continue;  // 13 at a time spill
      for (unsigned rows = wanted_rows(numbers, sliding, heap_rows); rows >= sliding; rows /= 2) {
        bank_tiles tiles = cut(numbers, elements, rows, sliding);
        const unsigned n = subgroups_of(tiles, device);
        if (n <= most) continue;
        best = tiles;
        most = n;
      }
    }
    if (best) return best;
  }
  return std::nullopt;
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
  if (has_complex_bank(spec) || spec.channels < least_fused_channels) return std::nullopt;
  const channeliser_sizes sizes = sizes_of(spec);
  // Of whole tiles: the largest power of two that divides a heap.
  const auto whole = std::size_t{1} << std::countr_zero(sizes.spectra_per_heap);
  const auto heap_rows = static_cast<unsigned>(whole / (spec.polarisations == 1 ? 2 : 1));
  const bank_numbers numbers = numbers_of(spec);
  const bank_tiles plain = plain_tiles(numbers, heap_rows, device);
  if (plain.scratch_bytes > device.local_memory_bytes) return std::nullopt;
  if (device.is_gpu && !std::has_single_bit(numbers.length())) {
    if (spec.channels >= least_chained_channels) return std::nullopt;
    return mixed_tiles(numbers, heap_rows, device);
  }
  if (plain.numbers.threads() > device.max_workgroup) return std::nullopt;
  return plain;
}

kernel_spec bank_kernel(const channeliser_spec& spec, const bank_tiles& tiles) {
  const bank_numbers& numbers = tiles.numbers;
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
                            policy_text(numbers, spec.seed), numbers.threads(), tiles.resident),
          .entry = "channelise",
          .threads = numbers.threads(),
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
  const bank_numbers& numbers = tiles_.numbers;
  const std::uint64_t n_spectra = n_heaps * numbers.spectra_per_heap;
  kernel_.enqueue(on, n_spectra / numbers.spectra(),
                  {views.samples, views.entries, weights_.view(), views.gains, roots_.view(),
                   views.heaps, views.saturated, std::uint64_t{plane_bytes_}, n_spectra});
}

std::string fused_bank::explain() const {
  const bank_numbers& numbers = tiles_.numbers;
  return formatted(
      "one launch: tiles of {} spectra by {} threads, {} bytes of local memory; each thread "
      "filters 4 "
      "positions of {} spectra; samples are read {:.1f} times, through the caches\n",
      numbers.spectra(), numbers.threads(), tiles_.scratch_bytes, numbers.sliding,
      static_cast<double>(numbers.sliding + numbers.taps - 1) / numbers.sliding);
}

}  // namespace wingbeat::channelising
