// SPDX-License-Identifier: Apache-2.0
#include "channelising/banks/tiles.hpp"

#include <algorithm>  // max, min
#include <bit>        // bit_floor, countr_zero, has_single_bit
#include <complex>

#include "channelising/spec.hpp"                 // has_complex_bank, has_dither, parts_of
#include "wingbeat/device/complex.hpp"           // complex
#include "wingbeat/device/workgroup/advise.hpp"  // scratch_bytes_of

namespace wingbeat::channelising {
namespace {

using device::channeliser::bank_numbers;

/// Complex numbers of a workgroup's rows: 64 KiB, so that two or three are resident.
constexpr unsigned wanted_numbers = 8192;
/// Spectra that a thread slides over.
constexpr unsigned most_sliding = 8;
/// With fewer channels there is little to win, and rows of a thread or two to transform.
constexpr std::size_t least_fused_channels = 64;
/// From here on GPUs are quicker with three launches where the length is no power of two: 1,000,
/// 1,200 and 1,536 channels took 7.6, 7.0 and 6.4 ps a sample on an H200, for 5.9, 5.9 and 5.7.
constexpr std::size_t least_chained_channels = 1000;

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

bank_numbers numbers_of(const channeliser_spec& spec) {
  const auto channels = static_cast<unsigned>(spec.channels);
  const channeliser_sizes sizes = sizes_of(spec);
  const bool is_complex = has_complex_bank(spec);
  const unsigned bins = is_complex ? static_cast<unsigned>(sizes.transform) : channels + 1;
  return {.channels = channels,
          .taps = static_cast<unsigned>(spec.taps),
          .sample_bits = spec.sample_bits,
          .parts = parts_of(spec),
          .polarisations = static_cast<unsigned>(spec.polarisations),
          .spectra_per_heap = static_cast<unsigned>(sizes.spectra_per_heap),
          .output = spec.output,
          .dithers = has_dither(spec),
          .seed = spec.seed,
          .bins = bins,
          .shift = is_complex ? bins - channels / 2 : 0,
          .sliding = 1,
          .rows = 1,
          .elements = 32};
}

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

}  // namespace wingbeat::channelising
