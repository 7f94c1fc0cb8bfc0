// SPDX-License-Identifier: Apache-2.0
// Which rank has which elements of an array, and which transfers lead from one such distribution to
// another: arithmetic alone.
#pragma once

#include <cstddef>  // size_t
#include <vector>

#include "wingbeat/plan.hpp"  // index_range

namespace wingbeat {

/// Elements lower .. upper - 1 of each axis.
struct box {
  std::vector<std::size_t> lower = {}, upper = {};
  /// Distance in elements along each axis; empty: packed, the last axis densest.
  std::vector<std::size_t> strides = {};

  [[nodiscard]] std::size_t length(std::size_t axis) const { return upper[axis] - lower[axis]; }
  /// Returns the number of elements; 0 for an empty box.
  [[nodiscard]] std::size_t count() const;
  /// Returns the elements of memory from the first to the last; 0 for an empty box.
  [[nodiscard]] std::size_t span() const;
  bool operator==(const box&) const = default;
};

/// Returns the intersection of two boxes, packed; an empty box if they do not meet.
[[nodiscard]] box common_part(const box& a, const box& b);

/// Returns a rank's part of `length` items. The first length % ranks ranks have one more than the
/// others; some ranks have none if there are more ranks than items. Throws `plan_error` for a rank
/// that is not below `ranks`.
[[nodiscard]] index_range share_of(std::size_t length, std::size_t rank, std::size_t ranks);

/// Returns the box of each rank for an array that is cut along one axis. Throws `plan_error` for an
/// axis that the array does not have, and unless there are 1 to 2^20 ranks.
[[nodiscard]] std::vector<box> slabs(const std::vector<std::size_t>& lengths, std::size_t axis,
                                     std::size_t ranks);

/// Returns the box of each rank for an array that is cut along two axes: into `first_ranks` parts
/// along the first and `second_ranks` along the second, whose index runs fastest in the rank.
/// Throws as `slabs`.
[[nodiscard]] std::vector<box> pencils(const std::vector<std::size_t>& lengths,
                                       std::size_t first_axis, std::size_t first_ranks,
                                       std::size_t second_axis, std::size_t second_ranks);

/// Copies the elements `part` from the box `from`, at `source`, to the box `to`, at `target`, both
/// in memory of this process. Throws `plan_error` if a box does not contain all of `part`, or if a
/// pointer is null.
void copy_part(const box& part, const box& from, const void* source, const box& to, void* target,
               std::size_t element_bytes);

/// A box that one rank sends to another, or keeps.
struct transfer {
  std::size_t sender = 0, receiver = 0;
  box elements;
};

/// The transfers that lead from one list of boxes, one per rank, to another of the same array.
class redistribution {
 public:
  /// Throws `plan_error` unless both lists have one box per rank, all boxes have the same number of
  /// axes, no stride is shorter than what lies within it, and every element of one list is in the
  /// other exactly once.
  redistribution(std::vector<box> before, std::vector<box> after);

  [[nodiscard]] const std::vector<box>& before() const { return before_; }
  [[nodiscard]] const std::vector<box>& after() const { return after_; }

  /// Returns the transfers, by sender and then by receiver, including what a rank keeps.
  [[nodiscard]] const std::vector<transfer>& transfers() const { return transfers_; }

  /// Returns how many elements go from one rank to another, and the most that one rank sends.
  [[nodiscard]] std::size_t sent() const;
  [[nodiscard]] std::size_t most_sent() const;

  /// Copies the elements of one transfer, `element_bytes` each, in memory of this process: `sent`
  /// is the sender's box before, `received` the receiver's box after. Throws as `copy_part`, and
  /// for ranks that do not exist.
  void copy(const transfer& moved, const void* sent, void* received,
            std::size_t element_bytes) const;

 private:
  std::vector<box> before_, after_;
  std::vector<transfer> transfers_;
};

}  // namespace wingbeat
