// SPDX-License-Identifier: Apache-2.0
#include "system/thread_memory.hpp"

#include <cstdlib>  // malloc, free
#include <new>      // bad_alloc
#include <utility>  // exchange

namespace wingbeat {
namespace {

struct block {
  void* memory;
  std::size_t size_bytes;
};

// Without a destructor, because destructors of static objects may transform after the main thread's
// thread_local objects were destroyed: they then find no memory here and allocate anew.
constinit thread_local block kept{nullptr, 0};

struct kept_guard {
  ~kept_guard() { std::free(std::exchange(kept, {nullptr, 0}).memory); }
};

}  // namespace

thread_memory::thread_memory(std::size_t size_bytes)
    : size_bytes_(size_bytes), capacity_bytes_(size_bytes) {
  thread_local const kept_guard guard;
  const block own = std::exchange(kept, {nullptr, 0});
  if (own.size_bytes >= size_bytes) {
    memory_ = own.memory;
    capacity_bytes_ = own.size_bytes;
    return;
  }
  std::free(own.memory);
  memory_ = std::malloc(size_bytes);
  if (memory_ == nullptr) throw std::bad_alloc{};
}

thread_memory::~thread_memory() {
  std::free(std::exchange(kept, {memory_, capacity_bytes_}).memory);
}

}  // namespace wingbeat
