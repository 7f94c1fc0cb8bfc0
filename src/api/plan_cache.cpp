// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/plan_cache.hpp"

#include <unistd.h>  // getpid

#include <algorithm>  // max
#include <chrono>     // seconds
#include <cstdint>    // uint64_t
#include <future>     // promise, shared_future
#include <iterator>   // prev
#include <list>
#include <mutex>  // lock_guard, unique_lock
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>  // move

#include "backend/backend.hpp"         // queue
#include "request/key.hpp"             // key_of
#include "system/fork_safe_mutex.hpp"  // fork_safe_mutex
#include "wingbeat/table_memory.hpp"   // table_bytes_of_thread

namespace wingbeat {

namespace {

using made_plan = std::shared_ptr<const plan>;

/// A plan, or one that a thread is making.
struct entry {
  std::string key;
  std::uint64_t number;  ///< Distinguishes it from a later plan of the same key.
  int process;           ///< The process whose thread makes it.
  std::shared_future<made_plan> ready;
  std::size_t bytes = 0;  ///< Bytes of its tables, once it is made.

  /// Returns whether the thread that was to make it is missing in this forked child.
  [[nodiscard]] bool is_abandoned() const {
    const bool is_made = ready.wait_for(std::chrono::seconds{0}) == std::future_status::ready;
    return !is_made && process != ::getpid();
  }
};

}  // namespace

struct plan_cache::impl {
  using entries = std::list<entry>;

  impl(std::size_t count, std::size_t bound) : capacity(count), max_bytes(bound) {}

  fork_safe_mutex mutex;
  std::size_t capacity, max_bytes, bytes = 0;
  entries by_use;  // the most recently used first
  std::unordered_map<std::string, entries::iterator> by_key;
  std::size_t n_hits = 0, n_misses = 0;
  std::uint64_t n_entries = 0;

  /// Returns the plan of a key if there is one. Call under the lock.
  std::optional<std::shared_future<made_plan>> find(const std::string& key) {
    const auto found = by_key.find(key);
    if (found == by_key.end()) return std::nullopt;
    if (found->second->is_abandoned()) {
      drop(found->second);
      return std::nullopt;
    }
    by_use.splice(by_use.begin(), by_use, found->second);
    return found->second->ready;
  }

  /// Adds a plan that is about to be made, and drops plans that no longer fit. Call under the lock.
  /// Returns its number.
  std::uint64_t add(const std::string& key, std::shared_future<made_plan> ready) {
    by_use.push_front({key, ++n_entries, ::getpid(), std::move(ready)});
    by_key[key] = by_use.begin();
    const std::uint64_t number = n_entries;
    shrink();
    return number;
  }

  /// Drops plans that no longer fit. Call under the lock.
  void shrink() {
    while (by_use.size() > capacity || (bytes > max_bytes && by_use.size() > 1)) {
      drop(std::prev(by_use.end()));
    }
  }

  void drop(entries::iterator entry) {
    bytes -= entry->bytes;
    by_key.erase(entry->key);
    by_use.erase(entry);
  }

  /// Records the bytes of a plan's tables, if the plan is still kept.
  void weigh(const std::string& key, std::uint64_t number, std::ptrdiff_t table_bytes) {
    const std::lock_guard held{mutex};
    const auto found = by_key.find(key);
    if (found == by_key.end() || found->second->number != number) return;
    found->second->bytes = static_cast<std::size_t>(std::max<std::ptrdiff_t>(table_bytes, 0));
    bytes += found->second->bytes;
    shrink();
  }

  /// Drops a plan that could not be made, if it is still kept.
  void forget(const std::string& key, std::uint64_t number) {
    const std::lock_guard held{mutex};
    const auto found = by_key.find(key);
    if (found != by_key.end() && found->second->number == number) drop(found->second);
  }
};

plan_cache::plan_cache(std::size_t capacity, std::size_t max_bytes)
    : impl_(new impl{capacity, max_bytes}) {}
plan_cache::~plan_cache() = default;

made_plan plan_cache::get(const queue& on, const plan_spec& spec) {
  std::optional<std::string> key = request::key_of(on.device(), spec);
  const void* const context = on.impl()->native_context();
  if (key && context != nullptr) {
    key->append(reinterpret_cast<const char*>(&context), sizeof context);
  }
  std::promise<made_plan> promise;
  std::uint64_t number = 0;
  {
    std::unique_lock held{impl_->mutex};
    if (const auto found = key ? impl_->find(*key) : std::nullopt) {
      ++impl_->n_hits;
      held.unlock();
      made_plan ready = found->get();
      // The plan may have been made with another queue, so this queue reserves its workspace, too.
      on.impl()->reserve(ready->workspace_bytes());
      return ready;
    }
    ++impl_->n_misses;
    if (key) number = impl_->add(*key, promise.get_future().share());
  }
  try {
    const std::ptrdiff_t before = table_bytes_of_thread();
    auto ready = std::make_shared<const plan>(on, spec);
    promise.set_value(ready);
    if (key) impl_->weigh(*key, number, table_bytes_of_thread() - before);
    return ready;
  } catch (...) {
    if (key) impl_->forget(*key, number);
    promise.set_exception(std::current_exception());
    throw;
  }
}

void plan_cache::clear() {
  const std::lock_guard held{impl_->mutex};
  impl_->by_key.clear();
  impl_->by_use.clear();
  impl_->bytes = 0;
}

void plan_cache::resize_bytes(std::size_t max_bytes) {
  const std::lock_guard held{impl_->mutex};
  impl_->max_bytes = max_bytes;
  impl_->shrink();
}

void plan_cache::resize(std::size_t capacity) {
  const std::lock_guard held{impl_->mutex};
  impl_->capacity = capacity;
  impl_->shrink();
}

std::size_t plan_cache::size() const {
  const std::lock_guard held{impl_->mutex};
  return impl_->by_use.size();
}

std::size_t plan_cache::capacity() const {
  const std::lock_guard held{impl_->mutex};
  return impl_->capacity;
}

std::size_t plan_cache::bytes() const {
  const std::lock_guard held{impl_->mutex};
  return impl_->bytes;
}

std::size_t plan_cache::max_bytes() const {
  const std::lock_guard held{impl_->mutex};
  return impl_->max_bytes;
}

std::size_t plan_cache::n_hits() const {
  const std::lock_guard held{impl_->mutex};
  return impl_->n_hits;
}

std::size_t plan_cache::n_misses() const {
  const std::lock_guard held{impl_->mutex};
  return impl_->n_misses;
}

}  // namespace wingbeat
