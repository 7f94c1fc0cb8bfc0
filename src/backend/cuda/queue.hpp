// SPDX-License-Identifier: Apache-2.0
// A CUDA stream, ours or the caller's, and the memory of its device.
#pragma once

#include "backend/backend.hpp"  // queue, mark
#include "backend/cuda/driver.hpp"

namespace wingbeat::backend::cuda {

/// Any thread may call any member: each enters the queue's context by itself.
class queue final : public backend::queue {
 public:
  /// Creates a stream in `context`. Throws `device_error`.
  queue(const driver_api& api, context_handle context, device_info device,
        int priority = usual_priority);

  /// Adopts the caller's stream of `context`; null is its default stream.
  queue(const driver_api& api, context_handle context, device_info device, stream_handle adopted);
  ~queue() override;

  [[nodiscard]] const driver_api& api() const noexcept { return api_; }
  [[nodiscard]] context_handle context() const noexcept { return context_; }
  [[nodiscard]] stream_handle stream() const noexcept { return stream_; }

  [[nodiscard]] const void* native_context() const noexcept override { return context_; }
  [[nodiscard]] void* allocate(std::size_t size_bytes) override;
  void release(void* handle) noexcept override;
  void write(buffer_view to, const void* from) override;
  void read(void* to, buffer_view from) override;
  void wait() override;
  [[nodiscard]] std::unique_ptr<backend::mark> record() override;
  [[nodiscard]] std::shared_ptr<backend::queue> open_beside() const override;
  void after(const backend::mark& awaited) override;
  void write_later(buffer_view to, const void* from) override;
  void read_later(void* to, buffer_view from) override;
  [[nodiscard]] void* allocate_pinned(std::size_t size_bytes) override;
  void release_pinned(void* memory) noexcept override;
  void clear(buffer_view memory) override;
  void copy(buffer_view to, buffer_view from) override;
  void copy_rows(buffer_view to, buffer_view from, std::size_t row_bytes,
                 std::size_t stride) override;
  [[nodiscard]] std::unique_ptr<backend::repeated_calls> make_repeated_calls() const override;

 private:
  const driver_api& api_;
  context_handle context_;
  stream_handle stream_ = nullptr;
  bool is_adopted_;
  bool is_closing_ = false;
};

/// Returns `on` as a queue of this engine. Throws `plan_error` if it is another engine's.
[[nodiscard]] queue& cuda_queue(backend::queue& on);

}  // namespace wingbeat::backend::cuda
