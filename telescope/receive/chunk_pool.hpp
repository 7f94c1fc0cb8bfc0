// SPDX-License-Identifier: Apache-2.0
// A fixed number of chunks that circulate: free, being filled, ready, in use, free.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>  // byte, size_t
#include <deque>
#include <functional>
#include <memory>  // shared_ptr
#include <mutex>
#include <span>
#include <utility>  // exchange, swap
#include <vector>

#include "receive/chunk.hpp"  // chunk, chunk_geometry

namespace wingbeat::receive {

/// Returns `n_bytes` of memory that outlives the pool; pinned memory, for example.
using memory_source = std::function<std::span<std::byte>(std::size_t n_bytes)>;

class chunk_pool {
 public:
  /// Without a source, the memory is the pool's own. Throws `plan_error` for an impossible geometry
  /// and for memory that is too short.
  chunk_pool(const chunk_geometry& geometry, std::size_t n_chunks, const memory_source& source);
  chunk_pool(const chunk_pool&) = delete;
  chunk_pool& operator=(const chunk_pool&) = delete;

  [[nodiscard]] const chunk_geometry& geometry() const { return geometry_; }

  /// Returns a free chunk; nullptr if there is none.
  [[nodiscard]] chunk* take();
  void put_back(chunk* used);

  /// Waits until a chunk is free, or until `patience` has passed.
  void wait_until_free(std::chrono::milliseconds patience);

  void publish(chunk* filled);

  /// Returns the oldest published chunk; nullptr if there is none within `patience`.
  [[nodiscard]] chunk* next(std::chrono::milliseconds patience);

  /// Announces that nothing more will be published.
  void close();

  /// Returns whether nothing more will be published and nothing is ready.
  [[nodiscard]] bool is_finished() const;

  /// Returns how many chunks are free.
  [[nodiscard]] std::size_t n_free() const;

 private:
  chunk_geometry geometry_;
  std::vector<std::vector<std::byte>> memory_;
  std::vector<chunk> chunks_;
  mutable std::mutex mutex_;
  std::condition_variable freed_, readied_;
  std::vector<chunk*> free_;
  std::deque<chunk*> ready_;
  bool is_closed_ = false;
};

/// A chunk in use; its destructor returns it to the pool.
class received_chunk {
 public:
  received_chunk() = default;
  received_chunk(std::shared_ptr<chunk_pool> pool, chunk* content)
      : pool_(std::move(pool)), content_(content) {}
  received_chunk(received_chunk&& other) noexcept
      : pool_(std::move(other.pool_)), content_(std::exchange(other.content_, nullptr)) {}
  received_chunk& operator=(received_chunk&& other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(content_, other.content_);
    return *this;
  }
  ~received_chunk() {
    if (content_ != nullptr) pool_->put_back(content_);
  }

  [[nodiscard]] explicit operator bool() const { return content_ != nullptr; }
  [[nodiscard]] const chunk& operator*() const { return *content_; }
  [[nodiscard]] const chunk* operator->() const { return content_; }

 private:
  std::shared_ptr<chunk_pool> pool_;
  chunk* content_ = nullptr;
};

}  // namespace wingbeat::receive
