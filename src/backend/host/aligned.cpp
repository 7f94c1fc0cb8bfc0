// SPDX-License-Identifier: Apache-2.0
#include "backend/host/aligned.hpp"

#include <malloc.h>  // malloc_usable_size

#include <cstdlib>  // aligned_alloc, free
#include <limits>   // numeric_limits

#include "system/table_memory.hpp"  // count_table_bytes
#include "text/formatted.hpp"       // formatted
#include "wingbeat/error.hpp"       // device_error

#if defined(__linux__)
#include <sys/mman.h>  // madvise
#endif

namespace wingbeat::backend::host {

void* allocate_aligned(std::size_t size_bytes) {
  constexpr std::size_t huge_page_bytes = std::size_t{1} << 21;
  const bool is_large = size_bytes >= 2 * huge_page_bytes;
  const std::size_t alignment = is_large ? huge_page_bytes : alignment_bytes;
  void* memory = nullptr;
  if (size_bytes <= std::numeric_limits<std::size_t>::max() / 2) {
    const std::size_t whole = (size_bytes + alignment - 1) / alignment * alignment;
    memory = std::aligned_alloc(alignment, whole == 0 ? alignment : whole);
#if defined(__linux__)
    // A column of a large matrix touches a page per row: with 4 KiB pages the TLB thrashes.
    if (is_large && memory != nullptr) static_cast<void>(madvise(memory, whole, MADV_HUGEPAGE));
#endif
  }
  if (memory == nullptr) {
    throw memory_error(formatted(
        "asked {} bytes of host memory and got none; use a smaller batch or length", size_bytes));
  }
  return memory;
}

void* allocate_table(std::size_t size_bytes) {
  void* const memory = allocate_aligned(size_bytes);
  count_table_bytes(static_cast<std::ptrdiff_t>(malloc_usable_size(memory)));
  return memory;
}

void free_table::operator()(void* memory) const noexcept {
  count_table_bytes(-static_cast<std::ptrdiff_t>(malloc_usable_size(memory)));
  std::free(memory);
}

namespace {

// Has no destructor, because destructors of static objects may run transforms after the main
// thread's thread_local objects were destroyed; they then find no memory here and allocate it
// again.
struct scratch {
  std::byte* memory;
  std::size_t size_bytes;

  void drop() noexcept {
    std::free(memory);
    *this = {nullptr, 0};
  }
};

constinit thread_local scratch held{nullptr, 0};

struct scratch_guard {
  ~scratch_guard() { held.drop(); }
};

}  // namespace

void* thread_scratch(std::size_t size_bytes) {
  thread_local const scratch_guard guard;
  if (held.size_bytes < size_bytes) {
    held.drop();
    held = {static_cast<std::byte*>(allocate_aligned(size_bytes)), size_bytes};
  }
  return held.memory;
}

}  // namespace wingbeat::backend::host
