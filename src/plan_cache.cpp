// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/plan_cache.hpp"

#include <cstdint>   // uint64_t
#include <future>    // promise, shared_future
#include <iterator>  // prev
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>  // move

#include "backend/backend.hpp"  // queue
#include "request/key.hpp"      // key_of

namespace wingbeat {

namespace {

using made_plan = std::shared_ptr<const plan>;

/// A plan, or one that a thread is making.
struct entry {
  std::string key;
  std::uint64_t number;  ///< Tells it from a later one of the same key.
  std::shared_future<made_plan> ready;
};

}  // namespace

struct plan_cache::impl {
  using entries = std::list<entry>;

  explicit impl(std::size_t count) : capacity(count) {}

  std::mutex mutex;
  std::size_t capacity;
  entries by_use;  // the latest first
  std::unordered_map<std::string, entries::iterator> by_key;
  std::size_t n_hits = 0, n_misses = 0;
  std::uint64_t n_entries = 0;

  /// Returns the plan of a key if there is one. Call under the lock.
  std::optional<std::shared_future<made_plan>> find(const std::string& key) {
    const auto found = by_key.find(key);
    if (found == by_key.end()) return std::nullopt;
    by_use.splice(by_use.begin(), by_use, found->second);
    return found->second->ready;
  }

  /// Adds a plan that is about to be made, and drops those for which there is no room. Call under
  /// the lock. Returns its number.
  std::uint64_t add(const std::string& key, std::shared_future<made_plan> ready) {
    by_use.push_front({key, ++n_entries, std::move(ready)});
    by_key[key] = by_use.begin();
    const std::uint64_t number = n_entries;
    shrink();
    return number;
  }

  /// Drops the plans for which there is no room. Call under the lock.
  void shrink() {
    while (by_use.size() > capacity) drop(std::prev(by_use.end()));
  }

  void drop(entries::iterator which) {
    by_key.erase(which->key);
    by_use.erase(which);
  }

  /// Drops what could not be made, if it is still there.
  void forget(const std::string& key, std::uint64_t number) {
    const std::lock_guard held{mutex};
    const auto found = by_key.find(key);
    if (found != by_key.end() && found->second->number == number) drop(found->second);
  }
};

plan_cache::plan_cache(std::size_t capacity) : impl_(new impl{capacity}) {}
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
      // Made with another queue, perhaps: this one has to have room for it, too.
      on.impl()->reserve(ready->workspace_bytes());
      return ready;
    }
    ++impl_->n_misses;
    if (key) number = impl_->add(*key, promise.get_future().share());
  }
  try {
    auto ready = std::make_shared<const plan>(on, spec);
    promise.set_value(ready);
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

std::size_t plan_cache::n_hits() const {
  const std::lock_guard held{impl_->mutex};
  return impl_->n_hits;
}

std::size_t plan_cache::n_misses() const {
  const std::lock_guard held{impl_->mutex};
  return impl_->n_misses;
}

}  // namespace wingbeat
