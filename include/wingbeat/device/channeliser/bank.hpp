// SPDX-License-Identifier: Apache-2.0
// A polyphase filter bank in one launch, from packed samples to a piece of a heap.
//
// Rows of a tile are complex numbers of which the parts belong to two streams: the polarisations
// of one spectrum, or, where there is one, spectra of the tile's first and second half. A cluster
// makes a tile of S rows of length L = 2 channels: each of its C workgroups filters 1/C of the
// positions of all S windows, so that weights are read once for S spectra, and hands the sums to
// the workgroups that transform them, S/C rows each. What is stored is gathered again, 1/C of the
// channels of all spectra, so that pieces of a channel are as long as the tile.
#pragma once

#include "wingbeat/device/atomic.hpp"                // atomic_add
#include "wingbeat/device/channeliser/filter.hpp"    // tile_filter
#include "wingbeat/device/channeliser/quantise.hpp"  // stored, limited
#include "wingbeat/device/complex.hpp"               // complex
#include "wingbeat/device/dither.hpp"                // philox, dither_of
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
  WINGBEAT_GLOBAL unsigned* saturated;          ///< [heap][polarisation]
};

template <class Policy, class Group = group>
class bank {
  static constexpr bank_numbers as = Policy::numbers();
  static constexpr unsigned length = as.length(), n = as.channels;
  static constexpr unsigned own = as.own_rows(), slide = as.sliding;
  static constexpr unsigned units =
      length / 4 / as.workgroups;  ///< Positions in fours, of a group.
  static constexpr unsigned threads = as.threads(), e = as.elements();
  using shape = workgroup::shape<length, e, own>;
  using fft = workgroup::two_real_fft<shape, float, direction::forward, workgroup::memory<>,
                                      order::natural>;
  using team_type = workgroup::team<shape, workgroup::lanes::along_transform, Group>;
  using stores = stored<as.output>;
  using unit = typename stores::type;
  using filters = tile_filter<Policy>;
  static constexpr unsigned piece = as.spectra() * as.polarisations;  ///< Values of a channel.
  static constexpr unsigned row_bytes = length * unsigned(sizeof(complex<float>));
  static constexpr unsigned piece_bytes = piece * unsigned(sizeof(unit));
  static_assert(as.rows % slide == 0, "threads slide over as many rows each");
  static_assert(as.workgroups == 1 || as.rows == slide, "clusters slide over all rows of a tile");

 public:
  static constexpr unsigned workgroup_threads = threads;
  static constexpr unsigned scratch_bytes =
      fft::scratch_bytes > own* row_bytes ? fft::scratch_bytes : own* row_bytes;
  static_assert(n / as.workgroups * piece_bytes <= scratch_bytes, "a tile's values fit");

  WINGBEAT_FN bank(const bank_memory& memory, WINGBEAT_LOCAL char* scratch)
      : memory_(memory),
        scratch_(scratch),
        team_(Group{}),
        first_(Group::index() / as.workgroups * as.spectra()),
        rank_(unsigned(Group::index() % as.workgroups)),
        filters_(memory.filter, first_) {}

  WINGBEAT_FN void run() const {
    filter_tile();
    meet();
    complex<float> x[e];
    const auto row = rows() + team_.transform() * length;
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < e; ++r) x[r] = copied_from(row + team_.thread() + r * fft::stride);
    group_.barrier();
    fft::execute(team_, x, workgroup::scratch<scratch_bytes>{scratch_}, memory_.roots);
    meet();
    stage(x);
    meet();
    put_pieces();
  }

 private:
  WINGBEAT_FN WINGBEAT_LOCAL complex<float>* rows() const {
    return reinterpret_cast<WINGBEAT_LOCAL complex<float>*>(scratch_);
  }

  WINGBEAT_FN void filter_tile() const {
    for (unsigned i = group_.thread(); i < units * (as.rows / slide); i += threads) {
      filters_.run(i / units * slide, 2 * (i % units + rank_ * units),
                   [&](unsigned row, unsigned j, const neighbours& sums) {
                     const auto to = rows() + row % own * length + j;
                     hand_to(row / own, reinterpret_cast<WINGBEAT_LOCAL neighbours*>(to), sums);
                   });
    }
  }

  /// Sets *to of a workgroup of the cluster.
  template <class T>
  WINGBEAT_FN void hand_to(unsigned rank, WINGBEAT_LOCAL T* to, T value) const {
    if constexpr (as.workgroups == 1) {
      *to = value;
    } else {
      group_.put(group_.of_peer(to, rank), value);
    }
  }

  /// Makes what workgroups of the cluster have handed over visible.
  WINGBEAT_FN void meet() const {
    if constexpr (as.workgroups == 1) {
      group_.barrier();
    } else {
      group_.cluster_arrive();
      group_.cluster_wait();
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
    const unsigned row = team_.transform() + rank_ * own;
    complex<float> turn[2], step[2];
    WINGBEAT_GLOBAL const complex<float>* gains[2];
    size time[2];
    unsigned saturated[2] = {0, 0};
    WINGBEAT_UNROLL
    for (unsigned part = 0; part < 2; ++part) {
      const auto& of = filters_.entry(row, part);
      turn[part] = turned(of.phase + of.slope * (float(team_.thread()) - float(n / 2)));
      step[part] = turned(of.slope * float(stride));
      gains[part] = memory_.gains + (of.gains * as.polarisations + filters::polarisation(part)) * n;
      time[part] = of.time;
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
      if constexpr (as.dithers) add_dither(u, time, channel);
      const unit_pair values{{stores::of(limited<as.output>(u[0], saturated[0])),
                              stores::of(limited<as.output>(u[1], saturated[1]))}};
      gather(row, channel, values);
    }
    count(saturated);
  }

  WINGBEAT_FN static void add_dither(complex<float> (&u)[2], const size (&time)[2],
                                     unsigned channel) {
    const auto words_at = [&](size t) {
      return philox<dither_rounds>({{unsigned(t), unsigned(t >> 32), channel, 0u}}, Policy::seed());
    };
    const random_words words = words_at(time[0]);
    u[0] = u[0] + complex<float>{dither_of(words.at[0]), dither_of(words.at[1])};
    if constexpr (as.polarisations == 2) {
      u[1] = u[1] + complex<float>{dither_of(words.at[2]), dither_of(words.at[3])};
    } else {
      const random_words others = words_at(time[1]);
      u[1] = u[1] + complex<float>{dither_of(others.at[0]), dither_of(others.at[1])};
    }
  }

  WINGBEAT_FN void gather(unsigned row, unsigned channel, const unit_pair& values) const {
    constexpr unsigned each = n / as.workgroups;
    const auto pieces = reinterpret_cast<WINGBEAT_LOCAL unit*>(scratch_) + channel % each * piece;
    if constexpr (as.polarisations == 2) {
      hand_to(channel / each, reinterpret_cast<WINGBEAT_LOCAL unit_pair*>(pieces) + row, values);
    } else {
      hand_to(channel / each, pieces + row, values.at[0]);
      hand_to(channel / each, pieces + as.rows + row, values.at[1]);
    }
  }

  WINGBEAT_FN void count(const unsigned (&saturated)[2]) const {
    const auto of_heap = memory_.saturated + first_ / as.spectra_per_heap * as.polarisations;
    WINGBEAT_UNROLL
    for (unsigned part = 0; part < 2; ++part) {
      if (saturated[part] > 0) atomic_add(of_heap + filters::polarisation(part), saturated[part]);
    }
  }

  /// A vector of as many bytes as go at once.
  static constexpr unsigned vector_bytes = piece_bytes < 16 ? piece_bytes : 16;
  struct alignas(vector_bytes) vector {
    unit at[vector_bytes / sizeof(unit)];
  };

  WINGBEAT_FN void put_pieces() const {
    constexpr unsigned vectors = piece_bytes / vector_bytes, each = n / as.workgroups;
    constexpr size channel_vectors =
        size(as.spectra_per_heap) * as.polarisations * sizeof(unit) / vector_bytes;
    const size heap = first_ / as.spectra_per_heap, spectrum = first_ % as.spectra_per_heap;
    const auto to = reinterpret_cast<WINGBEAT_GLOBAL vector*>(memory_.heaps) +
                    (heap * n + rank_ * each) * channel_vectors +
                    spectrum * as.polarisations * sizeof(unit) / vector_bytes;
    const auto from = reinterpret_cast<const WINGBEAT_LOCAL vector*>(scratch_);
    for (unsigned i = group_.thread(); i < each * vectors; i += threads) {
      to[i / vectors * channel_vectors + i % vectors] = from[i];
    }
  }

  bank_memory memory_;
  WINGBEAT_LOCAL char* scratch_;
  Group group_;
  team_type team_;
  size first_;     ///< Spectrum of the tile.
  unsigned rank_;  ///< Of this workgroup in its cluster.
  filters filters_;
};

}  // namespace wingbeat::device::channeliser
