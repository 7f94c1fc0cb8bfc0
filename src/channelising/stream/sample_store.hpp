// SPDX-License-Identifier: Apache-2.0
// The latest numbers of a stream in the memory of a device: a window that slides. Numbers that are
// kept move to the front of another buffer when the end of one is reached. Samples are written by a
// queue of their own where an engine has several, while kernels read others.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // int64_t
#include <memory>   // shared_ptr, unique_ptr

#include "backend/backend.hpp"  // queue, mark
#include "wingbeat/buffer.hpp"  // buffer

namespace wingbeat::channelising {

/// Who writes a store.
enum class written_by {
  kernels,  ///< The queue that runs kernels.
  copies    ///< A queue beside it; `publish` tells the other when.
};

class sample_store {
 public:
  /// Numbers of `number_bits`, `n_planes` of them at a time; each plane has room for `capacity`
  /// numbers, a multiple of 8. The first has index `begin`.
  sample_store(const queue& on, std::size_t n_planes, unsigned number_bits, std::size_t capacity,
               std::int64_t begin, written_by writer);

  [[nodiscard]] std::int64_t begin() const { return begin_; }
  [[nodiscard]] std::int64_t end() const { return end_; }
  [[nodiscard]] std::size_t plane_bytes() const { return plane_bytes_; }
  [[nodiscard]] buffer_view view() const { return now_.view(); }

  /// Makes room for `count` more numbers, keeping those from index `keep` on, or a few before.
  /// Returns false where they do not fit.
  [[nodiscard]] bool make_room(queue& on, std::int64_t keep, std::size_t count);

  /// Returns where number `index` of a plane lies, which begins at a byte.
  [[nodiscard]] buffer_view at(std::size_t plane, std::int64_t index) const;

  /// Writes bytes there; returns when done.
  void write(std::size_t plane, std::int64_t index, const void* source, std::size_t size_bytes);

  /// Queues the same: `source` stays as it is until `wait_for_writes` returns.
  void write_later(std::size_t plane, std::int64_t index, const void* source,
                   std::size_t size_bytes);

  /// Queues zeros in place of bytes, words of 4 bytes.
  void clear(std::size_t plane, std::int64_t index, std::size_t size_bytes);

  /// Has later work on `on` see all that was written.
  void publish(queue& on);
  void wait_for_writes() const;
  /// Returns the mark behind what was published last; null where writing is done at once.
  [[nodiscard]] std::shared_ptr<const backend::mark> last_write() const { return written_; }

  /// Forgets all numbers; the next one has index `begin`.
  void restart(std::int64_t begin);

  /// Says that numbers up to `end` are there.
  void extend(std::int64_t end) { end_ = end; }

 private:
  [[nodiscard]] bool has_own_queue() const { return writer_ != first_queue_; }

  std::size_t n_planes_;
  unsigned bits_;
  std::size_t capacity_, plane_bytes_;
  std::int64_t begin_, end_;
  std::shared_ptr<backend::queue> first_queue_;  ///< Where the store was made.
  std::shared_ptr<backend::queue> writer_;
  buffer now_, next_;
  std::shared_ptr<const backend::mark> written_;
  /// Behind the last move to another buffer: kernels have read what is written next then.
  std::unique_ptr<backend::mark> moved_;
  bool is_read_again_ = false;  ///< Kernels may read what is written next; see `restart`.
};

}  // namespace wingbeat::channelising
