// SPDX-License-Identifier: Apache-2.0
// A queue whose device is this process: memory is the heap, and work is done at once.
#pragma once

#include "backend/backend.hpp"  // queue, mark

namespace wingbeat::reference {

class queue final : public backend::queue {
 public:
  using backend::queue::queue;
  ~queue() override;

  [[nodiscard]] void* allocate(std::size_t size_bytes) override;
  void release(void* handle) noexcept override;
  void write(buffer_view to, const void* from) override;
  void read(void* to, buffer_view from) override;
  void copy(buffer_view to, buffer_view from) override;
  void wait() override {}
  [[nodiscard]] std::unique_ptr<backend::mark> record() override;
};

/// Returns the address of the first byte of a view of this process's memory.
[[nodiscard]] inline char* first_byte(buffer_view view) {
  return static_cast<char*>(view.handle) + view.offset_bytes;
}

}  // namespace wingbeat::reference
