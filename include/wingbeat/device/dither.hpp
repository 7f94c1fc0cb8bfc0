// SPDX-License-Identifier: Apache-2.0
// Uniform dither from a counter: the same numbers on every engine, in any order of computation.
//
// Random bits are Philox 4x32 (Salmon, Moraes, Dror, Shaw: Parallel Random Numbers: As Easy as 1,
// 2, 3, 2011): rounds of two multiplications of 32 bits to 64 and four exclusive ors. Its authors
// advise ten rounds, and found that seven pass all tests; dither takes seven.
#pragma once

#include "wingbeat/device/half.hpp"   // float_of
#include "wingbeat/device/port.hpp"   // WINGBEAT_FN, size
#include "wingbeat/device/words.hpp"  // wide_product

namespace wingbeat::device {

/// Four words of 32 bits.
struct random_words {
  unsigned word[4];
};

/// Returns the words that Philox 4x32 computes from a counter and a key, low word first.
template <int Rounds = 10>
WINGBEAT_FN constexpr random_words philox(random_words counter, size key) {
  unsigned low = unsigned(key), high = unsigned(key >> 32);
  for (int round = 0; round < Rounds; ++round) {
    const size first = wide_product(counter.word[0], 0xD2511F53u);
    const size second = wide_product(counter.word[2], 0xCD9E8D57u);
    counter = {{unsigned(second >> 32) ^ counter.word[1] ^ low, unsigned(second),
                unsigned(first >> 32) ^ counter.word[3] ^ high, unsigned(first)}};
    low += 0x9E3779B9u;
    high += 0xBB67AE85u;
  }
  return counter;
}

/// Philox rounds for the words of dither.
inline constexpr int dither_rounds = 7;

/// Returns the upper 23 bits of a word as the fraction of a float in [1, 2). One shift of 64 bits
/// brings in the exponent.
WINGBEAT_FN constexpr float above_one(unsigned word) {
  return float_of(unsigned((size(0x7f) << 32 | word) >> 9));
}

/// Returns the dither of a word, a number in (-0.5, 0.5): `above_one` minus 1.5, plus half a step
/// so that the mean is 0.
WINGBEAT_FN constexpr float dither_of(unsigned word) {
  return above_one(word) - 1.5f + 5.9604645e-8f;
}

/// Returns h, half the channels rounded up: channel k + h has the dither words of channel k, with
/// their halves exchanged: `dither_of(half_turned(word))`.
WINGBEAT_FN constexpr unsigned first_turned(unsigned channels) {
  return (channels + 1) / 2;
}

/// Returns the dither words of one of `channels` channels at one time: for the real and imaginary
/// parts of a pair of polarisations.
WINGBEAT_FN constexpr random_words dither_words(size time, unsigned channel, unsigned channels,
                                                unsigned pair, size seed) {
  const unsigned middle = first_turned(channels);
  const unsigned shared = channel >= middle ? channel - middle : channel;
  return philox<dither_rounds>({{unsigned(time), unsigned(time >> 32), shared, pair}}, seed);
}
WINGBEAT_FN constexpr unsigned half_turned(unsigned word) {
  return word << 16 | word >> 16;
}

}  // namespace wingbeat::device
