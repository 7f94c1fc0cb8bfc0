// SPDX-License-Identifier: Apache-2.0
// Makes templates of zero mean and norm 1, so that their correlation with an image needs only the
// norms of its windows.
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

/// Makes unit templates (t - mean) / sqrt(sum of (t - mean)^2), zeros for a constant template; and
/// tables of their sums if requested.
class unit_templates {
 public:
  /// Compiles kernels if the device's engine does. `lengths`: height, width.
  unit_templates(const queue& on, std::vector<std::size_t> lengths, precision real, bool has_rim);

  /// Returns the bytes of scratch that `count` templates take.
  [[nodiscard]] std::size_t sums_bytes(std::size_t count) const {
    return count * 3 * n_parts_ * sum_bytes_;
  }

  /// Queues `count` templates, with scratch. rim: [template][h + 1][w + 1], sums of the elements
  /// above and to the left; unused without `has_rim`.
  void enqueue(queue& on, buffer_view templates, std::size_t count, buffer_view sums,
               buffer_view out, buffer_view rim) const;

  /// Returns the bytes that `enqueue` reads and writes for each template: the sum over its
  /// launches, during which a template stays in the cache.
  [[nodiscard]] std::size_t traffic_bytes() const;

 private:
  /// arrays: those of `in`, `sums` and `out` that the body called `name` takes, in this order.
  [[nodiscard]] std::unique_ptr<const kernel> body(const queue& on, std::string_view name,
                                                   std::vector<std::string_view> arrays,
                                                   unsigned threads,
                                                   std::size_t scratch_bytes) const;

  std::size_t height_, width_;
  precision real_;
  bool has_rim_;
  std::size_t sum_bytes_;
  std::size_t n_parts_ = 1;  ///< Parts that a template is cut into.
  // Null on host and reference.
  std::unique_ptr<const kernel> sum_, vary_, scale_, sum_rows_, sum_columns_;
};

}  // namespace wingbeat::convolving
