// SPDX-License-Identifier: Apache-2.0
// The dither of a channeliser's values only depends on seed, time, channel and polarisation, not on
// chunks, threads or the engine.
#pragma once

#include <complex>
#include <cstddef>  // size_t
#include <cstdint>  // int64_t, uint32_t, uint64_t

#include "wingbeat/device/dither.hpp"  // dither_of, dither_words

namespace wingbeat::channelising {

/// Returns the dither of the real and the imaginary part of one of `channels` channels. The key is
/// the seed; the counter is the low and the high word of the spectrum's timestamp, the channel
/// modulo half of all, rounded up, and half the polarisation's number. An even polarisation takes
/// words 0 and 1, an odd one words 2 and 3; channels of the upper half take words with halves
/// exchanged.
[[nodiscard]] constexpr std::complex<float> dither_at(std::uint64_t seed, std::int64_t timestamp,
                                                      std::uint32_t channel, std::uint32_t channels,
                                                      std::uint32_t polarisation) {
  const device::random_words words = device::dither_words(
      static_cast<std::uint64_t>(timestamp), channel, channels, polarisation / 2, seed);
  const std::size_t word = 2 * (polarisation % 2);
  const bool is_turned = channel >= device::first_turned(channels);
  const auto part = [&](std::uint32_t bits) {
    return device::dither_of(is_turned ? device::half_turned(bits) : bits);
  };
  return {part(words.word[word]), part(words.word[word + 1])};
}

}  // namespace wingbeat::channelising
