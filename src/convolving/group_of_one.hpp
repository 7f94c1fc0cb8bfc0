// SPDX-License-Identifier: Apache-2.0
// Runs bodies of device kernels in this process, with workgroups of one thread each.
#pragma once

#include <cstddef>  // byte, size_t

#include "wingbeat/buffer.hpp"  // buffer_view

namespace wingbeat::convolving {

struct group_of_one {
  std::size_t number;

  [[nodiscard]] std::size_t index() const { return number; }
  [[nodiscard]] static unsigned thread() { return 0; }
  static void barrier() {}
};

/// Returns where a view of memory in this process begins.
template <class Value>
Value* pointer_of(buffer_view view) {
  return reinterpret_cast<Value*>(static_cast<std::byte*>(view.handle) + view.offset_bytes);
}

}  // namespace wingbeat::convolving
