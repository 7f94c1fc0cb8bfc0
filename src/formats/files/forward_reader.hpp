// SPDX-License-Identifier: Apache-2.0
// Reads a file in windows, for mostly sequential access.
#pragma once

#include <algorithm>  // max, min
#include <cstddef>    // byte, size_t
#include <span>
#include <vector>

#include "formats/files/byte_source.hpp"  // byte_source

namespace wingbeat::formats {

class forward_reader {
 public:
  /// Reads `window_bytes` at once, or more if more are requested.
  forward_reader(const byte_source& source, std::size_t window_bytes)
      : source_(source), window_bytes_(window_bytes) {}

  /// Returns `n_bytes` bytes from `offset` on, fewer at the end, valid until the next call.
  std::span<const std::byte> at(std::size_t offset, std::size_t n_bytes) {
    if (offset < begin_ || offset + n_bytes > begin_ + held_.size()) {
      begin_ = offset;
      held_.resize(std::max(n_bytes, window_bytes_));
      held_.resize(source_.read_some(offset, held_));
    }
    const auto found =
        std::span<const std::byte>{held_}.subspan(std::min(offset - begin_, held_.size()));
    return found.first(std::min(n_bytes, found.size()));
  }

 private:
  const byte_source& source_;
  std::size_t window_bytes_, begin_ = 0;
  std::vector<std::byte> held_;
};

}  // namespace wingbeat::formats
