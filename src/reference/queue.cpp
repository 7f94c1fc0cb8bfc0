// SPDX-License-Identifier: Apache-2.0
#include "reference/queue.hpp"

#include <chrono>   // steady_clock
#include <cstdint>  // PTRDIFF_MAX
#include <cstring>  // memcpy, memmove
#include <new>      // align_val_t, nothrow

#include "text/formatted.hpp"  // formatted
#include "wingbeat/error.hpp"  // device_error

namespace wingbeat::reference {
namespace {

constexpr std::align_val_t alignment{64};

class clock_mark final : public backend::mark {
 public:
  [[nodiscard]] double seconds_since(const backend::mark& earlier) const override {
    const auto& begin = dynamic_cast<const clock_mark&>(earlier);
    return std::chrono::duration<double>(at_ - begin.at_).count();
  }

 private:
  std::chrono::steady_clock::time_point at_ = std::chrono::steady_clock::now();
};

}  // namespace

queue::~queue() {
  drop_workspace();
}

void* queue::allocate(std::size_t size_bytes) {
  // operator new rounds up to the alignment, which may wrap to 0.
  void* const memory =
      size_bytes > PTRDIFF_MAX ? nullptr : ::operator new(size_bytes, alignment, std::nothrow);
  if (memory == nullptr) {
    throw device_error(
        formatted("{} bytes of memory were refused to engine reference; transform less at a time",
                  size_bytes));
  }
  return memory;
}

void queue::release(void* handle) noexcept {
  ::operator delete(handle, alignment);
}

void queue::write(buffer_view to, const void* from) {
  std::memcpy(first_byte(to), from, to.size_bytes);
}

void queue::read(void* to, buffer_view from) {
  std::memcpy(to, first_byte(from), from.size_bytes);
}

void queue::copy(buffer_view to, buffer_view from) {
  std::memmove(first_byte(to), first_byte(from), from.size_bytes);
}

std::unique_ptr<backend::mark> queue::record() {
  return std::make_unique<clock_mark>();
}

}  // namespace wingbeat::reference
