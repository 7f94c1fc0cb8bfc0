// SPDX-License-Identifier: Apache-2.0
// Keeps the objects that calls used last, by what tells one from another.
#pragma once

#include <array>
#include <cstddef>  // size_t
#include <list>
#include <memory>  // shared_ptr
#include <mutex>

namespace wingbeat::python {

/// A bounded cache that threads share. Threads that miss one key at a time make an object each.
template <class Key, class Object>
class latest_used {
 public:
  using pointer = std::shared_ptr<const Object>;

  explicit latest_used(std::size_t capacity) : capacity_(capacity) {}

  /// Returns the object of a key, which `make` makes where none is kept.
  template <class Make>
  pointer get(const Key& key, const Make& make) {
    if (pointer found = find(key)) return found;
    pointer result = make();
    const std::lock_guard held{mutex_};
    ++n_misses_;
    by_use_.push_front({key, result});
    shrink();
    return result;
  }

  void clear() {
    const std::lock_guard held{mutex_};
    by_use_.clear();
  }

  void resize(std::size_t capacity) {
    const std::lock_guard held{mutex_};
    capacity_ = capacity;
    shrink();
  }

  /// Returns {kept, capacity, hits, misses}.
  [[nodiscard]] std::array<std::size_t, 4> info() {
    const std::lock_guard held{mutex_};
    return {by_use_.size(), capacity_, n_hits_, n_misses_};
  }

 private:
  struct entry {
    Key key;
    pointer kept;
  };

  pointer find(const Key& key) {
    const std::lock_guard held{mutex_};
    for (auto each = by_use_.begin(); each != by_use_.end(); ++each) {
      if (!(each->key == key)) continue;
      ++n_hits_;
      by_use_.splice(by_use_.begin(), by_use_, each);
      return by_use_.front().kept;
    }
    return nullptr;
  }

  void shrink() {
    while (by_use_.size() > capacity_) by_use_.pop_back();
  }

  std::mutex mutex_;
  std::list<entry> by_use_;  // the latest first
  std::size_t capacity_, n_hits_ = 0, n_misses_ = 0;
};

}  // namespace wingbeat::python
