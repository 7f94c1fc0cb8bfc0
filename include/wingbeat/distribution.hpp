// SPDX-License-Identifier: Apache-2.0
// Which rank has which elements of an array, and who sends what to whom where that changes:
// arithmetic alone.
#pragma once

#include <cstddef>  // size_t
#include <vector>

#include "wingbeat/plan.hpp"  // index_range

namespace wingbeat {

/// Elements lower .. upper - 1 of each axis.
struct box {
  std::vector<std::size_t> lower = {}, upper = {};
  /// Elements in memory from one to the next along each axis; empty: packed, the last axis densest.
  std::vector<std::size_t> strides = {};

  [[nodiscard]] std::size_t length(std::size_t axis) const { return upper[axis] - lower[axis]; }
  /// Returns the number of its elements; 0 of an empty box.
  [[nodiscard]] std::size_t count() const;
  /// Returns the elements of memory from its first to its last; 0 of an empty box.
  [[nodiscard]] std::size_t span() const;
  bool operator==(const box&) const = default;
};

/// Returns what two boxes have in common, packed; an empty box where they have nothing.
[[nodiscard]] box common_part(const box& a, const box& b);

/// Returns the part of `length` things that a rank has: the first length % ranks ranks have one
/// more than the others, and some have none where there are more ranks than things. Throws
/// `plan_error` for a rank that is not below `ranks`.
[[nodiscard]] index_range share_of(std::size_t length, std::size_t rank, std::size_t ranks);

/// Returns the box of each rank of an array that is cut along one axis. Throws `plan_error` for an
/// axis that it does not have, and unless there are 1 to 2^20 ranks.
[[nodiscard]] std::vector<box> slabs(const std::vector<std::size_t>& lengths, std::size_t axis,
                                     std::size_t ranks);

/// Returns the box of each rank of an array that is cut along two axes, into `first_ranks` parts
/// along the one and `second_ranks` along the other, which ranks count first. Throws as `slabs`.
[[nodiscard]] std::vector<box> pencils(const std::vector<std::size_t>& lengths,
                                       std::size_t first_axis, std::size_t first_ranks,
                                       std::size_t second_axis, std::size_t second_ranks);

/// Copies elements that two boxes have in common from the one, at `source`, to the other, at
/// `target`, both in memory of this process. Throws `plan_error` where a box does not have all of
/// the part, or the memory of one is null.
void copy_part(const box& part, const box& from, const void* source, const box& to, void* target,
               std::size_t element_bytes);

/// A box that one rank sends to another, or keeps.
struct transfer {
  std::size_t sender = 0, receiver = 0;
  box elements;
};

/// What changes hands from boxes by rank to other boxes of the same array.
class redistribution {
 public:
  /// Throws `plan_error` unless both lists have a box for each rank, of equally many axes, with no
  /// stride shorter than what lies in it, and every element of the one list is in the other exactly
  /// once.
  redistribution(std::vector<box> before, std::vector<box> after);

  [[nodiscard]] const std::vector<box>& before() const { return before_; }
  [[nodiscard]] const std::vector<box>& after() const { return after_; }

  /// Returns the transfers, by sender and then by receiver; what a rank keeps is one of them.
  [[nodiscard]] const std::vector<transfer>& transfers() const { return transfers_; }

  /// Returns how many elements go from one rank to another; the most that one of them sends.
  [[nodiscard]] std::size_t sent() const;
  [[nodiscard]] std::size_t most_sent() const;

  /// Copies the elements of `element_bytes` each that a transfer moves, in memory of this process:
  /// `sent` is the sender's box before, `received` the receiver's box after. Throws as `copy_part`,
  /// and for ranks that there are not.
  void copy(const transfer& moved, const void* sent, void* received,
            std::size_t element_bytes) const;

 private:
  std::vector<box> before_, after_;
  std::vector<transfer> transfers_;
};

}  // namespace wingbeat
