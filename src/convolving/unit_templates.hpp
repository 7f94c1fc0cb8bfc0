// SPDX-License-Identifier: Apache-2.0
// Templates without their means and divided by their norms, so that their correlation with an image
// needs but the norms of its windows.
#pragma once

#include <cstddef>  // size_t
#include <memory>   // unique_ptr
#include <string_view>
#include <vector>

#include "wingbeat/buffer.hpp"  // buffer_view
#include "wingbeat/kernel.hpp"  // kernel
#include "wingbeat/plan.hpp"    // precision
#include "wingbeat/queue.hpp"   // queue

namespace wingbeat::convolving {

/// Makes unit templates (t - mean) / sqrt(sum of (t - mean)^2), zeros of a constant one; and tables
/// of their sums where asked for.
class unit_templates {
 public:
  /// Compiles kernels where the device's engine does. `lengths`: height, width.
  unit_templates(const queue& on, std::vector<std::size_t> lengths, precision real, bool has_rim);

  /// Queues `count` templates. rim: [template][h + 1][w + 1], sums of the elements above and to the
  /// left; unused without `has_rim`.
  void enqueue(queue& on, buffer_view templates, std::size_t count, buffer_view out,
               buffer_view rim) const;

  /// Returns the bytes that `enqueue` reads and writes for each template: those of each launch, in
  /// which a template is in the cache.
  [[nodiscard]] std::size_t traffic_bytes() const;

 private:
  [[nodiscard]] std::unique_ptr<const kernel> body(const queue& on, std::string_view name,
                                                   bool has_input, unsigned threads,
                                                   std::size_t scratch_bytes) const;

  std::size_t height_, width_;
  precision real_;
  bool has_rim_;
  std::unique_ptr<const kernel> scale_, sum_rows_, sum_columns_;  // null on host and reference
};

}  // namespace wingbeat::convolving
