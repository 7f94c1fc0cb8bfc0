// SPDX-License-Identifier: Apache-2.0
// Memory aligned to a cache line; large memory requests huge pages.
#pragma once

#include <cstddef>  // byte, size_t
#include <cstdint>  // uintptr_t
#include <memory>   // unique_ptr

#include "wingbeat/buffer.hpp"  // buffer_view

namespace wingbeat::backend::host {

inline constexpr std::size_t alignment_bytes = 64;

/// Returns the next multiple of the alignment.
constexpr std::size_t aligned_up(std::size_t size_bytes) {
  return (size_bytes + alignment_bytes - 1) / alignment_bytes * alignment_bytes;
}

/// Return the first byte of a view, and its first aligned byte; null for a view without memory.
inline std::byte* start_of(buffer_view view) {
  return static_cast<std::byte*>(view.handle) + view.offset_bytes;
}
inline std::byte* aligned_start_of(buffer_view view) {
  return reinterpret_cast<std::byte*>(aligned_up(reinterpret_cast<std::uintptr_t>(start_of(view))));
}

/// Returns uninitialised memory for free(). Throws `device_error` if there is none.
[[nodiscard]] void* allocate_aligned(std::size_t size_bytes);

/// Same, counted as memory of a table.
[[nodiscard]] void* allocate_table(std::size_t size_bytes);

struct free_table {
  void operator()(void* memory) const noexcept;
};

/// Owns aligned, uninitialised numbers.
template <class Real>
using aligned_array = std::unique_ptr<Real[], free_table>;

template <class Real>
[[nodiscard]] aligned_array<Real> make_aligned(std::size_t count) {
  return aligned_array<Real>{static_cast<Real*>(allocate_table(count * sizeof(Real)))};
}

/// Returns this thread's own scratch of at least `size_bytes`; valid until its next call.
[[nodiscard]] void* thread_scratch(std::size_t size_bytes);

}  // namespace wingbeat::backend::host
