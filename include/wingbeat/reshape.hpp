// SPDX-License-Identifier: Apache-2.0
// An array that ranks have parts of, moved to other parts: what a transform over several devices
// does between two of its phases, for data of your own.
#pragma once

#include <cstddef>  // size_t
#include <memory>   // unique_ptr
#include <span>
#include <string>
#include <vector>

#include "wingbeat/buffer.hpp"        // buffer_view
#include "wingbeat/distribution.hpp"  // box
#include "wingbeat/domain.hpp"        // domain

namespace wingbeat {

struct reshape_spec {
  /// The parts that ranks have before and afterwards, a box for each rank, of up to 6 axes, with
  /// strides if they are not packed. Every element is in one box of each list.
  std::vector<box> before = {}, after = {};
  std::size_t element_bytes = 1;  ///< Elements are of any type and size.
};

/// Moves arrays between the ranks of a domain, as often as it is run: by kernels that store in the
/// memory of other ranks, or what goes to other processes by NCCL or TCP, as `process_manner` has
/// it. Bytes stay as they are.
///
///     reshape to_pencils{ranks, {slabs(lengths, 0, 4), pencils(lengths, 1, 2, 2, 2), 12}};
///     to_pencils.enqueue(from_views, to_views);
///
/// Not for several threads at once. Functions of one that was moved from throw `plan_error`.
class reshape {
 public:
  /// Throws `plan_error` or `device_error`; on all processes, where one of them requests what
  /// cannot be, or other boxes.
  reshape(const domain& ranks, reshape_spec spec);
  reshape(reshape&&) noexcept;
  reshape& operator=(reshape&&) noexcept;
  ~reshape();

  [[nodiscard]] const reshape_spec& spec() const;

  /// Returns the bytes of a rank's box, from its first element to its last, before and afterwards.
  [[nodiscard]] std::size_t in_bytes(std::size_t rank) const;
  [[nodiscard]] std::size_t out_bytes(std::size_t rank) const;

  /// Returns the bytes of memory that it has on a rank of this process for what other processes
  /// send, and where these do not store in it, for what goes to them.
  [[nodiscard]] std::size_t workspace_bytes(std::size_t rank) const;

  /// Returns the bytes that all ranks together send to others in one run.
  [[nodiscard]] std::size_t sent_bytes() const;

  /// Returns in words how much goes where, and how.
  [[nodiscard]] std::string explain() const;

  /// Queues one run on all ranks and returns, as `distributed_plan::enqueue` does. in, out: a view
  /// for each rank, which is not looked at where the rank has no elements or is of another process;
  /// none overlap. What lies between elements of a box stays as it is. Throws `plan_error` for
  /// views that are too small, on other devices or within an element.
  void enqueue(std::span<const buffer_view> in, std::span<const buffer_view> out);

  /// The same where this process has one rank.
  void enqueue(const buffer_view& in, const buffer_view& out);

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace wingbeat
