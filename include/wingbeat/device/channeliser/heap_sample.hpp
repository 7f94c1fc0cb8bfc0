// SPDX-License-Identifier: Apache-2.0
// The sample formats of a channeliser's heaps.
#pragma once

#include "wingbeat/device/port.hpp"  // WINGBEAT_FN, size

namespace wingbeat::device::channeliser {

/// The format of each part of a complex value.
enum class heap_sample {
  int4,   ///< Both parts in one byte, the real one in the higher half.
  int8,   ///< Real, then imaginary, also in all below.
  int16,  ///< Little-endian, also in all below.
  fp16,
  fp32
};

/// Returns the bytes of one complex value.
WINGBEAT_FN constexpr size complex_bytes(heap_sample kind) {
  constexpr unsigned char bytes[] = {1, 2, 4, 4, 8};
  return bytes[unsigned(kind)];
}

/// Returns the largest magnitude of a part.
WINGBEAT_FN constexpr float limit_of(heap_sample kind) {
  constexpr float limits[] = {7, 127, 32767, 65504, 3.4028235e38f};
  return limits[unsigned(kind)];
}

}  // namespace wingbeat::device::channeliser
