// SPDX-License-Identifier: Apache-2.0
// From rows of bins to heaps: each bin is turned, weighed, dithered and quantised, and tiles of
// channels and spectra are transposed through local memory.
#pragma once

#include "wingbeat/device/atomic.hpp"                // atomic_add
#include "wingbeat/device/channeliser/filter.hpp"    // bank_numbers, spectrum_entry, counters
#include "wingbeat/device/channeliser/quantise.hpp"  // stored, limited
#include "wingbeat/device/complex.hpp"               // complex
#include "wingbeat/device/dither.hpp"                // dither_of, dither_words
#include "wingbeat/device/port.hpp"                  // WINGBEAT_FN, group

namespace wingbeat::device::channeliser {

/// Adds dither to a value of an even or an odd polarisation: that of its
/// channel's words, or of the words with their halves exchanged.
WINGBEAT_FN void add_dither(complex<float>& u, const random_words& words, unsigned polarisation,
                            bool is_turned) {
  const unsigned re = words.at[2 * polarisation], im = words.at[2 * polarisation + 1];
  u = u + complex<float>{dither_of(is_turned ? half_turned(re) : re),
                         dither_of(is_turned ? half_turned(im) : im)};
}

/// Adds how many values saturate, of each polarisation or of two parts of one, to the heap of a
/// spectrum.
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
  size n_spectra;                                 ///< From one polarisation's to the next's.
};

WINGBEAT_FN constexpr float power_of_two(int exponent) {
  return exponent < 0 ? 1 / float(size{1} << -exponent) : float(size{1} << exponent);
}

/// The tile that a workgroup makes.
struct finish_tile {
  static constexpr unsigned channels = 64, spectra = 16, threads = 256;

  WINGBEAT_FN static constexpr unsigned scratch_bytes(const bank_numbers& numbers) {
    return channels *
           (spectra * numbers.polarisations * unsigned(complex_bytes(numbers.output)) + 16);
  }
};

/// Makes a `finish_tile`, the last of a spectrum with the channels that are left.
template <class Policy, class Group = group>
class finished_rows {
  static constexpr bank_numbers numbers = Policy::numbers();
  using tile = finish_tile;
  static constexpr unsigned n = numbers.channels, pols = numbers.polarisations;
  static constexpr unsigned tiles = (n + tile::channels - 1) / tile::channels;  ///< Of a spectrum.
  /// The middle of the band: of real samples n/2, else the channel that is bin 0.
  static constexpr float middle = numbers.shift == 0 ? float(n) / 2 : float(n / 2);
  using stores = stored<numbers.output>;
  using unit = typename stores::type;
  using real = typename stored_between<numbers.halves>::type;
  static constexpr float bin_scale = power_of_two(-numbers.bin_exponent);
  static constexpr unsigned piece = tile::spectra * pols;  ///< Values of a channel.
  /// A piece and a word of 4 bytes or more: channels in sequence begin in different banks.
  static constexpr unsigned pitch = piece + (sizeof(unit) < 4 ? 4 / unsigned(sizeof(unit)) : 1);

 public:
  WINGBEAT_FN finished_rows(const finish_memory<real>& memory, WINGBEAT_LOCAL char* scratch,
                            Group group = {})
      : memory_(memory),
        tile_(reinterpret_cast<WINGBEAT_LOCAL unit*>(scratch)),
        group_(group),
        channel_(unsigned(group.index() % tiles) * tile::channels),
        spectrum_(group.index() / tiles * tile::spectra) {}

  WINGBEAT_FN void run() const {
    constexpr unsigned rows = tile::threads / tile::channels;  // at once
    const unsigned row = group_.thread() / tile::channels, lane = group_.thread() % tile::channels;
    unsigned saturated[pols] = {};
    WINGBEAT_UNROLL
    for (unsigned i = 0; i < tile::spectra / rows; ++i) finish(row + i * rows, lane, saturated);
    count<Policy, pols>(saturated, memory_.saturated, spectrum_, group_.thread());
    group_.barrier();
    put_pieces();
  }

 private:
  WINGBEAT_FN static bool has(unsigned channel) { return n % tile::channels == 0 || channel < n; }

  WINGBEAT_FN void finish(unsigned s, unsigned lane, unsigned (&saturated)[pols]) const {
    const unsigned channel = channel_ + lane;
    if (!has(channel)) return;
    complex<float> u[pols];
    size time = 0;
    WINGBEAT_UNROLL
    for (unsigned pol = 0; pol < pols; ++pol) {
      const auto entry = memory_.spectra + pol * memory_.n_spectra + spectrum_ + s;
      const float turns = entry->phase_turns + entry->slope_turns * (float(channel) - middle);
      const auto row = memory_.bins + (pol * memory_.n_spectra + spectrum_ + s) * numbers.bins;
      u[pol] = widen(copied_from(row + (channel + numbers.shift) % numbers.bins)) *
               complex<float>{bin_scale * maths::quick_cosine_of_turns(turns),
                              bin_scale * maths::quick_sine_of_turns(turns)} *
               copied_from(memory_.gains + (entry->gains * pols + pol) * n + channel);
      if (pol == 0) time = entry->time;
    }
    if constexpr (numbers.dithers) {
      const random_words words = dither_words(time, channel, n, 0, numbers.seed);
      WINGBEAT_UNROLL
      for (unsigned pol = 0; pol < pols; ++pol)
        add_dither(u[pol], words, pol, channel >= first_turned(n));
    }
    WINGBEAT_UNROLL
    for (unsigned pol = 0; pol < pols; ++pol) {
      tile_[lane * pitch + s * pols + pol] =
          stores::of(limited<numbers.output>(u[pol], saturated[pol]));
    }
  }

  /// As many values as go at once: 4 bytes, or one.
  static constexpr unsigned together = sizeof(unit) < 4 ? 4 / unsigned(sizeof(unit)) : 1;
  struct alignas(together * sizeof(unit)) word {
    unit at[together];
  };

  WINGBEAT_FN void put_pieces() const {
    constexpr unsigned words = piece / together;
    const size heap = spectrum_ / numbers.spectra_per_heap,
               first = spectrum_ % numbers.spectra_per_heap;
    const auto to = reinterpret_cast<WINGBEAT_GLOBAL unit*>(memory_.heaps) +
                    ((heap * n + channel_) * numbers.spectra_per_heap + first) * pols;
    WINGBEAT_UNROLL
    for (unsigned i = 0; i < tile::channels * words / tile::threads; ++i) {
      const unsigned index = group_.thread() + i * tile::threads;
      const unsigned channel = index / words, value = index % words * together;
      if (!has(channel_ + channel)) continue;
      *reinterpret_cast<WINGBEAT_GLOBAL word*>(
          to + size(channel) * numbers.spectra_per_heap * pols + value) =
          *reinterpret_cast<WINGBEAT_LOCAL const word*>(tile_ + channel * pitch + value);
    }
  }

  finish_memory<real> memory_;
  WINGBEAT_LOCAL unit* tile_;
  Group group_;
  unsigned channel_;  ///< The tile's first.
  size spectrum_;     ///< The tile's first.
};

}  // namespace wingbeat::device::channeliser
