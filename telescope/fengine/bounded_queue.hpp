// SPDX-License-Identifier: Apache-2.0
// A queue between threads with a maximum number of items.
#pragma once

#include <condition_variable>
#include <cstddef>  // size_t
#include <deque>
#include <mutex>
#include <optional>
#include <utility>  // move

namespace wingbeat::fengine {

template <class Item>
class bounded_queue {
 public:
  explicit bounded_queue(std::size_t capacity) : capacity_(capacity) {}

  /// Waits for room. Returns false if the queue is closed; then the item is dropped.
  bool push(Item item) {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return is_closed_ || items_.size() < capacity_; });
    if (is_closed_) return false;
    items_.push_back(std::move(item));
    changed_.notify_all();
    return true;
  }

  /// Waits for an item and returns the oldest; none if the queue is closed and empty.
  [[nodiscard]] std::optional<Item> pop() {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return is_closed_ || !items_.empty(); });
    if (items_.empty()) return std::nullopt;
    std::optional<Item> first{std::move(items_.front())};
    items_.pop_front();
    changed_.notify_all();
    return first;
  }

  /// Ends all waits. Remaining items can still be taken.
  void close() {
    const std::lock_guard lock{mutex_};
    is_closed_ = true;
    changed_.notify_all();
  }

  [[nodiscard]] std::size_t size() const {
    const std::lock_guard lock{mutex_};
    return items_.size();
  }

 private:
  std::size_t capacity_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  bool is_closed_ = false;
};

}  // namespace wingbeat::fengine
