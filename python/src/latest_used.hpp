// SPDX-License-Identifier: Apache-2.0
// A cache of the most recently used objects, in bounded memory.
#pragma once

#include <algorithm>  // max
#include <array>
#include <cstddef>   // size_t
#include <iterator>  // prev
#include <list>
#include <memory>  // shared_ptr
#include <mutex>   // lock_guard
#include <vector>

#include "system/fork_safe_mutex.hpp"  // fork_safe_mutex
#include "wingbeat/plan_cache.hpp"     // plan_cache::default_max_bytes
#include "wingbeat/table_memory.hpp"   // table_bytes_of_thread

namespace wingbeat::python {

/// A cache of any objects.
class bounded_cache {
 public:
  virtual void clear() = 0;
  virtual void resize(std::size_t capacity, std::size_t max_bytes) = 0;
  /// Returns {kept, capacity, hits, misses, bytes, most bytes}.
  [[nodiscard]] virtual std::array<std::size_t, 6> info() = 0;

 protected:
  ~bounded_cache() = default;
};

/// Returns the caches of this process. They are never destroyed, because drivers may be gone when
/// static objects are destroyed. Changed only under the GIL.
[[nodiscard]] std::vector<bounded_cache*>& bounded_caches();

/// A cache shared by threads, bounded by a number of objects and by the bytes of their tables; the
/// latest object may exceed those bytes. Threads that miss the same key at once make an object
/// each.
template <class Key, class Object>
class latest_used final : public bounded_cache {
 public:
  using pointer = std::shared_ptr<const Object>;

  /// `is_counted`: it is one of `bounded_caches`.
  explicit latest_used(std::size_t capacity, bool is_counted = true) : capacity_(capacity) {
    if (is_counted) bounded_caches().push_back(this);
  }

  /// Returns the object of a key; calls `make` if the cache has none.
  template <class Make>
  pointer get(const Key& key, const Make& make) {
    if (pointer found = find(key)) return found;
    const std::ptrdiff_t before = table_bytes_of_thread();
    pointer result = make();
    const std::ptrdiff_t bytes = std::max<std::ptrdiff_t>(table_bytes_of_thread() - before, 0);
    std::list<entry> dropped;
    const std::lock_guard held{mutex_};
    ++n_misses_;
    by_use_.push_front({key, result, static_cast<std::size_t>(bytes)});
    bytes_ += by_use_.front().bytes;
    dropped = excess();
    return result;
  }

  void clear() override {
    std::list<entry> dropped;
    const std::lock_guard held{mutex_};
    dropped.swap(by_use_);
    bytes_ = 0;
  }

  void resize(std::size_t capacity, std::size_t max_bytes) override {
    std::list<entry> dropped;
    const std::lock_guard held{mutex_};
    capacity_ = capacity;
    max_bytes_ = max_bytes;
    dropped = excess();
  }

  [[nodiscard]] std::array<std::size_t, 6> info() override {
    const std::lock_guard held{mutex_};
    return {by_use_.size(), capacity_, n_hits_, n_misses_, bytes_, max_bytes_};
  }

 private:
  struct entry {
    Key key;
    pointer kept;
    std::size_t bytes;
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

  /// Removes entries beyond the bounds. The caller destroys them without the lock, because objects
  /// have such locks.
  std::list<entry> excess() {
    std::list<entry> dropped;
    while (by_use_.size() > capacity_ || (bytes_ > max_bytes_ && by_use_.size() > 1)) {
      bytes_ -= by_use_.back().bytes;
      dropped.splice(dropped.end(), by_use_, std::prev(by_use_.end()));
    }
    return dropped;
  }

  fork_safe_mutex mutex_;
  std::list<entry> by_use_;  // latest first
  std::size_t capacity_, max_bytes_ = plan_cache::default_max_bytes, bytes_ = 0;
  std::size_t n_hits_ = 0, n_misses_ = 0;
};

}  // namespace wingbeat::python
