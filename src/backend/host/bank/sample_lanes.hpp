// SPDX-License-Identifier: Apache-2.0
// Packed samples to integers and floats, over SIMD lanes; included once per instruction set.
#pragma once

#include <cstdint>  // int16_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t

#include "backend/host/bank/bank_kernels.hpp"  // read_block
#include "backend/host/bank/bank_lanes.hpp"    // vector_type
#include "backend/host/lanes/simd.hpp"         // indices

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

/// Returns sample `i` of a stream of `bytes`.
WINGBEAT_LANES std::int16_t sample_at(const std::byte* packed, size_t bytes, unsigned bits,
                                      size_t i) {
  const size_t bit = i * bits, first = bit / 8;
  std::uint32_t window = 0;  // its three bytes, after at most seven other bits
  for (size_t b = 0; b < 3; ++b) {
    const auto byte = first + b < bytes ? static_cast<std::uint32_t>(packed[first + b]) : 0;
    window |= byte << (24 - 8 * b);
  }
  const auto high = static_cast<std::int32_t>(window << (bit % 8));
  return static_cast<std::int16_t>(high >> (32 - bits));
}

#if defined(__AVX2__)
using eight = vector_type<std::int32_t, 8>;

/// Returns the source of byte `b` (0 is the lowest) of a lane, in two copies of 16 bytes, so that
/// no byte leaves its half of the vector.
template <int Bits>
constexpr int byte_of(int lane, int b) {
  const int source_byte = lane * Bits / 8 + 3 - b;
  return (b == 0 || source_byte > 15 ? 15 : source_byte) + (lane < 4 ? 0 : 16);
}

/// Returns eight samples of 16 bytes.
template <int Bits, int... I, int... L>
WINGBEAT_LANES eight eight_samples(const std::byte* packed, indices<I...>, indices<L...>) {
  vector_type<std::uint8_t, 32> bytes;
  __builtin_memcpy(&bytes, packed, 16);
  __builtin_memcpy(reinterpret_cast<char*>(&bytes) + 16, packed, 16);
  const auto spread = __builtin_shufflevector(bytes, bytes, byte_of<Bits>(I / 4, I % 4)...);
  vector_type<std::uint32_t, 8> windows;
  __builtin_memcpy(&windows, &spread, sizeof windows);
  windows <<= vector_type<std::uint32_t, 8>{(L * Bits % 8)...};
  eight samples;
  __builtin_memcpy(&samples, &windows, sizeof samples);
  return samples >> (32 - Bits);
}

/// Reads groups of eight samples while 16 bytes are readable; returns the number of samples.
template <int Bits>
[[gnu::flatten]] size_t unpack_groups(const read_block& block) {
  const size_t most = block.packed_bytes < 16 ? 0 : (block.packed_bytes - 16) / Bits + 1;
  const size_t n_groups = block.count / 8 < most ? block.count / 8 : most;
  for (size_t g = 0; g < n_groups; ++g) {
    const eight samples =
        eight_samples<Bits>(block.packed + g * Bits, indices_below<32>{}, indices_below<8>{});
    const auto integers = __builtin_convertvector(samples, vector_type<std::int16_t, 8>);
    const auto reals = __builtin_convertvector(samples, vector_type<float, 8>);
    __builtin_memcpy(block.integers + 8 * g, &integers, sizeof integers);
    __builtin_memcpy(block.out + 8 * g, &reals, sizeof reals);
  }
  return 8 * n_groups;
}

template <int... Bits>
WINGBEAT_LANES size_t unpack_known(const read_block& block, indices<Bits...>) {
  size_t done = 0;
  ((block.bits == Bits + 2 ? void(done = unpack_groups<Bits + 2>(block)) : void()), ...);
  return done;
}
#else
WINGBEAT_LANES size_t unpack_known(const read_block&, indices_below<15>) {
  return 0;  // no instruction permutes bytes
}
#endif

/// bank_kernels::read
inline std::uint64_t read(const read_block& block) {
  std::uint64_t sum = 0;
  if (block.packed != nullptr) {
    const size_t done = block.skip == 0 ? unpack_known(block, indices_below<15>{}) : 0;
    for (size_t i = done; i < block.count; ++i) {
      block.integers[i] = sample_at(block.packed, block.packed_bytes, block.bits, block.skip + i);
      block.out[i] = block.integers[i];
    }
  } else {
    for (size_t i = 0; i < block.count; ++i) block.out[i] = block.integers[i];
  }
  for (size_t i = 0; i < block.count; ++i) {
    const std::int32_t x = block.integers[i];
    sum += static_cast<std::uint32_t>(x * x);
  }
  return sum;
}

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
