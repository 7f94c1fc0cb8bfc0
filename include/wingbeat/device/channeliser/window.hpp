// SPDX-License-Identifier: Apache-2.0
// The sums of a polyphase filter bank, y[s][j] = sum over m of x[s][m L + j] w[m L + j], where the
// window x[s] begins L samples behind x[s - 1]: one thread computes two positions j of several
// spectra s, of one or two streams. It reads each sample once for all spectra, and each weight once
// for all sums.
#pragma once

#include "wingbeat/device/channeliser/packed.hpp"  // packed_pair
#include "wingbeat/device/complex.hpp"             // complex
#include "wingbeat/device/index.hpp"               // minimum
#include "wingbeat/device/port.hpp"                // WINGBEAT_FN, WINGBEAT_GLOBAL

namespace wingbeat::device::channeliser {

/// Weights of `Taps` taps at positions j and j + 1 that a thread holds.
template <unsigned Taps>
struct held_weights {
  float taps[Taps][2];

  /// Reads taps from `first_tap` on: w[m Length + j].
  template <unsigned Length>
  WINGBEAT_FN void read(WINGBEAT_GLOBAL const float* weights, unsigned first_tap, unsigned j) {
    WINGBEAT_UNROLL
    for (unsigned m = 0; m < Taps; ++m) {
      const complex<float> pair =
          copied_from(reinterpret_cast<WINGBEAT_GLOBAL const complex<float>*>(
              weights + (first_tap + m) * Length + j));
      taps[m][0] = pair.re;
      taps[m][1] = pair.im;
    }
  }

  /// Returns the weight of tap m at position j + i; or, because a window is symmetric, at the
  /// consecutive positions that mirror j and j + 1.
  template <bool IsMirrored>
  WINGBEAT_FN float weight(unsigned m, unsigned i) const {
    return IsMirrored ? taps[Taps - 1 - m][1 - i] : taps[m][i];
  }
};

/// Streams of samples of `Bits`.
template <unsigned Bits, unsigned Parts>
struct packed_streams {
  packed_pair<Bits> parts[Parts];
};

/// Sums at two consecutive positions of several spectra, for each stream.
template <unsigned Spectra, unsigned Parts>
struct filtered {
  float sums[Spectra][2][Parts];
};

/// Adds Taps taps to the sums y.sums[s][i] of positions j + i and Spectra spectra. Reading begins
/// `first_row` rows of Length behind `samples`.
template <unsigned Length, unsigned Taps, bool IsMirrored, unsigned Spectra, unsigned Bits,
          unsigned Parts>
WINGBEAT_FN void add_taps(const packed_streams<Bits, Parts>& samples, unsigned first_row,
                          const held_weights<Taps>& w, filtered<Spectra, Parts>& y) {
  /// Rows of whole words all begin at the same bit of a word.
  constexpr bool has_whole_words = Length * Bits % 32 == 0;
  constexpr unsigned row_words = Length * Bits / 32;
  WINGBEAT_UNROLL
  for (unsigned row = 0; row < Spectra + Taps - 1; ++row) {
    float x[Parts][2];
    WINGBEAT_UNROLL
    for (unsigned part = 0; part < Parts; ++part) {
      if constexpr (has_whole_words) {
        samples.parts[part].read((first_row + row) * row_words, x[part][0], x[part][1]);
      } else {
        samples.parts[part].further((first_row + row) * Length).read(0, x[part][0], x[part][1]);
      }
    }
    WINGBEAT_UNROLL
    for (unsigned s = 0; s < Spectra; ++s) {
      if (s > row || row - s >= Taps) continue;
      WINGBEAT_UNROLL
      for (unsigned i = 0; i < 2; ++i) {
        const float weight = w.template weight<IsMirrored>(row - s, i);
        WINGBEAT_UNROLL
        for (unsigned part = 0; part < Parts; ++part) y.sums[s][i][part] += weight * x[part][i];
      }
    }
  }
}

/// The sums of `Taps` taps at two positions and at the two that mirror them.
template <unsigned Length, unsigned Taps, unsigned Bits>
struct window {
  static_assert(Length % 2 == 0, "positions are filtered in pairs");
  static constexpr unsigned max_held = 16;
  static constexpr bool holds_all = Taps <= max_held;
  static constexpr unsigned held = holds_all ? Taps : max_held;
  template <unsigned Parts>
  using streams = packed_streams<Bits, Parts>;

  /// Sets y.sums[s][i] to the sums at positions j and j + 1. `weights`: w scaled by 2^Bits, and a
  /// row behind them, -`packed_offset` times the sum of the weights of each position.
  template <unsigned Spectra, unsigned Parts>
  WINGBEAT_FN static void sums(const streams<Parts>& samples, WINGBEAT_GLOBAL const float* weights,
                               unsigned j, filtered<Spectra, Parts>& y) {
    start(weights, j, y);
    WINGBEAT_UNROLL
    for (unsigned m = 0; m < Taps / held * held; m += held) {
      held_weights<held> w;
      w.template read<Length>(weights, m, j);
      add_taps<Length, held, false>(samples, m, w, y);
    }
    constexpr unsigned rest = Taps % held;
    if constexpr (rest > 0) {
      held_weights<rest> w;
      w.template read<Length>(weights, Taps - rest, j);
      add_taps<Length, rest, false>(samples, Taps - rest, w, y);
    }
  }

  /// Same, with weights that the thread holds: for j, or for its mirror positions.
  template <bool IsMirrored, unsigned Spectra, unsigned Parts>
  WINGBEAT_FN static void sums(const streams<Parts>& samples, const held_weights<held>& w,
                               WINGBEAT_GLOBAL const float* weights, unsigned j,
                               filtered<Spectra, Parts>& y) {
    start(weights, j, y);
    add_taps<Length, held, IsMirrored>(samples, 0, w, y);
  }

 private:
  template <unsigned Spectra, unsigned Parts>
  WINGBEAT_FN static void start(WINGBEAT_GLOBAL const float* weights, unsigned j,
                                filtered<Spectra, Parts>& y) {
    WINGBEAT_UNROLL
    for (unsigned i = 0; i < 2; ++i) {
      const float offset = weights[Taps * Length + j + i];
      WINGBEAT_UNROLL
      for (unsigned s = 0; s < Spectra; ++s) {
        WINGBEAT_UNROLL
        for (unsigned part = 0; part < Parts; ++part) y.sums[s][i][part] = offset;
      }
    }
  }
};

}  // namespace wingbeat::device::channeliser
