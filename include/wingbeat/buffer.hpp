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
/// `offset_bytes` must be a multiple of the alignment unit: two reals for complex numbers and for
/// packed real rows, one real for planes and other real layouts, the functor's element for a
/// functor. Pointers are aligned to one real; on cuda they are aligned to that unit.
/// docs/layouts.md has the rule in full.
struct buffer_view {
  void* handle = nullptr;
  std::size_t offset_bytes = 0;  ///< Into `handle`.
  std::size_t size_bytes = 0;    ///< Counted from `offset_bytes`.
  /// Where the memory was allocated. A queue of another device or context refuses the view, except
  /// that host and reference accept each other's. `buffer::view` sets it. It is empty in a view of
  /// your own memory, whose `handle` is used unchecked.
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

  /// Copies from this process to the device, after all work queued earlier on the queue that the
  /// buffer was made with (`wait` for work on other queues first); returns when done. Throws
  /// `plan_error` outside the buffer or for a null pointer, `device_error` if the driver refuses.
  void write(const void* source, std::size_t size_bytes, std::size_t offset_bytes = 0);

  /// Copies from the device to this process; otherwise as `write`.
  void read(void* into, std::size_t size_bytes, std::size_t offset_bytes = 0) const;

 private:
  std::shared_ptr<backend::queue> owner_;
  buffer_view view_;
};

}  // namespace wingbeat
