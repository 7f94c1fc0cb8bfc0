// SPDX-License-Identifier: Apache-2.0
// Copies of boxes on the devices of a domain, of elements of any size.
#pragma once

#include <cstddef>  // size_t
#include <map>
#include <utility>  // pair

#include "wingbeat/buffer.hpp"        // buffer_view
#include "wingbeat/distribution.hpp"  // box
#include "wingbeat/domain.hpp"        // domain
#include "wingbeat/kernel.hpp"        // kernel

namespace wingbeat::distributing {

/// A box, and the memory that holds it.
struct placed_box {
  const box& elements;
  buffer_view memory;
};

class box_copier {
 public:
  /// Maximum number of axes of a box.
  static const std::size_t max_axes;

  /// Compiles kernels for this process's ranks, if their engines compile kernels.
  box_copier(const domain& ranks, std::size_t element_bytes);

  /// Returns the alignment of views in bytes.
  [[nodiscard]] std::size_t unit_bytes() const { return unit_bytes_; }

  /// Queues on a rank of this process a copy of `part` from one box to another, in any memory that
  /// its device reaches.
  void enqueue(std::size_t rank, const box& part, const placed_box& from, const placed_box& to);

 private:
  using context = std::pair<int, const void*>;  // a device, and the driver's context
  [[nodiscard]] static context context_of(const queue& on);

  domain ranks_;
  std::size_t element_bytes_, unit_bytes_;
  std::map<context, kernel> kernels_ = {};
};

}  // namespace wingbeat::distributing
