// SPDX-License-Identifier: Apache-2.0
// Parts of a view.
#pragma once

#include "wingbeat/buffer.hpp"  // buffer_view

namespace wingbeat {

/// Returns the view of `size_bytes` from `offset_bytes` on.
[[nodiscard]] inline buffer_view part_of(buffer_view view, std::size_t offset_bytes,
                                         std::size_t size_bytes) {
  view.offset_bytes += offset_bytes;
  view.size_bytes = size_bytes;
  return view;
}

/// Returns the view from `offset_bytes` to its end.
[[nodiscard]] inline buffer_view rest_of(const buffer_view& view, std::size_t offset_bytes) {
  return part_of(view, offset_bytes, view.size_bytes - offset_bytes);
}

}  // namespace wingbeat
