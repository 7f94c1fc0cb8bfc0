// SPDX-License-Identifier: Apache-2.0
// Memory for one call that a thread keeps from call to call; calls may be nested.
#pragma once

#include <cstddef>  // size_t
#include <span>

namespace wingbeat {

/// Uninitialised memory of this thread. Code of users may run while it is held: a nested call that
/// asks for memory gets other memory.
class thread_memory {
 public:
  explicit thread_memory(std::size_t size_bytes);
  ~thread_memory();
  thread_memory(const thread_memory&) = delete;
  thread_memory& operator=(const thread_memory&) = delete;

  template <class Value>
  [[nodiscard]] std::span<Value> values() const {
    return {static_cast<Value*>(memory_), size_bytes_ / sizeof(Value)};
  }

 private:
  void* memory_ = nullptr;
  std::size_t size_bytes_;      ///< Requested bytes.
  std::size_t capacity_bytes_;  ///< Allocated bytes.
};

}  // namespace wingbeat
