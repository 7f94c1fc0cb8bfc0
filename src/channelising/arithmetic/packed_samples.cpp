// SPDX-License-Identifier: Apache-2.0
#include "channelising/arithmetic/packed_samples.hpp"

#include <bit>      // endian
#include <cstring>  // memcpy

#include "text/reject.hpp"  // reject

namespace wingbeat::channelising {
namespace {

/// The place of bit `sample_bits first_sample`; the product does not overflow, see
/// `require_packed`.
struct bit_position {
  std::size_t byte;
  unsigned bit;  ///< 0 is the highest.
};

bit_position position_of(std::size_t first_sample, unsigned sample_bits) {
  const std::size_t bits = first_sample % 8 * sample_bits;
  return {first_sample / 8 * sample_bits + bits / 8, static_cast<unsigned>(bits % 8)};
}

std::uint32_t big_endian_word(const std::byte* bytes) {
  std::uint32_t word;
  std::memcpy(&word, bytes, sizeof word);
  if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap32(word);
  return word;
}

/// Returns the sign-extended sample in the highest bits of `high`.
std::int16_t top_sample(std::uint64_t high, unsigned sample_bits) {
  return static_cast<std::int16_t>(static_cast<std::int64_t>(high) >> (64 - sample_bits));
}

}  // namespace

void require_packed(std::size_t stream_bytes, unsigned sample_bits, std::size_t first_sample,
                    std::size_t n_samples) {
  reject_if(sample_bits < min_sample_bits || sample_bits > max_sample_bits,
            "samples are to have {} bits; choose {} to {}", sample_bits, min_sample_bits,
            max_sample_bits);
  // stream_bytes * 8 / sample_bits without overflow
  const std::size_t capacity =
      stream_bytes / sample_bits * 8 + stream_bytes % sample_bits * 8 / sample_bits;
  if (first_sample <= capacity && n_samples <= capacity - first_sample) return;
  reject(
      "{} samples of {} bits from sample {} on do not lie within {} bytes, which hold "
      "{}; give a longer stream or take fewer samples",
      n_samples, sample_bits, first_sample, stream_bytes, capacity);
}

std::size_t packed_bytes(std::size_t n_samples, unsigned sample_bits) {
  return n_samples / 8 * sample_bits + (n_samples % 8 * sample_bits + 7) / 8;
}

void unpack_samples(std::span<const std::byte> packed, unsigned sample_bits,
                    std::size_t first_sample, std::span<std::int16_t> out) {
  require_packed(packed.size(), sample_bits, first_sample, out.size());
  if (out.empty()) return;
  const bit_position start = position_of(first_sample, sample_bits);
  std::size_t next = start.byte;
  std::uint64_t window = 0;  // next bits of the stream, the first one highest
  unsigned n_bits = 0;       // valid bits in `window`
  const auto refill = [&] {
    if (n_bits <= 32 && packed.size() - next >= 4) {
      window |= std::uint64_t{big_endian_word(&packed[next])} << (32 - n_bits);
      next += 4;
      n_bits += 32;
    }
    while (n_bits < max_sample_bits + 8 && next < packed.size()) {
      window |= std::to_integer<std::uint64_t>(packed[next++]) << (56 - n_bits);
      n_bits += 8;
    }
  };
  refill();
  window <<= start.bit;
  n_bits -= start.bit;
  for (std::int16_t& sample : out) {
    if (n_bits < sample_bits) refill();
    sample = top_sample(window, sample_bits);
    window <<= sample_bits;
    n_bits -= sample_bits;
  }
}

void pack_samples(std::span<const std::int16_t> samples, unsigned sample_bits,
                  std::size_t first_sample, std::span<std::byte> packed) {
  require_packed(packed.size(), sample_bits, first_sample, samples.size());
  const int most = (1 << (sample_bits - 1)) - 1;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples[i] <= most && samples[i] >= -most - 1) continue;
    reject(
        "sample {} is {} and does not fit into {} bits; give {} to {}, or "
        "more bits",
        i, samples[i], sample_bits, -most - 1, most);
  }
  if (samples.empty()) return;
  const bit_position start = position_of(first_sample, sample_bits);
  std::size_t next = start.byte;
  // The bits before the first sample in its byte are kept.
  std::uint64_t window = std::to_integer<std::uint64_t>(packed[next]) >> (8 - start.bit);
  unsigned n_bits = start.bit;  // in the lowest bits of `window`
  const std::uint64_t mask = (std::uint64_t{1} << sample_bits) - 1;
  for (const std::int16_t sample : samples) {
    window = window << sample_bits | (static_cast<std::uint64_t>(sample) & mask);
    n_bits += sample_bits;
    while (n_bits >= 8) {
      n_bits -= 8;
      packed[next++] = static_cast<std::byte>(window >> n_bits);
    }
  }
  if (n_bits == 0) return;
  const unsigned kept = 0xFFu >> n_bits;
  const unsigned old = std::to_integer<unsigned>(packed[next]) & kept;
  packed[next] = static_cast<std::byte>((static_cast<unsigned>(window) << (8 - n_bits)) | old);
}

}  // namespace wingbeat::channelising
