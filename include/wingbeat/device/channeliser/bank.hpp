// SPDX-License-Identifier: Apache-2.0
// A polyphase filter bank in one launch, from packed samples to pieces of a heap.
//
// A workgroup computes a tile: each thread filters positions of several windows, so that weights
// are read once for all of them; the threads of a row transform it; and the values of all rows are
// gathered by channel, so that a channel's piece has all spectra of the tile.
#pragma once

#include "wingbeat/device/channeliser/filter.hpp"       // tile_filter
#include "wingbeat/device/channeliser/finish.hpp"       // count
#include "wingbeat/device/channeliser/quantise.hpp"     // stored, limited, any_saturates
#include "wingbeat/device/channeliser/tile_values.hpp"  // tile_values
#include "wingbeat/device/complex.hpp"                  // complex
#include "wingbeat/device/dither.hpp"                   // above_one, dither_words
#include "wingbeat/device/index.hpp"                    // maximum
#include "wingbeat/device/port.hpp"                     // WINGBEAT_FN, group
#include "wingbeat/device/workgroup/fft.hpp"            // fft
#include "wingbeat/device/workgroup/memory.hpp"         // scratch, reuse
#include "wingbeat/device/workgroup/opposite.hpp"       // opposite_trade
#include "wingbeat/device/workgroup/team.hpp"           // team, shape

namespace wingbeat::device::channeliser {

/// The memory of a launch.
struct bank_memory {
  filter_memory filter;
  WINGBEAT_GLOBAL const complex<float>* gains;  ///< [set][polarisation][channel]
  WINGBEAT_GLOBAL const complex<float>* roots;  ///< Roots of the transform.
  WINGBEAT_GLOBAL char* heaps;                  ///< [heap][channel][spectrum][polarisation]
  WINGBEAT_GLOBAL unsigned* saturated;          ///< [heap][polarisation][counter]
};

/// exp(2 pi i turns)
WINGBEAT_FN complex<float> rotation(float turns) {
  return {maths::cosine_of_turns(turns), maths::sine_of_turns(turns)};
}
/// Same, with errors up to 1e-6.
WINGBEAT_FN complex<float> quick_rotation(float turns) {
  return {maths::quick_cosine_of_turns(turns), maths::quick_sine_of_turns(turns)};
}

template <class Policy, class Group = group>
class bank {
  static constexpr bank_numbers numbers = Policy::numbers();
  static constexpr unsigned length = numbers.length(), n = numbers.channels;
  static constexpr unsigned slide = numbers.sliding;
  static constexpr unsigned units = numbers.units();
  static constexpr unsigned threads = numbers.threads(), e = numbers.elements;
  using shape = workgroup::shape<length, e, numbers.rows>;
  using fft = workgroup::fft<shape, float, direction::forward, order::natural, workgroup::memory<>,
                             numbers.twiddles>;
  using opposites = workgroup::opposite_trade<fft, workgroup::memory<>>;
  static constexpr unsigned stride = shape::threads;
  using team_type = workgroup::team<shape, workgroup::lanes::along_transform, Group>;
  using stores = stored<numbers.output>;
  using filters = tile_filter<Policy>;
  static constexpr unsigned row_bytes = length * unsigned(sizeof(complex<float>));
  static_assert(numbers.rows % slide == 0, "threads slide over as many rows each");

 public:
  static constexpr unsigned workgroup_threads = threads;
  /// Memory of numbers and values, then one rotation for each part of a row.
  static constexpr unsigned tile_bytes = maximum(opposites::scratch_bytes, numbers.rows* row_bytes);
  static constexpr unsigned scratch_bytes = tile_bytes + numbers.step_bytes();
  static_assert(n * tile_values<Policy>::piece_bytes <= tile_bytes, "a tile's values fit");

  WINGBEAT_FN bank(const bank_memory& memory, WINGBEAT_LOCAL char* scratch, Group group = {})
      : memory_(memory),
        scratch_(scratch),
        group_(group),
        team_(group),
        first_(group.index() * numbers.spectra()),
        filters_(memory.filter, first_) {}

  WINGBEAT_FN void run() const {
    put_steps();
    filter_tile();
    group_.barrier();
    complex<float> x[e];
    const auto row = rows() + team_.transform() * length;
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < e; ++r) x[r] = copied_from(row + team_.thread() + r * stride);
    group_.barrier();
    transform(x);
    WINGBEAT_UNROLL
    for (unsigned part = 0; part < 2; ++part)
      turn(x, filters_.entry(team_.transform(), part), part);
    if constexpr (numbers.dithers) dither(x);
    group_.barrier();
    if (any_saturates<numbers.output, e>(x)) {
      gather<true>(x);
    } else {
      gather<false>(x);
    }
    group_.barrier();
    values().store(memory_.heaps, first_, group_.thread());
  }

 private:
  WINGBEAT_FN WINGBEAT_LOCAL complex<float>* rows() const {
    return reinterpret_cast<WINGBEAT_LOCAL complex<float>*>(scratch_);
  }

  WINGBEAT_FN tile_values<Policy> values() const { return tile_values<Policy>{scratch_}; }

  /// Returns the rotations of bins from a channel of a thread to its next, `stride` further on;
  /// they are the same for all threads of a row.  [row][part]
  WINGBEAT_FN WINGBEAT_LOCAL complex<float>* steps() const {
    return reinterpret_cast<WINGBEAT_LOCAL complex<float>*>(scratch_ + tile_bytes);
  }
  WINGBEAT_FN void put_steps() const {
    const unsigned i = group_.thread();
    if (i >= 2 * numbers.rows) return;
    const auto& entry = filters_.entry(i / 2, i % 2);
    copy_to(steps() + i, rotation(entry.slope_turns * float(stride)));
  }

  WINGBEAT_FN void filter_tile() const {
    for (unsigned i = group_.thread(); i < units * (numbers.rows / slide); i += threads) {
      filters_.run(i / units * slide, 2 * (i % units),
                   [&](unsigned row, unsigned j, const float(&sums)[2][2]) {
                     *reinterpret_cast<WINGBEAT_LOCAL neighbours*>(rows() + row * length + j) = {
                         {{sums[0][0], sums[0][1]}, {sums[1][0], sums[1][1]}}};
                   });
    }
  }

  /// Transforms sums, which are halved, into bins of both streams: x[r] and x[r + e/2].
  WINGBEAT_FN void transform(complex<float> (&x)[e]) const {
    const workgroup::scratch<tile_bytes> lent{scratch_};
    complex<float> other[e / 2];
    opposites::transform_and_free(team_, x, lent, memory_.roots);
    opposites::gather_partners(team_, x, other, lent);
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < e / 2; ++r) {
      const complex<float> z = x[r], opposite = conj(other[r]);
      x[r] = z + opposite;
      x[r + e / 2] = {z.im - opposite.im, opposite.re - z.re};
      if (r == 0 && team_.thread() == 0) {  // omits the bin of half the ADC's rate
        x[0] = {2 * z.re, 0};
        x[e / 2] = {2 * z.im, 0};
      }
    }
  }

  /// Multiplies the bins of a part by their delay and gains. The same operations subtract 1.5 from
  /// real and imaginary parts if dither, a number from 1 to 2, is added later.
  WINGBEAT_FN void turn(complex<float> (&x)[e], const WINGBEAT_GLOBAL spectrum_entry& entry,
                        unsigned part) const {
    constexpr float offset = numbers.dithers ? -1.5f : 0.0f;
    complex<float> delay = quick_rotation(
        entry.phase_turns + entry.slope_turns * (float(team_.thread()) - float(n) / 2));
    const complex<float> step = copied_from(steps() + team_.transform() * 2 + part);
    const auto gains = memory_.gains + team_.thread() +
                       (entry.gains * numbers.polarisations + filters_.polarisation(part)) * n;
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < e / 2; ++r) {
      complex<float>& z = x[r + part * (e / 2)];
      // This order takes fewer registers.
      const complex<float> factor = delay * copied_from(gains + r * stride);
      z = {z.re * factor.re + (offset - z.im * factor.im),
           z.re * factor.im + (offset + z.im * factor.re)};
      delay = delay * step;
    }
  }

  /// Adds dither, from 1 to 2. Channels k and k + half of all share random words; if a thread has
  /// both, it computes them together.
  WINGBEAT_FN void dither(complex<float> (&x)[e]) const {
    constexpr unsigned together = e % 4 == 0 ? 2 : 1, count_each = e / 2 / together;
    const unsigned row = team_.transform();
    const size time[2] = {filters_.entry(row, 0).time, filters_.entry(row, 1).time};
    WINGBEAT_UNROLL
    for (unsigned each = 0; each < count_each; ++each) {
      const unsigned channel = team_.thread() + each * stride;
      random_words words[2] = {dither_words(time[0], channel, n, 0, numbers.seed)};
      words[1] = words[0];
      if constexpr (numbers.polarisations == 1) {
        words[1] = dither_words(time[1], channel, n, 0, numbers.seed);
      }
      WINGBEAT_UNROLL
      for (unsigned i = 0; i < 2 * together; ++i) {
        const unsigned part = i / together, side = i % together;
        const unsigned word = 2 * filters_.polarisation(part);
        const bool is_turned = together == 2 ? side == 1 : channel >= first_turned(n);
        const auto fraction_of = [&](unsigned bits) {
          return above_one(is_turned ? half_turned(bits) : bits);
        };
        complex<float>& u = x[each + side * count_each + part * (e / 2)];
        u = u + complex<float>{fraction_of(words[part].word[word]),
                               fraction_of(words[part].word[word + 1])};
      }
    }
  }

  /// Puts values into the pieces of their channels. `Limits`: limits them first, and counts the
  /// changed values.
  template <bool Limits>
  WINGBEAT_FN void gather(const complex<float> (&x)[e]) const {
    const unsigned row = team_.transform();
    unsigned saturated[2] = {0, 0};
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < e / 2; ++r) {
      complex<float> u[2] = {x[r], x[r + e / 2]};
      WINGBEAT_UNROLL
      for (unsigned part = 0; Limits && part < 2; ++part)
        u[part] = limited<numbers.output>(u[part], saturated[part]);
      values().put(team_.thread() + r * stride, row, stores::of(u[0]), stores::of(u[1]));
    }
    if constexpr (Limits) count<Policy, 2>(saturated, memory_.saturated, first_, group_.thread());
  }

  bank_memory memory_;
  WINGBEAT_LOCAL char* scratch_;
  Group group_;
  team_type team_;
  size first_;  ///< Spectrum of the tile.
  filters filters_;
};

}  // namespace wingbeat::device::channeliser
