// SPDX-License-Identifier: Apache-2.0
// A transform over the devices of this process, of arrays that the process holds whole.
#pragma once

#include <cstddef>  // byte, size_t
#include <span>
#include <vector>

#include "wingbeat/buffer.hpp"            // buffer, buffer_view
#include "wingbeat/distributed_plan.hpp"  // distributed_plan

namespace wingbeat::distributing {

/// Arrays are packed as for a plan of one device; with ranges, they have the elements within them.
class whole_run {
 public:
  /// Throws as `distributed_plan` does, and `plan_error` for functors.
  whole_run(const domain& ranks, distributed_spec spec);

  [[nodiscard]] const distributed_plan& transforms() const { return transforms_; }

  /// Gives ranks their parts of an input; queues a run; or returns when it is done.
  void write(std::span<const std::byte> input);
  void enqueue() { transforms_.enqueue(in_views_, out_views_); }
  void wait() const { ranks_.wait(); }

  /// Returns the output of the last run, over all ranks.
  [[nodiscard]] std::vector<std::byte> read() const;

 private:
  domain ranks_;
  distributed_plan transforms_;
  std::vector<buffer> in_, out_;
  std::vector<buffer_view> in_views_, out_views_;
};

/// Returns the ranks' parts of a packed array; or the packed array from its parts.
[[nodiscard]] std::vector<std::vector<std::byte>> parts_of(const std::vector<box>& boxes,
                                                           std::span<const std::byte> whole);
[[nodiscard]] std::vector<std::byte> whole_of(const std::vector<box>& boxes,
                                              const std::vector<std::vector<std::byte>>& parts);

/// Returns bins k1 + N1 k2 of one axis as ranks have them, [batch][k1][k2]; or back.
[[nodiscard]] std::vector<std::byte> as_two_axes(std::span<const std::byte> bins,
                                                 const std::vector<std::size_t>& lengths);
[[nodiscard]] std::vector<std::byte> as_one_axis(std::span<const std::byte> bins,
                                                 const std::vector<std::size_t>& lengths);

/// Returns the whole box that these boxes are cut from, and its lengths.
[[nodiscard]] box whole_box(const std::vector<box>& boxes);
[[nodiscard]] std::vector<std::size_t> whole_lengths(const std::vector<box>& boxes);

}  // namespace wingbeat::distributing
