// SPDX-License-Identifier: Apache-2.0
// The filters of a bank: a thread sums several spectra, of two streams, at its positions.
//
// A row is a spectrum of both polarisations; or, with one polarisation, two spectra, one in each
// half of a tile. Its numbers are complex, with one part per stream.
#pragma once

#include "wingbeat/device/channeliser/heap_sample.hpp"     // heap_sample
#include "wingbeat/device/channeliser/spectrum_entry.hpp"  // spectrum_entry
#include "wingbeat/device/channeliser/window.hpp"          // window
#include "wingbeat/device/complex.hpp"                     // complex
#include "wingbeat/device/half.hpp"                        // half_float, narrow
#include "wingbeat/device/port.hpp"                        // WINGBEAT_FN
#include "wingbeat/device/workgroup/schedule.hpp"          // twiddling

namespace wingbeat::device::channeliser {

/// Counters per polarisation of a heap, one for each thread of a subgroup: if all values saturate,
/// threads would wait for a single counter.
inline constexpr unsigned counters = 32;

/// Threads of a workgroup that only filters, and spectra that each thread slides over.
inline constexpr unsigned filter_threads = 128, filter_spectra = 16;

/// The compile-time numbers of a bank.
struct bank_numbers {
  unsigned channels, taps, sample_bits;
  unsigned parts;  ///< Numbers of a sample: 2 for complex samples, whose parts alternate.
  unsigned polarisations;
  unsigned spectra_per_heap;
  heap_sample output;
  bool dithers;
  size seed;          ///< The dither's seed.
  unsigned bins;      ///< Complex numbers of a row of bins in memory.
  unsigned shift;     ///< Channel k is bin (k + shift) % bins; 0 for real samples.
  unsigned sliding;   ///< Spectra whose windows a thread slides over.
  unsigned rows;      ///< Per tile, a multiple of `sliding`.
  unsigned elements;  ///< Elements of a row that a thread transforms.
  workgroup::twiddling twiddles;
  bool halves;       ///< Between launches, sums and bins are stored as fp16.
  int bin_exponent;  ///< Between launches, bins are scaled by 2^bin_exponent.

  template <class Visit>
  WINGBEAT_FN constexpr void each(Visit visit) const {
    visit("channels", channels);
    visit("taps", taps);
    visit("sample_bits", sample_bits);
    visit("parts", parts);
    visit("polarisations", polarisations);
    visit("spectra_per_heap", spectra_per_heap);
    visit("output", output);
    visit("dithers", dithers);
    visit("seed", seed);
    visit("bins", bins);
    visit("shift", shift);
    visit("sliding", sliding);
    visit("rows", rows);
    visit("elements", elements);
    visit("twiddles", twiddles);
    visit("halves", halves);
    visit("bin_exponent", bin_exponent);
  }

  /// Numbers of a row, which are also those from one window to the next: 2 N real samples, or N
  /// complex ones.
  WINGBEAT_FN constexpr unsigned length() const { return 2 * channels; }
  WINGBEAT_FN constexpr unsigned threads() const { return rows * length() / elements; }
  /// Units of a row that threads filter: a pair of positions and its mirror pair. If the number of
  /// pairs is odd, the middle one is its own mirror image, and is filtered twice.
  WINGBEAT_FN constexpr unsigned units() const { return (length() + 2) / 4; }
  /// Bytes of the rotations that threads of a tile's rows share, one for each part.
  WINGBEAT_FN constexpr unsigned step_bytes() const {
    return rows * 2 * unsigned(sizeof(complex<float>));
  }
  /// Spectra of a tile.
  WINGBEAT_FN constexpr unsigned spectra() const { return polarisations == 2 ? rows : 2 * rows; }
};

/// The type of stored reals between launches.
template <bool IsHalf>
struct stored_between {
  using type = float;
};
template <>
struct stored_between<true> {
  using type = half_float;
};

/// The sums at two neighbouring positions of a row.
struct alignas(16) neighbours {
  complex<float> sums[2];
};

/// The samples of a launch, and their windows and weights. Spectra are numbered over all heaps.
struct filter_memory {
  WINGBEAT_GLOBAL const unsigned char* samples;
  size plane_bytes;                               ///< From one polarisation to the next.
  WINGBEAT_GLOBAL const spectrum_entry* spectra;  ///< [polarisation][spectrum]
  size n_spectra;                                 ///< Entries of a polarisation.
  WINGBEAT_GLOBAL const float* weights;           ///< See `window`.
};

/// The filters of a tile, of both parts of its rows; or, with one part, of one polarisation.
template <class Policy, unsigned Parts = 2>
class tile_filter {
  static constexpr bank_numbers numbers = Policy::numbers();
  static constexpr unsigned length = numbers.length(), slide = numbers.sliding;
  using filter = window<length, numbers.taps, numbers.sample_bits>;
  using streams = typename filter::template streams<Parts>;

 public:
  /// Filters the tile whose first spectrum is `first`.
  WINGBEAT_FN tile_filter(const filter_memory& memory, size first, unsigned polarisation = 0)
      : memory_(memory), first_(first), polarisation_(polarisation) {}

  /// The polarisation of a part of row r, and its spectrum within the tile.
  WINGBEAT_FN unsigned polarisation(unsigned part) const {
    if (Parts == 1) return polarisation_;
    return numbers.polarisations == 2 ? part : 0;
  }
  WINGBEAT_FN static constexpr unsigned spectrum(unsigned row, unsigned part) {
    return Parts == 1 || numbers.polarisations == 2 ? row : part * numbers.rows + row;
  }
  WINGBEAT_FN const WINGBEAT_GLOBAL spectrum_entry& entry(unsigned row, unsigned part) const {
    return memory_.spectra[polarisation(part) * memory_.n_spectra + first_ + spectrum(row, part)];
  }

  /// Calls put(row, j, sums) for `slide` rows from `first_row` on, at positions j and j + 1 for
  /// even j, and at their two mirror positions; sums are `float[2][Parts]`.
  template <class Put>
  WINGBEAT_FN void run(unsigned first_row, unsigned j, const Put& put) const {
    if (entry(first_row, 0).follow >= slide && entry(first_row, Parts - 1).follow >= slide) {
      rows<slide>(first_row, j, put);
    } else {
      for (unsigned s = 0; s < slide; ++s) rows<1>(first_row + s, j, put);
    }
  }

 private:
  /// Returns the samples of the window of a part of a row, from position j on.
  WINGBEAT_FN packed_pair<numbers.sample_bits> stream(unsigned row, unsigned part,
                                                      unsigned j) const {
    // Not a constant, because the compiler does not know the top bit of an address: NVIDIA's bit
    // operations take one constant, and with a mask there would be two.
    const unsigned offset_bits =
        0x3fc00000u | unsigned(reinterpret_cast<size>(memory_.samples) >> 63);
    return {memory_.samples + polarisation(part) * memory_.plane_bytes,
            entry(row, part).first * numbers.parts + j, offset_bits};
  }
  WINGBEAT_FN streams streams_of(unsigned row, unsigned j) const {
    if constexpr (Parts == 1) {
      return {{stream(row, 0, j)}};
    } else {
      return {{stream(row, 0, j), stream(row, 1, j)}};
    }
  }

  template <unsigned Rows, class Put>
  WINGBEAT_FN void rows(unsigned row, unsigned j, const Put& put) const {
    const unsigned mirrored = length - 2 - j;
    filtered<Rows, Parts> y;
    if constexpr (filter::holds_all) {
      held_weights<filter::held> w;
      w.template read<length>(memory_.weights, 0, j);
      filter::template sums<false>(streams_of(row, j), w, memory_.weights, j, y);
      put_all(row, j, y, put);
      filter::template sums<true>(streams_of(row, mirrored), w, memory_.weights, mirrored, y);
      put_all(row, mirrored, y, put);
    } else {
      filter::sums(streams_of(row, j), memory_.weights, j, y);
      put_all(row, j, y, put);
      filter::sums(streams_of(row, mirrored), memory_.weights, mirrored, y);
      put_all(row, mirrored, y, put);
    }
  }

  template <unsigned Rows, class Put>
  WINGBEAT_FN static void put_all(unsigned row, unsigned j, const filtered<Rows, Parts>& y,
                                  const Put& put) {
    WINGBEAT_UNROLL
    for (unsigned s = 0; s < Rows; ++s) put(row + s, j, y.sums[s]);
  }

  filter_memory memory_;
  size first_;
  unsigned polarisation_;  ///< With one part.
};

/// The memory of filters in a separate launch.
template <class Real>
struct row_memory {
  filter_memory filter;
  WINGBEAT_GLOBAL Real* rows;  ///< [polarisation][spectrum][position]
};

/// Only the filters of a bank, of real or complex samples, for a transform of rows. A thread has
/// one polarisation, so it slides over twice as many spectra and reads samples less often.
template <class Policy, class Group = group>
class row_filter {
  static constexpr bank_numbers numbers = Policy::numbers();
  using filters = tile_filter<Policy, 1>;
  using real = typename stored_between<numbers.halves>::type;

 public:
  WINGBEAT_FN row_filter(const row_memory<real>& memory, WINGBEAT_LOCAL char*, Group group = {})
      : memory_(memory), unit_(group.index() * filter_threads + group.thread()) {}

  /// Callers: every thread; enough workgroups for one thread per unit of each row.
  WINGBEAT_FN void run() const {
    const size tile = unit_ / numbers.units(), first = tile / numbers.polarisations * numbers.rows,
               n_spectra = memory_.filter.n_spectra;
    if (first >= n_spectra) return;
    const auto polarisation = unsigned(tile % numbers.polarisations);
    filters{memory_.filter, first, polarisation}.run(
        0, 2 * unsigned(unit_ % numbers.units()),
        [&](unsigned row, unsigned j, const float(&sums)[2][1]) {
          const auto target = reinterpret_cast<WINGBEAT_GLOBAL complex<real>*>(
              memory_.rows + (polarisation * n_spectra + first + row) * numbers.length() + j);
          copy_to(target, narrow<real>(complex<float>{sums[0][0], sums[1][0]}));
        });
  }

 private:
  row_memory<real> memory_;
  size unit_;  ///< Counted over all rows.
};

}  // namespace wingbeat::device::channeliser
