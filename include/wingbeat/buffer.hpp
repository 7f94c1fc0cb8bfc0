// SPDX-License-Identifier: Apache-2.0
// Memory on a device: owned by a `buffer`, or yours and described by a `buffer_view`.
#pragma once

#include <cstddef>  // size_t
#include <memory>   // shared_ptr

#include "wingbeat/queue.hpp"  // queue

namespace wingbeat {

/// Bytes on a device, owned by somebody else.
///   host, reference: `handle` is a pointer in this process.
///   cuda:            `handle` is a device pointer (CUdeviceptr cast to void*).
///   opencl:          `handle` is a cl_mem.
struct buffer_view {
  void* handle = nullptr;
  std::size_t offset_bytes = 0;  ///< Into `handle`; a multiple of two reals, also for real data,
                                 ///< or of a functor's elements.
  std::size_t size_bytes = 0;    ///< From `offset_bytes` on.
};

/// Owns bytes on the device behind a queue, which it keeps alive. Movable, not copyable.
class buffer {
 public:
  buffer() = default;

  /// Allocates `size_bytes`, not initialised. Throws `device_error` when memory runs out.
  buffer(const queue& where, std::size_t size_bytes);
  buffer(buffer&&) noexcept;
  buffer& operator=(buffer&&) noexcept;
  ~buffer();

  [[nodiscard]] buffer_view view() const noexcept { return view_; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return view_.size_bytes; }

  /// Copies from this process to the device, after all work queued before on the queue the buffer
  /// was made with (`wait` for work on others first); returns when done.
  /// Throws `plan_error` outside the buffer, `device_error` if the driver refuses.
  void write(const void* from, std::size_t size_bytes, std::size_t offset_bytes = 0);

  /// Copies from the device to this process, as `write` does the other way.
  void read(void* into, std::size_t size_bytes, std::size_t offset_bytes = 0) const;

 private:
  std::shared_ptr<backend::queue> owner_;
  buffer_view view_;
};

}  // namespace wingbeat
