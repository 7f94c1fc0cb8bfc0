// SPDX-License-Identifier: Apache-2.0
// The dither of a channeliser's values, which depends on nothing but seed, time, channel and
// polarisation: not on chunks, threads or the engine.
#pragma once

#include <complex>
#include <cstddef>  // size_t
#include <cstdint>  // int64_t, uint32_t, uint64_t

#include "wingbeat/device/dither.hpp"  // dither_of, philox

namespace wingbeat::channelising {

/// Returns the dither of the real and the imaginary part. The key is the seed; the counter is the
/// low and the high word of the spectrum's timestamp, the channel, and half the polarisation's
/// number. An even polarisation takes words 0 and 1, an odd one words 2 and 3.
[[nodiscard]] constexpr std::complex<float> dither_at(std::uint64_t seed, std::int64_t timestamp,
                                                      std::uint32_t channel,
                                                      std::uint32_t polarisation) {
  const auto time = static_cast<std::uint64_t>(timestamp);
  const device::random_words words = device::philox<device::dither_rounds>(
      {{static_cast<std::uint32_t>(time), static_cast<std::uint32_t>(time >> 32), channel,
        polarisation / 2}},
      seed);
  const std::size_t word = 2 * (polarisation % 2);
  return {device::dither_of(words.at[word]), device::dither_of(words.at[word + 1])};
}

}  // namespace wingbeat::channelising
