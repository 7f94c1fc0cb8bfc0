// SPDX-License-Identifier: Apache-2.0
// From rows of bins to heaps: each bin is rotated, weighted, dithered and quantised, and tiles of
// channels and spectra are transposed through local memory.
#pragma once

#include "wingbeat/device/atomic.hpp"                // atomic_add
#include "wingbeat/device/channeliser/filter.hpp"    // bank_numbers, spectrum_entry, counters
#include "wingbeat/device/channeliser/quantise.hpp"  // stored, limited, any_saturates
#include "wingbeat/device/complex.hpp"               // complex
#include "wingbeat/device/dither.hpp"                // above_one, dither_words, first_turned
#include "wingbeat/device/port.hpp"                  // WINGBEAT_FN, group

namespace wingbeat::device::channeliser {

/// Adds the numbers of saturated values, one per part, to the counters of a spectrum's heap. Parts
/// are the polarisations, or two parts of a single one.
template <class Policy, unsigned Parts>
WINGBEAT_FN void count(const unsigned (&saturated)[Parts], WINGBEAT_GLOBAL unsigned* heaps,
                       size spectrum, unsigned thread) {
  constexpr bank_numbers numbers = Policy::numbers();
  const auto of_heap = heaps +
                       spectrum / numbers.spectra_per_heap * numbers.polarisations * counters +
                       thread % counters;
  WINGBEAT_UNROLL
  for (unsigned part = 0; part < Parts; ++part) {
    const unsigned polarisation = numbers.polarisations == 2 ? part : 0;
    if (saturated[part] > 0) atomic_add(of_heap + polarisation * counters, saturated[part]);
  }
}

/// The memory of a launch. Spectra are numbered over its heaps.
template <class Real>
struct finish_memory {
  WINGBEAT_GLOBAL const complex<Real>* bins;      ///< [polarisation][spectrum][bin]
  WINGBEAT_GLOBAL const spectrum_entry* spectra;  ///< [polarisation][spectrum]
  WINGBEAT_GLOBAL const complex<float>* gains;    ///< [set][polarisation][channel]
  WINGBEAT_GLOBAL char* heaps;                    ///< [heap][channel][spectrum][polarisation]
  WINGBEAT_GLOBAL unsigned* saturated;            ///< [heap][polarisation][counter]
  size n_spectra;                                 ///< From one polarisation to the next.
};

WINGBEAT_FN constexpr float power_of_two(int exponent) {
  return exponent < 0 ? 1 / float(size{1} << -exponent) : float(size{1} << exponent);
}

/// The tile of a workgroup: consecutive channels, and those half of all further on, whose dither
/// has the same random words.
struct finish_tile {
  static constexpr unsigned channels = 64, spectra = 16, threads = 256, together = channels / 2;

  WINGBEAT_FN static constexpr unsigned scratch_bytes(const bank_numbers& numbers) {
    return channels *
           (spectra * numbers.polarisations * unsigned(complex_bytes(numbers.output)) + 16);
  }
  /// Returns the distance of channels that share random words.
  WINGBEAT_FN static constexpr unsigned apart(const bank_numbers& numbers) {
    return first_turned(numbers.channels);
  }
  /// Returns the number of tiles of a spectrum.
  WINGBEAT_FN static constexpr unsigned tiles(const bank_numbers& numbers) {
    return (apart(numbers) + together - 1) / together;
  }
};

/// Computes a `finish_tile`; the last tile of a spectrum has the remaining channels.
template <class Policy, class Group = group>
class finished_rows {
  static constexpr bank_numbers numbers = Policy::numbers();
  using tile = finish_tile;
  static constexpr unsigned n = numbers.channels, pols = numbers.polarisations;
  static constexpr unsigned tiles = tile::tiles(numbers), apart = tile::apart(numbers);
  /// The middle of the band: n/2 for real samples, otherwise the channel of bin 0.
  static constexpr float middle = numbers.shift == 0 ? float(n) / 2 : float(n / 2);
  using stores = stored<numbers.output>;
  using unit = typename stores::type;
  using real = typename stored_between<numbers.halves>::type;
  static constexpr float bin_scale = power_of_two(-numbers.bin_exponent);
  static constexpr unsigned piece = tile::spectra * pols;  ///< Values per channel.
  /// A piece plus at least 4 bytes, so that consecutive channels begin in different banks.
  static constexpr unsigned pitch = piece + (sizeof(unit) < 4 ? 4 / unsigned(sizeof(unit)) : 1);

 public:
  WINGBEAT_FN finished_rows(const finish_memory<real>& memory, WINGBEAT_LOCAL char* scratch,
                            Group group = {})
      : memory_(memory),
        tile_(reinterpret_cast<WINGBEAT_LOCAL unit*>(scratch)),
        group_(group),
        channel_(unsigned(group.index() % tiles) * tile::together),
        spectrum_(group.index() / tiles * tile::spectra) {}

  WINGBEAT_FN void run() const {
    constexpr unsigned rows = tile::threads / tile::together;  // at once
    const unsigned row = group_.thread() / tile::together, lane = group_.thread() % tile::together;
    unsigned saturated[pols] = {};
    WINGBEAT_UNROLL
    for (unsigned i = 0; i < tile::spectra / rows; ++i) finish(row + i * rows, lane, saturated);
    count<Policy, pols>(saturated, memory_.saturated, spectrum_, group_.thread());
    group_.barrier();
    put_pieces();
  }

 private:
  /// Returns whether the tile has channel `lane` of a side. Channels in range lie a 64-bit constant
  /// apart, which compilers fold.
  WINGBEAT_FN bool has(unsigned lane, unsigned side) const {
    if (n % tile::channels == 0) return true;
    return channel_ + lane < (side == 0 ? apart : n - apart);
  }

  WINGBEAT_FN void finish(unsigned s, unsigned lane, unsigned (&saturated)[pols]) const {
    constexpr unsigned count_each = 2 * pols;
    if (!has(lane, 0)) return;
    const size channel = channel_ + lane;
    complex<float> u[count_each] = {};
    size time = 0;
    WINGBEAT_UNROLL
    for (unsigned pol = 0; pol < pols; ++pol) {
      const spectrum_entry entry = memory_.spectra[pol * memory_.n_spectra + spectrum_ + s];
      const auto row = memory_.bins + (pol * memory_.n_spectra + spectrum_ + s) * numbers.bins;
      const auto gains = memory_.gains + (entry.gains * pols + pol) * n;
      WINGBEAT_UNROLL
      for (unsigned side = 0; side < 2; ++side) {
        if (has(lane, side)) {
          u[2 * pol + side] = turned(entry, row, gains, channel + side * size{apart});
        }
      }
      if (pol == 0) time = entry.time;
    }
    if constexpr (numbers.dithers)
      dither(u, dither_words(time, unsigned(channel), n, 0, numbers.seed));
    if (any_saturates<numbers.output, count_each>(u)) {
      WINGBEAT_UNROLL
      for (unsigned i = 0; i < count_each; ++i)
        u[i] = limited<numbers.output>(u[i], saturated[i / 2]);
    }
    WINGBEAT_UNROLL
    for (unsigned side = 0; side < 2; ++side) {
      WINGBEAT_UNROLL
      for (unsigned pol = 0; pol < pols; ++pol) {
        tile_[(lane + side * tile::together) * pitch + s * pols + pol] =
            stores::of(u[2 * pol + side]);
      }
    }
  }

  /// Returns a bin multiplied by its delay and gain. The same operations subtract 1.5 from real and
  /// imaginary parts if dither, a number from 1 to 2, is added later.
  template <class Row, class Gains>
  WINGBEAT_FN static complex<float> turned(const spectrum_entry& entry, Row row, Gains gains,
                                           size channel) {
    constexpr float offset = numbers.dithers ? -1.5f : 0.0f;
    const float turns = entry.phase_turns + entry.slope_turns * (float(unsigned(channel)) - middle);
    const size bin = numbers.shift == 0 ? channel : (channel + numbers.shift) % numbers.bins;
    const complex<float> z = widen(copied_from(row + bin)) *
                             complex<float>{bin_scale * maths::quick_cosine_of_turns(turns),
                                            bin_scale * maths::quick_sine_of_turns(turns)};
    const complex<float> gain = copied_from(gains + channel);
    return {z.re * gain.re + (offset - z.im * gain.im), z.re * gain.im + (offset + z.im * gain.re)};
  }

  /// Adds dither, from 1 to 2, to a channel and to the channel that shares its words.
  WINGBEAT_FN static void dither(complex<float> (&u)[2 * pols], const random_words& words) {
    WINGBEAT_UNROLL
    for (unsigned i = 0; i < 2 * pols; ++i) {
      const unsigned re = words.word[i / 2 * 2], im = words.word[i / 2 * 2 + 1];
      u[i] = u[i] + complex<float>{above_one(i % 2 == 0 ? re : half_turned(re)),
                                   above_one(i % 2 == 0 ? im : half_turned(im))};
    }
  }

  /// The values that move at once: 4 bytes, or one value.
  static constexpr unsigned together = sizeof(unit) < 4 ? 4 / unsigned(sizeof(unit)) : 1;
  struct alignas(together * sizeof(unit)) word {
    unit values[together];
  };

  WINGBEAT_FN void put_pieces() const {
    constexpr unsigned words = piece / together;
    const size heap = spectrum_ / numbers.spectra_per_heap,
               first = spectrum_ % numbers.spectra_per_heap;
    const auto heap_values = reinterpret_cast<WINGBEAT_GLOBAL unit*>(memory_.heaps) +
                             (heap * n * numbers.spectra_per_heap + first) * pols;
    WINGBEAT_UNROLL
    for (unsigned i = 0; i < tile::channels * words / tile::threads; ++i) {
      const unsigned index = group_.thread() + i * tile::threads;
      const unsigned place = index / words, value = index % words * together;
      const unsigned side = place / tile::together, lane = place % tile::together;
      if (!has(lane, side)) continue;
      const size channel = channel_ + lane + side * size{apart};
      *reinterpret_cast<WINGBEAT_GLOBAL word*>(heap_values +
                                               channel * numbers.spectra_per_heap * pols + value) =
          *reinterpret_cast<WINGBEAT_LOCAL const word*>(tile_ + place * pitch + value);
    }
  }

  finish_memory<real> memory_;
  WINGBEAT_LOCAL unit* tile_;
  Group group_;
  unsigned channel_;  ///< First of the tile.
  size spectrum_;     ///< First of the tile.
};

}  // namespace wingbeat::device::channeliser
