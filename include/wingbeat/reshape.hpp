// SPDX-License-Identifier: Apache-2.0
// Moves an array between two distributions over ranks: what a transform over several devices does
// between two of its phases, for data of your own.
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
  /// The boxes of the ranks before and afterwards, one per rank, of up to 6 axes, with strides if
  /// they are not packed. Every element is in exactly one box of each list.
  std::vector<box> before = {}, after = {};
  std::size_t element_bytes = 1;  ///< Elements are of any type and size.
};

/// Moves arrays between the ranks of a domain, as often as it is run. Kernels store in the memory
/// of other ranks; what goes to other processes may go by NCCL or TCP instead, see
/// `process_manner`. Bytes do not change.
///
///     reshape to_pencils{ranks, {slabs(lengths, 0, 4), pencils(lengths, 1, 2, 2, 2), 12}};
///     to_pencils.enqueue(from_views, to_views);
///
/// Not for several threads at once. Functions of a moved-from reshape throw `plan_error`.
class reshape {
 public:
  /// Throws `plan_error` or `device_error`. Throws on all processes if one of them requests
  /// something impossible or other boxes.
  reshape(const domain& ranks, reshape_spec spec);
  reshape(reshape&&) noexcept;
  reshape& operator=(reshape&&) noexcept;
  ~reshape();

  [[nodiscard]] const reshape_spec& spec() const;

  /// Returns the bytes of a rank's box, from its first element to its last, before and afterwards.
  [[nodiscard]] std::size_t in_bytes(std::size_t rank) const;
  [[nodiscard]] std::size_t out_bytes(std::size_t rank) const;

  /// Returns the bytes that the reshape allocates on a rank of this process for received data and,
  /// if other processes do not store in its memory, for data to send.
  [[nodiscard]] std::size_t workspace_bytes(std::size_t rank) const;

  /// Returns the bytes that all ranks together send to others in one run.
  [[nodiscard]] std::size_t sent_bytes() const;

  /// Returns in words how many bytes go from rank to rank, and how.
  [[nodiscard]] std::string explain() const;

  /// Queues one run on all ranks and returns, as `distributed_plan::enqueue` does. in, out: a view
  /// for each rank; none overlap. The view is ignored if the rank has no elements or belongs to
  /// another process. Gaps between the elements of a box are left unchanged. Throws `plan_error`
  /// for views that are too small, on other devices or within an element.
  void enqueue(std::span<const buffer_view> in, std::span<const buffer_view> out);

  /// The same where this process has one rank.
  void enqueue(const buffer_view& in, const buffer_view& out);

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace wingbeat
