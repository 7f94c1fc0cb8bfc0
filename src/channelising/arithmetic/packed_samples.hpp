// SPDX-License-Identifier: Apache-2.0
// Samples of 2 to 16 bits as one stream of bits, two's complement, the most significant bit first:
// sample i holds bits i b .. i b + b - 1, where bit 0 is the highest of byte 0.
#pragma once

#include <cstddef>  // byte, size_t
#include <cstdint>  // int16_t
#include <span>

namespace wingbeat::channelising {

inline constexpr unsigned min_sample_bits = 2, max_sample_bits = 16;

/// Returns the bytes that hold `n_samples`, rounded up.
[[nodiscard]] std::size_t packed_bytes(std::size_t n_samples, unsigned sample_bits);

/// Throws `plan_error` for a width that is not 2 to 16 bits and for a stream that does not hold
/// these samples.
void require_packed(std::size_t stream_bytes, unsigned sample_bits, std::size_t first_sample,
                    std::size_t n_samples);

/// Reads samples first_sample .. first_sample + out.size() - 1 of the stream. Throws as
/// `require_packed` does.
void unpack_samples(std::span<const std::byte> packed, unsigned sample_bits,
                    std::size_t first_sample, std::span<std::int16_t> out);

/// Writes the samples from sample `first_sample` of the stream on; all other bits of `packed`
/// remain. Throws `plan_error` as above, and for a sample beyond -2^(b-1) .. 2^(b-1) - 1, before
/// anything is written.
void pack_samples(std::span<const std::int16_t> samples, unsigned sample_bits,
                  std::size_t first_sample, std::span<std::byte> packed);

}  // namespace wingbeat::channelising
