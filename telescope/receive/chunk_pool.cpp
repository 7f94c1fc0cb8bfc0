// SPDX-License-Identifier: Apache-2.0
#include "receive/chunk_pool.hpp"

#include "text/reject.hpp"  // reject

namespace wingbeat::receive {

chunk_pool::chunk_pool(const chunk_geometry& geometry, std::size_t n_chunks,
                       const memory_source& source)
    : geometry_(geometry), chunks_(n_chunks) {
  check(geometry);
  free_.reserve(n_chunks);
  const std::size_t plane = geometry.plane_bytes(), n_planes = geometry.polarisations;
  for (chunk& next : chunks_) {
    std::span<std::byte> bytes;
    if (source) {
      bytes = source(plane * n_planes);
    } else {
      bytes = memory_.emplace_back(plane * n_planes);
    }
    if (bytes.size() < plane * n_planes) {
      reject("a chunk was given {} bytes of memory, but needs {}", bytes.size(), plane * n_planes);
    }
    for (std::size_t p = 0; p < n_planes; ++p) {
      next.samples.push_back(bytes.subspan(p * plane, plane));
      next.present.emplace_back(geometry.packets());
      next.saturated.emplace_back(geometry.packets());
    }
    free_.push_back(&next);
  }
}

chunk* chunk_pool::take() {
  const std::scoped_lock lock(mutex_);
  if (free_.empty()) return nullptr;
  chunk* result = free_.back();
  free_.pop_back();
  return result;
}

void chunk_pool::put_back(chunk* used) {
  {
    const std::scoped_lock lock(mutex_);
    free_.push_back(used);
  }
  freed_.notify_all();
}

void chunk_pool::wait_until_free(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  freed_.wait_for(lock, patience, [this] { return !free_.empty(); });
}

void chunk_pool::publish(chunk* filled) {
  {
    const std::scoped_lock lock(mutex_);
    ready_.push_back(filled);
  }
  readied_.notify_one();
}

chunk* chunk_pool::next(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  readied_.wait_for(lock, patience, [this] { return is_closed_ || !ready_.empty(); });
  if (ready_.empty()) return nullptr;
  chunk* result = ready_.front();
  ready_.pop_front();
  return result;
}

void chunk_pool::close() {
  {
    const std::scoped_lock lock(mutex_);
    is_closed_ = true;
  }
  readied_.notify_all();
}

bool chunk_pool::is_finished() const {
  const std::scoped_lock lock(mutex_);
  return is_closed_ && ready_.empty();
}

std::size_t chunk_pool::n_free() const {
  const std::scoped_lock lock(mutex_);
  return free_.size();
}

}  // namespace wingbeat::receive
