// SPDX-License-Identifier: Apache-2.0
#include "channelising/banks/tiles.hpp"

#include <algorithm>  // max, min
#include <bit>        // bit_floor, countr_zero, has_single_bit
#include <complex>

#include "channelising/arithmetic/between_launches.hpp"
#include "channelising/spec.hpp"                 // has_complex_bank, has_dither, parts_of
#include "tuning/tuning.hpp"                     // for_device, bank_rules
#include "wingbeat/device/complex.hpp"           // complex
#include "wingbeat/device/workgroup/advise.hpp"  // scratch_bytes_of

namespace wingbeat::channelising {
namespace {

using device::channeliser::bank_numbers;

/// Cuts tiles of `rows`, whose threads hold `elements` each and slide over `sliding` spectra.
bank_tiles cut(const bank_numbers& bank, unsigned elements, unsigned rows, unsigned sliding) {
  bank_tiles tiles{.numbers = bank};
  tiles.numbers.elements = elements;
  tiles.numbers.rows = rows;
  tiles.numbers.sliding = sliding;
  tiles.scratch_bytes = scratch_bytes_of(tiles.numbers);
  return tiles;
}

/// Cuts the tiles of a bank for a device.
class tile_cutter {
 public:
  tile_cutter(const bank_numbers& numbers, unsigned heap_rows, const device_info& device)
      : numbers_(numbers),
        heap_rows_(heap_rows),
        device_(device),
        rules_(tuning::for_device(device).banks) {}

  /// Returns tiles for threads with the elements of the rules. For lengths other than powers of
  /// two, takes the next larger even number that divides the length, up to 32, or else the next
  /// smaller; even, because opposite bins meet in pairs.
  [[nodiscard]] bank_tiles plain() const {
    unsigned elements = rules_.elements;
    while (numbers_.length() % elements != 0 && elements < 32) elements += 2;
    while (numbers_.length() % elements != 0) elements -= 2;
    const unsigned sliding = std::min(rules_.max_sliding, heap_rows_);
    bank_tiles tiles = cut(numbers_, elements, wanted_rows(sliding), sliding);
    tiles.resident = 2 * tiles.scratch_bytes <= device_.local_memory_bytes ? 2 : 1;
    return tiles;
  }

  /// Returns the tiles with most subgroups on a GPU, for lengths other than powers of two; nothing
  /// if these are too few. Threads slide over half as many spectra if the workgroup would be too
  /// large: samples are then read 4.75 times, not 2.9 (16 taps).
  [[nodiscard]] std::optional<bank_tiles> mixed() const {
    for (const unsigned sliding : {rules_.max_sliding, rules_.max_sliding / 2}) {
      if (sliding > heap_rows_) continue;
      std::optional<bank_tiles> best;
      unsigned most = rules_.min_subgroups - 1;
      for (unsigned elements = 32; elements >= 8; elements -= 2) {
        if (numbers_.length() % elements != 0 || elements % 13 == 0) continue;  // radix 13 spills
        for (unsigned rows = wanted_rows(sliding); rows >= sliding; rows /= 2) {
          bank_tiles tiles = cut(numbers_, elements, rows, sliding);
          const unsigned n = subgroups_of(tiles);
          if (n <= most) continue;
          best = tiles;
          most = n;
        }
      }
      if (best) return best;
    }
    return std::nullopt;
  }

 private:
  /// Returns the wanted number of rows, a power of two.
  [[nodiscard]] unsigned wanted_rows(unsigned sliding) const {
    const unsigned rows = std::bit_floor(rules_.numbers_of_workgroup / numbers_.length());
    return std::min(std::max(rows, sliding), heap_rows_);
  }

  /// Returns how many subgroups of such workgroups a GPU's multiprocessor holds at once, and sets
  /// `resident`, the number of workgroups.
  unsigned subgroups_of(bank_tiles& tiles) const {
    const unsigned own = (tiles.numbers.threads() + 31) / 32;
    tiles.resident = static_cast<unsigned>(std::min<std::size_t>(
        rules_.max_subgroups / own, device_.local_memory_bytes / tiles.scratch_bytes));
    return own * tiles.resident;
  }

  const bank_numbers& numbers_;
  unsigned heap_rows_;
  const device_info& device_;
  const tuning::bank_rules& rules_;
};

}  // namespace

bank_numbers numbers_of(const channeliser_spec& spec) {
  const auto channels = static_cast<unsigned>(spec.channels);
  const channeliser_sizes sizes = sizes_of(spec);
  const bool is_complex = has_complex_bank(spec);
  const between_launches between = between_launches_of(spec);
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
          .elements = 32,
          .twiddles = device::workgroup::twiddling::apart,
          .halves = between.stored == precision::fp16,
          .bin_exponent = between.bin_exponent};
}

unsigned scratch_bytes_of(const bank_numbers& numbers) {
  const unsigned length = numbers.length();
  const unsigned exchanged =
      device::workgroup::scratch_bytes_of(length, numbers.elements, numbers.rows, sizeof(float),
                                          device::order::natural, device::workgroup::trade::whole);
  return std::max<unsigned>(exchanged, numbers.rows * length * sizeof(std::complex<float>)) +
         numbers.step_bytes();
}

std::optional<bank_tiles> tiles_of(const channeliser_spec& spec, const device_info& device) {
  const tuning::bank_rules& rules = tuning::for_device(device).banks;
  if (has_complex_bank(spec) || spec.channels < rules.min_fused_channels) return std::nullopt;
  bank_numbers numbers = numbers_of(spec);
  numbers.twiddles = rules.twiddles;
  numbers.halves = false;
  numbers.bin_exponent = 0;
  // The most spectra of whole tiles: the largest power of two that divides a heap.
  const unsigned whole = 1U << std::countr_zero(numbers.spectra_per_heap);
  const tile_cutter cutter{numbers, spec.polarisations == 1 ? whole / 2 : whole, device};
  const bank_tiles plain = cutter.plain();
  if (plain.scratch_bytes > device.local_memory_bytes) return std::nullopt;
  if (device.is_gpu && !std::has_single_bit(numbers.length())) {
    if (spec.channels >= rules.min_chained_channels) return std::nullopt;
    return cutter.mixed();
  }
  if (plain.numbers.threads() > device.max_workgroup) return std::nullopt;
  return plain;
}

}  // namespace wingbeat::channelising
