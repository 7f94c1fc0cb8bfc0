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
                                      order::natural>;
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
  WINGBEAT_FN void stage(const complex<float> (&x)[e]) const {
    constexpr unsigned stride = fft::stride;
    const unsigned row = team_.transform();
    complex<float> turn[2], step[2];
    WINGBEAT_GLOBAL const complex<float>* gains[2];
    size time[2];
    unsigned saturated[2] = {0, 0};
    WINGBEAT_UNROLL
    for (unsigned part = 0; part < 2; ++part) {
      const auto& entry = filters_.entry(row, part);
      turn[part] =
          turned(entry.phase_turns + entry.slope_turns * (float(team_.thread()) - float(n) / 2));
      step[part] = turned(entry.slope_turns * float(stride));
      gains[part] =
          memory_.gains + (entry.gains * numbers.polarisations + filters::polarisation(part)) * n;
      time[part] = entry.time;
    }
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < e / 2; ++r) {
      const unsigned channel = team_.thread() + r * stride;
      complex<float> u[2];
      WINGBEAT_UNROLL
      for (unsigned part = 0; part < 2; ++part) {
        complex<float> z = x[r + part * (e / 2)];
        if (r == 0 && channel == 0) z.im = 0;  // half the ADC's rate lies there, and is left out
        u[part] = z * turn[part] * copied_from(gains[part] + channel);
        turn[part] = turn[part] * step[part];
      }
      if constexpr (numbers.dithers) dither(u, time, channel);
      const unit_pair values{{stores::of(limited<numbers.output>(u[0], saturated[0])),
                              stores::of(limited<numbers.output>(u[1], saturated[1]))}};
      gather(row, channel, values);
    }
    count<Policy, 2>(saturated, memory_.saturated, first_, group_.thread());
  }

  WINGBEAT_FN static void dither(complex<float> (&u)[2], const size (&time)[2], unsigned channel) {
    if constexpr (numbers.polarisations == 2) {
      add_dither<2>(u, time[0], channel, numbers.seed);
    } else {
      WINGBEAT_UNROLL
      for (unsigned part = 0; part < 2; ++part) {
        complex<float> of_part[1] = {u[part]};
        add_dither<1>(of_part, time[part], channel, numbers.seed);
        u[part] = of_part[0];
      }
    }
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
