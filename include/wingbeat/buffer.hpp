// SPDX-License-Identifier: Apache-2.0
// Memory on a device: owned by a `buffer`, or allocated by you and viewed by a `buffer_view`.
#pragma once

#include <cstddef>  // size_t
#include <memory>   // shared_ptr
#include <optional>

#include "wingbeat/devices.hpp"  // engine
#include "wingbeat/queue.hpp"    // queue

namespace wingbeat {

/// The device and the context in which memory was allocated.
struct memory_origin {
  engine runs_on = engine::host;
  int device_index = 0;           ///< `device_info::index`.
  const void* context = nullptr;  ///< cuda: a CUcontext; opencl: a cl_context; others: null.
};

/// A non-owning view of memory on a device.
///   host, reference: `handle` is a pointer in this process.
///   cuda:            `handle` is a device pointer (CUdeviceptr cast to void*).
///   opencl:          `handle` is a cl_mem.
/// A plan requires `offset_bytes` to be a multiple of two reals for complex numbers and for packed
/// real rows, of one real for planes and other real layouts, of its element for a functor; pointers
/// are aligned to one real, on cuda to the same multiple. docs/layouts.md has the rule in full.
struct buffer_view {
  void* handle = nullptr;
  std::size_t offset_bytes = 0;  ///< Into `handle`.
  std::size_t size_bytes = 0;    ///< From `offset_bytes` on.
  /// Where the memory was allocated: a queue of another device or context refuses it, but host and
  /// reference accept each other's. `buffer::view` sets it. Empty in a view of your own memory:
  /// `handle` is then used unchecked.
  std::optional<memory_origin> origin = {};
};

/// Owns bytes on the device behind a queue, which it keeps alive. Movable, not copyable.
class buffer {
 public:
  buffer() = default;

  /// Allocates `size_bytes`, not initialised. Throws `device_error` when memory runs out.
  buffer(const queue& on, std::size_t size_bytes);
  buffer(buffer&&) noexcept;
  buffer& operator=(buffer&&) noexcept;
  ~buffer();

  /// Returns the view of all of it; the reference lives as long as the buffer.
  [[nodiscard]] const buffer_view& view() const noexcept { return view_; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return view_.size_bytes; }

  /// Copies from this process to the device, after all work queued before on the queue the buffer
  /// was made with (`wait` for work on others first); returns when done.
  /// Throws `plan_error` outside the buffer or for a null pointer, `device_error` if the driver
  /// refuses.
  void write(const void* from, std::size_t size_bytes, std::size_t offset_bytes = 0);

  /// Copies from the device to this process, as `write` does the other way.
  void read(void* into, std::size_t size_bytes, std::size_t offset_bytes = 0) const;

 private:
  std::shared_ptr<backend::queue> owner_;
  buffer_view view_;
};

}  // namespace wingbeat
