// SPDX-License-Identifier: Apache-2.0
// The values of a tile on their way to a heap, for a bank in one launch.
#pragma once

#include "wingbeat/device/channeliser/filter.hpp"    // bank_numbers
#include "wingbeat/device/channeliser/quantise.hpp"  // stored
#include "wingbeat/device/port.hpp"                  // WINGBEAT_FN, WINGBEAT_GLOBAL, WINGBEAT_LOCAL

namespace wingbeat::device::channeliser {

/// The values of a tile, gathered by channel in local memory.
template <class Policy>
class tile_values {
  static constexpr bank_numbers numbers = Policy::numbers();
  using unit = typename stored<numbers.output>::type;
  static constexpr unsigned piece =
      numbers.spectra() * numbers.polarisations;  ///< Values per channel.

 public:
  static constexpr unsigned piece_bytes = piece * unsigned(sizeof(unit));

 private:
  /// Two values that lie side by side.
  struct alignas(2 * sizeof(unit)) unit_pair {
    unit values[2];
  };
  /// A vector of the bytes that move at once.
  static constexpr unsigned vector_bytes = piece_bytes < 16 ? piece_bytes : 16;
  struct alignas(vector_bytes) vector {
    unit values[vector_bytes / sizeof(unit)];
  };

 public:
  WINGBEAT_FN explicit tile_values(WINGBEAT_LOCAL char* address) : address_(address) {}

  /// Puts the values of both parts of a row.
  WINGBEAT_FN void put(unsigned channel, unsigned row, unit first, unit second) const {
    const auto values = reinterpret_cast<WINGBEAT_LOCAL unit*>(address_) + channel * piece;
    if constexpr (numbers.polarisations == 2) {
      reinterpret_cast<WINGBEAT_LOCAL unit_pair*>(values)[row] = unit_pair{{first, second}};
    } else {
      values[row] = first;
      values[numbers.rows + row] = second;
    }
  }

  /// Stores all values of the tile whose first spectrum is `first`. Callers: every thread.
  WINGBEAT_FN void store(WINGBEAT_GLOBAL char* heaps, size first, unsigned thread) const {
    constexpr unsigned vectors = piece_bytes / vector_bytes;
    constexpr size channel_vectors =
        size(numbers.spectra_per_heap) * numbers.polarisations * sizeof(unit) / vector_bytes;
    const size heap = first / numbers.spectra_per_heap, spectrum = first % numbers.spectra_per_heap;
    const auto target = reinterpret_cast<WINGBEAT_GLOBAL vector*>(heaps) +
                        heap * numbers.channels * channel_vectors +
                        spectrum * numbers.polarisations * sizeof(unit) / vector_bytes;
    const auto source = reinterpret_cast<const WINGBEAT_LOCAL vector*>(address_);
    for (unsigned i = thread; i < numbers.channels * vectors; i += numbers.threads()) {
      target[i / vectors * channel_vectors + i % vectors] = source[i];
    }
  }

 private:
  WINGBEAT_LOCAL char* address_;
};

}  // namespace wingbeat::device::channeliser
