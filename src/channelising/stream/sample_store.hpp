// SPDX-License-Identifier: Apache-2.0
// The latest numbers of a stream in the memory of a device: a window that slides. At the end of a
// buffer, kept numbers move to the front of another. If an engine has several queues, a separate
// one writes samples while kernels read others.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // int64_t
#include <memory>   // shared_ptr, unique_ptr

#include "backend/backend.hpp"  // queue, mark
#include "wingbeat/buffer.hpp"  // buffer

namespace wingbeat::channelising {

/// The queue that writes a store.
enum class written_by {
  kernels,  ///< The queue that runs kernels.
  copies    ///< A second queue; see `publish`.
};

class sample_store {
 public:
  /// Stores numbers of `number_bits` in `n_planes` planes; each has space for `capacity` numbers, a
  /// multiple of 8. The first has index `begin`.
  sample_store(const queue& on, std::size_t n_planes, unsigned number_bits, std::size_t capacity,
               std::int64_t begin, written_by writer);

  [[nodiscard]] std::int64_t begin() const { return begin_; }
  [[nodiscard]] std::int64_t end() const { return end_; }
  [[nodiscard]] std::size_t plane_bytes() const { return plane_bytes_; }
  [[nodiscard]] buffer_view view() const { return now_.view(); }

  /// Makes space for `count` more numbers; keeps those from index `keep` on, or a few more. Returns
  /// false if they do not fit.
  [[nodiscard]] bool make_room(queue& on, std::int64_t keep, std::size_t count);

  /// Returns the place of number `index` of a plane, which must begin at a byte.
  [[nodiscard]] buffer_view at(std::size_t plane, std::int64_t index) const;

  /// Writes bytes at number `index`; returns when done.
  void write(std::size_t plane, std::int64_t index, const void* source, std::size_t size_bytes);

  /// Queues the same: `source` must not change until `wait_for_writes` returns.
  void write_later(std::size_t plane, std::int64_t index, const void* source,
                   std::size_t size_bytes);

  /// Queues zeros for bytes, in words of 4 bytes.
  void clear(std::size_t plane, std::int64_t index, std::size_t size_bytes);

  /// Makes all writes visible to later work on `on`.
  void publish(queue& on);
  void wait_for_writes() const;
  /// Returns the mark after the last published writes; null if writes are done at once.
  [[nodiscard]] std::shared_ptr<const backend::mark> last_write() const { return written_; }

  /// Forgets all numbers; the next one has index `begin`.
  void restart(std::int64_t begin);

  /// Records that numbers up to `end` are written.
  void extend(std::int64_t end) { end_ = end; }

 private:
  [[nodiscard]] bool has_own_queue() const { return writer_ != first_queue_; }

  std::size_t n_planes_;
  unsigned bits_;
  std::size_t capacity_, plane_bytes_;
  std::int64_t begin_, end_;
  std::shared_ptr<backend::queue> first_queue_;  ///< The queue with which the store was made.
  std::shared_ptr<backend::queue> writer_;
  buffer now_, next_;
  std::shared_ptr<const backend::mark> written_;
  /// Marks the last move to another buffer: kernels have then read the numbers that are overwritten
  /// next.
  std::unique_ptr<backend::mark> moved_;
  bool is_read_again_ = false;  ///< Kernels may be reading numbers that are overwritten next; see
                                ///< `restart`.
};

}  // namespace wingbeat::channelising
