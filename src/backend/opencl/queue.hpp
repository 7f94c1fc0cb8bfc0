// SPDX-License-Identifier: Apache-2.0
// An in-order OpenCL command queue, ours or the caller's, and the memory of its device.
#pragma once

#include "backend/backend.hpp"        // queue, mark
#include "backend/opencl/device.hpp"  // device
#include "backend/opencl/driver.hpp"
#include "backend/opencl/lifetime.hpp"  // finishable
#include "backend/opencl/status.hpp"    // owned

namespace wingbeat::backend::opencl {

/// Refers to `device` until it is gone.
class queue final : public backend::queue, private finishable {
 public:
  /// Creates a command queue with profiling. Throws `device_error`.
  queue(const driver_api& api, const opencl::device& device, context_handle context);

  /// Retains the caller's queue. Throws `plan_error` if it runs out of order.
  queue(const driver_api& api, const opencl::device& device, queue_handle adopted);

  /// Waits for work on a queue of ours, because PoCL must not be compiling when the program ends.
  ~queue() override;

  [[nodiscard]] queue_handle handle() const noexcept { return queue_.get(); }
  [[nodiscard]] context_handle context() const noexcept { return context_.get(); }
  [[nodiscard]] const opencl::device& driver_device() const noexcept { return driver_device_; }

  [[nodiscard]] const void* native_context() const noexcept override { return context_.get(); }
  [[nodiscard]] void* allocate(std::size_t size_bytes) override;
  void release(void* handle) noexcept override;
  void write(buffer_view to, const void* from) override;
  void read(void* to, buffer_view from) override;
  [[nodiscard]] std::shared_ptr<backend::queue> open_beside() const override;
  void after(const mark& awaited) override;
  void write_later(buffer_view to, const void* from) override;
  void read_later(void* to, buffer_view from) override;
  void clear(buffer_view memory) override;
  void copy(buffer_view to, buffer_view from) override;
  void wait() override;
  [[nodiscard]] std::unique_ptr<backend::mark> record() override;

 private:
  void finish_at_exit() noexcept override;
  /// Copy, and return when done (`waits`) or at once.
  void send(buffer_view to, const void* from, bool waits);
  void fetch(void* to, buffer_view from, bool waits);

  const driver_api& api_;
  const opencl::device& driver_device_;
  owned<context_handle> context_;
  owned<queue_handle> queue_;
  bool has_profiling_ = true;
  bool is_adopted_ = false;
};

/// Returns the queue's value of one property. Throws `device_error`.
template <class Value>
[[nodiscard]] Value queue_value(const driver_api& api, queue_handle handle, std::uint32_t name) {
  Value value{};
  check(api.queue_info(handle, name, sizeof value, &value, nullptr), "describe a command queue");
  return value;
}

/// Returns `on` as a queue of this engine. Throws `plan_error` if it is another engine's.
[[nodiscard]] queue& opencl_queue(backend::queue& on);

}  // namespace wingbeat::backend::opencl
