// SPDX-License-Identifier: Apache-2.0
// The coarse channels of a recording as one band: a filter bank for each of them.
#pragma once

#include <cstddef>  // byte, size_t
#include <vector>

#include "wingbeat/channeliser.hpp"  // channeliser, channelised_heap, input_level

namespace wingbeat::cli {

/// A bank for each channel of the files. Their heaps are one, of the channels of all.
class adjacent_banks {
 public:
  adjacent_banks(std::vector<channeliser> banks, channeliser::taker take);

  /// Returns the first: sizes, and counts of heaps, are those of all.
  [[nodiscard]] const channeliser& first() const { return banks_[0]; }

  /// Pushes the samples of a channel, after those of the channel before.
  void push(queue& on, std::size_t channel, const channeliser::samples& next);
  void flush(queue& on);

  /// Returns the levels of each polarisation in all channels.
  [[nodiscard]] std::vector<input_level> levels() const;

 private:
  struct kept_heap {
    channelised_heap heap;
    std::vector<std::byte> bytes;  // [coarse channel][channel]..
  };

  channeliser::taker taker(std::size_t channel);
  void pass_on();

  std::vector<channeliser> banks_;
  channeliser::taker take_;
  std::vector<kept_heap> kept_;  ///< Those of the last piece.
  std::size_t n_taken_ = 0;      ///< Of a bank, of this piece.
};

}  // namespace wingbeat::cli
