// SPDX-License-Identifier: Apache-2.0
// Uniform dither from a counter, so that its bytes depend on nothing but seed, time, channel and
// polarisation: not on chunks, threads or the engine.
//
// Random bits are Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel Random Numbers: As Easy as
// 1, 2, 3, 2011): ten rounds, each of two multiplications of 32 bits to 64 and four exclusive ors.
#pragma once

#include <array>
#include <complex>
#include <cstddef>  // size_t
#include <cstdint>  // int64_t, uint32_t, uint64_t

namespace wingbeat::channelising {

/// Returns the four words that Philox 4x32-10 makes of a counter and a key.
[[nodiscard]] constexpr std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                                            std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t second = std::uint64_t{0xCD9E8D57} * counter[2];
    const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
    const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
    counter = {high(second) ^ counter[1] ^ key[0], low(second), high(first) ^ counter[3] ^ key[1],
               low(first)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

/// Returns the number in (-0.5, 0.5) that a word is as dither: as a signed x, plus 1 where x is
/// negative so that the mean is 0, times the float just below 2^-32.
[[nodiscard]] constexpr float dither_of(std::uint32_t word) {
  auto x = static_cast<std::int32_t>(word);
  if (x < 0) ++x;
  return static_cast<float>(x) * 2.3282709e-10f;
}

/// Returns the dither of the real and the imaginary part. The key is the seed, low word first; the
/// counter is the low and the high word of the spectrum's timestamp, the channel, and half the
/// polarisation's number. An even polarisation takes words 0 and 1, an odd one words 2 and 3.
[[nodiscard]] constexpr std::complex<float> dither_at(std::uint64_t seed, std::int64_t timestamp,
                                                      std::uint32_t channel,
                                                      std::uint32_t polarisation) {
  const auto time = static_cast<std::uint64_t>(timestamp);
  const auto words =
      philox({static_cast<std::uint32_t>(time), static_cast<std::uint32_t>(time >> 32), channel,
              polarisation / 2},
             {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  const std::size_t at = 2 * (polarisation % 2);
  return {dither_of(words[at]), dither_of(words[at + 1])};
}

}  // namespace wingbeat::channelising
