// SPDX-License-Identifier: Apache-2.0
// The latest numbers of a stream in the memory of a device: a window that slides. Numbers that are
// kept move to the front of another buffer when the end of one is reached.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // int64_t

#include "wingbeat/buffer.hpp"  // buffer

namespace wingbeat::channelising {

class sample_store {
 public:
  /// Numbers of `number_bits`, `n_planes` of them at a time; each plane has room for `capacity`
  /// numbers, a multiple of 8. The first has index `begin`.
  sample_store(const queue& on, std::size_t n_planes, unsigned number_bits, std::size_t capacity,
               std::int64_t begin);

  [[nodiscard]] std::int64_t begin() const { return begin_; }
  [[nodiscard]] std::int64_t end() const { return end_; }
  [[nodiscard]] std::size_t plane_bytes() const { return plane_bytes_; }
  [[nodiscard]] buffer_view view() const { return now_.view(); }

  /// Makes room for `count` more numbers, keeping those from index `keep` on, or a few before.
  /// Returns false where they do not fit.
  [[nodiscard]] bool make_room(queue& on, std::int64_t keep, std::size_t count);

  /// Returns where number `index` of a plane lies, which begins at a byte.
  [[nodiscard]] buffer_view at(std::size_t plane, std::int64_t index) const;

  /// Writes bytes there.
  void write(std::size_t plane, std::int64_t index, const void* from, std::size_t size_bytes);

  /// Forgets all numbers; the next one has index `begin`.
  void restart(std::int64_t begin) { begin_ = end_ = begin; }

  /// Says that numbers up to `end` are there.
  void extend(std::int64_t end) { end_ = end; }

 private:
  std::size_t n_planes_;
  unsigned bits_;
  std::size_t capacity_, plane_bytes_;
  std::int64_t begin_, end_;
  buffer now_, next_;
};

}  // namespace wingbeat::channelising
