// SPDX-License-Identifier: Apache-2.0
// A polyphase filter bank in one launch, from packed samples to a piece of a heap.
//
// A workgroup makes a tile: each thread filters positions of several windows, so that weights are
// read once for all of them; threads of a row transform it; and the values of all rows are gathered
// by channel, so that pieces of a channel are as long as the tile has spectra.
#pragma once

#include "wingbeat/device/channeliser/filter.hpp"    // tile_filter
#include "wingbeat/device/channeliser/finish.hpp"    // add_dither, count
#include "wingbeat/device/channeliser/quantise.hpp"  // stored, limited
#include "wingbeat/device/complex.hpp"               // complex
#include "wingbeat/device/port.hpp"                  // WINGBEAT_FN, group
#include "wingbeat/device/workgroup/memory.hpp"      // scratch, reuse
#include "wingbeat/device/workgroup/team.hpp"        // team, shape
#include "wingbeat/device/workgroup/two_real.hpp"    // two_real_fft

namespace wingbeat::device::channeliser {

/// The memory of a launch.
struct bank_memory {
  filter_memory filter;
  WINGBEAT_GLOBAL const complex<float>* gains;  ///< [set][polarisation][channel]
  WINGBEAT_GLOBAL const complex<float>* roots;  ///< Of the transform.
  WINGBEAT_GLOBAL char* heaps;                  ///< [heap][channel][spectrum][polarisation]
  WINGBEAT_GLOBAL unsigned* saturated;          ///< [heap][polarisation][counter]
};

template <class Policy, class Group = group>
class bank {
  static constexpr bank_numbers numbers = Policy::numbers();
  static constexpr unsigned length = numbers.length(), n = numbers.channels;
  static constexpr unsigned slide = numbers.sliding;
  static constexpr unsigned units = numbers.units();
  static constexpr unsigned threads = numbers.threads(), e = numbers.elements;
  using shape = workgroup::shape<length, e, numbers.rows>;
  using fft = workgroup::two_real_fft<shape, float, direction::forward, workgroup::memory<>,
                                      order::natural, numbers.twiddles>;
  using team_type = workgroup::team<shape, workgroup::lanes::along_transform, Group>;
  using stores = stored<numbers.output>;
  using unit = typename stores::type;
  using filters = tile_filter<Policy>;
  static constexpr unsigned piece =
      numbers.spectra() * numbers.polarisations;  ///< Values of a channel.
  static constexpr unsigned row_bytes = length * unsigned(sizeof(complex<float>));
  static constexpr unsigned piece_bytes = piece * unsigned(sizeof(unit));
  static_assert(numbers.rows % slide == 0, "threads slide over as many rows each");

 public:
  static constexpr unsigned workgroup_threads = threads;
  static constexpr unsigned scratch_bytes =
      fft::scratch_bytes > numbers.rows* row_bytes ? fft::scratch_bytes : numbers.rows* row_bytes;
  static_assert(n * piece_bytes <= scratch_bytes, "a tile's values fit");

  WINGBEAT_FN bank(const bank_memory& memory, WINGBEAT_LOCAL char* scratch, Group group = {})
      : memory_(memory),
        scratch_(scratch),
        group_(group),
        team_(group),
        first_(group.index() * numbers.spectra()),
        filters_(memory.filter, first_) {}

  WINGBEAT_FN void run() const {
    filter_tile();
    group_.barrier();
    complex<float> x[e];
    const auto row = rows() + team_.transform() * length;
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < e; ++r) x[r] = copied_from(row + team_.thread() + r * fft::stride);
    group_.barrier();
    fft::execute(team_, x, workgroup::scratch<scratch_bytes>{scratch_}, memory_.roots);
    group_.barrier();
    stage(x);
    group_.barrier();
    put_pieces();
  }

 private:
  WINGBEAT_FN WINGBEAT_LOCAL complex<float>* rows() const {
    return reinterpret_cast<WINGBEAT_LOCAL complex<float>*>(scratch_);
  }

  WINGBEAT_FN void filter_tile() const {
    for (unsigned i = group_.thread(); i < units * (numbers.rows / slide); i += threads) {
      filters_.run(i / units * slide, 2 * (i % units),
                   [&](unsigned row, unsigned j, const neighbours& sums) {
                     *reinterpret_cast<WINGBEAT_LOCAL neighbours*>(rows() + row * length + j) =
                         sums;
                   });
    }
  }

  /// exp(2 pi i turns)
  WINGBEAT_FN static complex<float> turned(float turns) {
    return {maths::cosine_of_turns(turns), maths::sine_of_turns(turns)};
  }

  /// Two values that lie side by side.
  struct alignas(2 * sizeof(unit)) unit_pair {
    unit at[2];
  };

  /// Makes values of bins and puts them where the channel's piece is gathered.
  WINGBEAT_FN void stage(complex<float> (&x)[e]) const {
    constexpr unsigned stride = fft::stride;
    const unsigned row = team_.transform();
    if (team_.thread() == 0) x[0].im = x[e / 2].im = 0;  // of half the ADC's rate, left out
    WINGBEAT_UNROLL
    for (unsigned part = 0; part < 2; ++part) turn(x, filters_.entry(row, part), part);
    // Channels half of all apart share random words: a thread makes both, where it has them.
    constexpr unsigned together = e % 4 == 0 ? 2 : 1, count_each = e / 2 / together;
    const size time[2] = {filters_.entry(row, 0).time, filters_.entry(row, 1).time};
    unsigned saturated[2] = {0, 0};
    WINGBEAT_UNROLL
    for (unsigned each = 0; each < count_each; ++each) {
      random_words words[2] = {words_of(time[0], team_.thread() + each * stride)};
      words[1] = words[0];
      if constexpr (numbers.polarisations == 1) {
        words[1] = words_of(time[1], team_.thread() + each * stride);
      }
      WINGBEAT_UNROLL
      for (unsigned h = 0; h < together; ++h) {
        const unsigned r = each + h * count_each, channel = team_.thread() + r * stride;
        complex<float> u[2] = {x[r], x[r + e / 2]};
        WINGBEAT_UNROLL
        for (unsigned part = 0; numbers.dithers && part < 2; ++part) {
          add_dither(u[part], words[part], filters::polarisation(part),
                     together == 2 ? h == 1 : channel >= (n + 1) / 2);
        }
        const unit_pair values{{stores::of(limited<numbers.output>(u[0], saturated[0])),
                                stores::of(limited<numbers.output>(u[1], saturated[1]))}};
        gather(row, channel, values);
      }
    }
    count<Policy, 2>(saturated, memory_.saturated, first_, group_.thread());
  }

  /// Multiplies the bins of a part by what delays them, and by gains.
  WINGBEAT_FN void turn(complex<float> (&x)[e], const WINGBEAT_GLOBAL spectrum_entry& entry,
                        unsigned part) const {
    constexpr unsigned stride = fft::stride;
    complex<float> delay =
        turned(entry.phase_turns + entry.slope_turns * (float(team_.thread()) - float(n) / 2));
    const complex<float> step = turned(entry.slope_turns * float(stride));
    const auto gains = memory_.gains + team_.thread() +
                       (entry.gains * numbers.polarisations + filters::polarisation(part)) * n;
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < e / 2; ++r) {
      complex<float>& z = x[r + part * (e / 2)];
      z = z * (delay * copied_from(gains + r * stride));  // in this order fewer registers are taken
      delay = delay * step;
    }
  }

  WINGBEAT_FN static random_words words_of(size time, unsigned channel) {
    if constexpr (!numbers.dithers) return {};
    return dither_words(time, channel, n, 0, numbers.seed);
  }

  WINGBEAT_FN void gather(unsigned row, unsigned channel, const unit_pair& values) const {
    const auto pieces = reinterpret_cast<WINGBEAT_LOCAL unit*>(scratch_) + channel * piece;
    if constexpr (numbers.polarisations == 2) {
      reinterpret_cast<WINGBEAT_LOCAL unit_pair*>(pieces)[row] = values;
    } else {
      pieces[row] = values.at[0];
      pieces[numbers.rows + row] = values.at[1];
    }
  }

  /// A vector of as many bytes as go at once.
  static constexpr unsigned vector_bytes = piece_bytes < 16 ? piece_bytes : 16;
  struct alignas(vector_bytes) vector {
    unit at[vector_bytes / sizeof(unit)];
  };

  WINGBEAT_FN void put_pieces() const {
    constexpr unsigned vectors = piece_bytes / vector_bytes;
    constexpr size channel_vectors =
        size(numbers.spectra_per_heap) * numbers.polarisations * sizeof(unit) / vector_bytes;
    const size heap = first_ / numbers.spectra_per_heap,
               spectrum = first_ % numbers.spectra_per_heap;
    const auto to = reinterpret_cast<WINGBEAT_GLOBAL vector*>(memory_.heaps) +
                    heap * n * channel_vectors +
                    spectrum * numbers.polarisations * sizeof(unit) / vector_bytes;
    const auto from = reinterpret_cast<const WINGBEAT_LOCAL vector*>(scratch_);
    for (unsigned i = group_.thread(); i < n * vectors; i += threads) {
      to[i / vectors * channel_vectors + i % vectors] = from[i];
    }
  }

  bank_memory memory_;
  WINGBEAT_LOCAL char* scratch_;
  Group group_;
  team_type team_;
  size first_;  ///< Spectrum of the tile.
  filters filters_;
};

}  // namespace wingbeat::device::channeliser
