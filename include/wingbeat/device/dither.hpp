// SPDX-License-Identifier: Apache-2.0
// Uniform dither from a counter: the same numbers on every engine, in whatever order they are made.
//
// Random bits are Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel Random Numbers: As Easy as
// 1, 2, 3, 2011): ten rounds, each of two multiplications of 32 bits to 64 and four exclusive ors.
#pragma once

#include "wingbeat/device/port.hpp"  // WINGBEAT_FN, size

namespace wingbeat::device {

/// Four words of 32 bits.
struct random_words {
  unsigned at[4];
};

/// Returns the words that Philox 4x32-10 makes of a counter and a key, low word first.
WINGBEAT_FN constexpr random_words philox(random_words counter, size key) {
  unsigned low = unsigned(key), high = unsigned(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const size first = size(0xD2511F53u) * counter.at[0];
    const size second = size(0xCD9E8D57u) * counter.at[2];
    counter = {{unsigned(second >> 32) ^ counter.at[1] ^ low, unsigned(second),
                unsigned(first >> 32) ^ counter.at[3] ^ high, unsigned(first)}};
    low += 0x9E3779B9u;
    high += 0xBB67AE85u;
  }
  return counter;
}

/// Returns the number in (-0.5, 0.5) that a word is as dither: as a signed x, plus 1 where x is
/// negative so that the mean is 0, times the float just below 2^-32.
WINGBEAT_FN constexpr float dither_of(unsigned word) {
  int x = int(word);
  if (x < 0) ++x;
  return static_cast<float>(x) * 2.3282709e-10f;
}

}  // namespace wingbeat::device
