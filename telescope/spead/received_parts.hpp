// SPDX-License-Identifier: Apache-2.0
// The bytes of a heap that have arrived: parts in order of their offsets, with gaps between them.
#pragma once

#include <algorithm>  // lower_bound
#include <cstddef>    // size_t
#include <utility>    // pair
#include <vector>

namespace wingbeat::spead {

class received_parts {
 public:
  explicit received_parts(std::size_t max_parts = 4096) : max_parts_(max_parts) {}

  /// Adds a part of at least 1 byte. Returns false, and changes nothing, if one of its bytes has
  /// arrived before, or if there are too many gaps.
  [[nodiscard]] bool add(std::size_t offset, std::size_t length) {
    if (length == 0) return false;
    const auto next = std::lower_bound(parts_.begin(), parts_.end(), std::pair(offset, length));
    if (next != parts_.end() && next->first < offset + length) return false;
    const bool is_first = next == parts_.begin();
    const std::size_t end_before = is_first ? 0 : (next - 1)->first + (next - 1)->second;
    if (end_before > offset) return false;
    if (!is_first && end_before == offset) {
      (next - 1)->second += length;  // the part continues this one
    } else if (parts_.size() == max_parts_) {
      return false;
    } else {
      parts_.insert(next, {offset, length});
    }
    n_bytes_ += length;
    return true;
  }

  [[nodiscard]] std::size_t n_bytes() const { return n_bytes_; }

 private:
  std::vector<std::pair<std::size_t, std::size_t>> parts_;  ///< Offset and length.
  std::size_t max_parts_, n_bytes_ = 0;
};

}  // namespace wingbeat::spead
