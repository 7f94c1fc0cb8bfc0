// SPDX-License-Identifier: Apache-2.0
// Memory of this process that copies fast to and from a device.
#pragma once

#include <cstddef>  // byte, size_t
#include <memory>   // shared_ptr
#include <span>

#include "wingbeat/queue.hpp"  // queue

namespace wingbeat {

/// Owns bytes of this process that a device reaches at the full speed of its bus: page-locked on
/// cuda, ordinary memory aligned to 64 bytes on the other engines. Pinning is slow and takes memory
/// from all other processes: allocate once and reuse. Movable, not copyable.
class pinned_memory {
 public:
  pinned_memory() = default;

  /// Allocates `size_bytes`, not initialised, for devices of the engine behind the queue, which it
  /// keeps alive. Throws `device_error` when memory runs out.
  pinned_memory(const queue& on, std::size_t size_bytes);
  pinned_memory(pinned_memory&&) noexcept;
  pinned_memory& operator=(pinned_memory&&) noexcept;
  ~pinned_memory();

  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }

 private:
  std::shared_ptr<backend::queue> owner_;
  std::span<std::byte> bytes_;
};

}  // namespace wingbeat
