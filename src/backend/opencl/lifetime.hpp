// SPDX-License-Identifier: Apache-2.0
// OpenCL's driver may be called while the program runs, in the process that opened it.
//
// At exit a driver's own objects with static storage are destroyed, such as the LLVM inside PoCL,
// while its threads may still compile queued kernels. So open queues are finished before that:
//   1. when the main thread's thread_local objects are destroyed, before any static object;
//   2. in a static object's destructor, which runs before those of the driver that was loaded
//      before it. From then on no function of the driver is called.
#pragma once

namespace wingbeat::backend::opencl {

/// A command queue that is finished at exit while it is registered.
class finishable {
 public:
  virtual void finish_at_exit() noexcept = 0;

 protected:
  ~finishable() = default;
};

/// Records that the driver is loaded and belongs to this process. From the first call on,
/// registered queues are finished at exit.
void begin_driver_use();

void register_queue(finishable& queue);
void unregister_queue(finishable& queue) noexcept;

/// Finishes the registered queues when the calling thread ends, if it is the main thread.
void finish_with_main_thread();

/// Returns false once the driver is closed at exit, and in forked children, which do not have its
/// threads. Destructors then release nothing.
[[nodiscard]] bool is_driver_usable() noexcept;

/// Throws `device_error` unless the driver is usable.
void require_usable_driver();

}  // namespace wingbeat::backend::opencl
