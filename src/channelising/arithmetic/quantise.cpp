// SPDX-License-Identifier: Apache-2.0
#include "channelising/arithmetic/quantise.hpp"

#include <bit>      // bit_cast
#include <cstdint>  // int8_t, uint32_t

#include "wingbeat/device/half.hpp"  // fp16

namespace wingbeat::channelising {
namespace {

std::uint32_t bits_of(double part, heap_sample kind) {
  switch (kind) {
    case heap_sample::fp16: return device::fp16::nearest(device::fp16::to_odd(part));
    case heap_sample::fp32: return std::bit_cast<std::uint32_t>(static_cast<float>(part));
    default: return static_cast<std::uint32_t>(static_cast<std::int32_t>(part));
  }
}

double part_of(std::uint32_t bits, heap_sample kind) {
  switch (kind) {
    case heap_sample::int4: return static_cast<std::int8_t>(bits << 4) >> 4;
    case heap_sample::int8: return static_cast<std::int8_t>(bits);
    case heap_sample::int16: return static_cast<std::int16_t>(bits);
    case heap_sample::fp16: return device::fp16::widened(bits);
    case heap_sample::fp32: return std::bit_cast<float>(bits);
  }
  return 0;
}

}  // namespace

void store_complex(std::complex<double> quantised_value, heap_sample kind,
                   std::span<std::byte> bytes) {
  const std::uint32_t re = bits_of(quantised_value.real(), kind);
  const std::uint32_t im = bits_of(quantised_value.imag(), kind);
  if (kind == heap_sample::int4) {
    bytes[0] = static_cast<std::byte>((re & 0xF) << 4 | (im & 0xF));
    return;
  }
  const std::size_t part_bytes = complex_bytes(kind) / 2;
  for (std::size_t i = 0; i < part_bytes; ++i) {
    bytes[i] = static_cast<std::byte>(re >> 8 * i);
    bytes[part_bytes + i] = static_cast<std::byte>(im >> 8 * i);
  }
}

std::complex<double> load_complex(std::span<const std::byte> bytes, heap_sample kind) {
  if (kind == heap_sample::int4) {
    const auto both = std::to_integer<std::uint32_t>(bytes[0]);
    return {part_of(both >> 4, kind), part_of(both & 0xF, kind)};
  }
  const std::size_t part_bytes = complex_bytes(kind) / 2;
  std::uint32_t re = 0, im = 0;
  for (std::size_t i = 0; i < part_bytes; ++i) {
    re |= std::to_integer<std::uint32_t>(bytes[i]) << 8 * i;
    im |= std::to_integer<std::uint32_t>(bytes[part_bytes + i]) << 8 * i;
  }
  return {part_of(re, kind), part_of(im, kind)};
}

}  // namespace wingbeat::channelising
