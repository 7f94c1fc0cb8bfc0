// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/distribution.hpp"

#include <algorithm>  // max, min, sort
#include <cstring>    // memcpy
#include <string_view>
#include <utility>  // move, pair

#include "arrays/address_space.hpp"                     // max_elements
#include "distributing/boxes.hpp"                       // cut_along, place_of, rounded_span
#include "text/reject.hpp"                              // reject
#include "wingbeat/device/functors/exchange_store.hpp"  // rank_shares

namespace wingbeat {
namespace {

constexpr std::size_t max_boxes = std::size_t{1} << 20;

std::size_t count_of(const std::vector<box>& boxes) {
  std::size_t sum = 0;
  for (const box& each : boxes) sum += each.count();
  return sum;
}

/// Returns whether no two elements share memory: every stride is as long as what lies within it.
bool has_room(const box& each) {
  if (each.strides.empty() || each.count() == 0) return true;
  if (each.strides.size() != each.lower.size()) return false;
  std::vector<std::pair<std::size_t, std::size_t>> axes;  // stride, length
  for (std::size_t i = 0; i < each.strides.size(); ++i) {
    if (each.length(i) > 1) axes.emplace_back(each.strides[i], each.length(i));
  }
  std::sort(axes.begin(), axes.end());
  std::size_t within = 1;
  for (const auto& [stride, length] : axes) {
    if (stride < within) return false;
    within = stride * length;
  }
  return true;
}

void require_boxes(const std::vector<box>& before, const std::vector<box>& after) {
  reject_if(before.empty() || before.size() != after.size(),
            "a redistribution from {} boxes to {} was requested; give one of each for every rank",
            before.size(), after.size());
  const std::size_t n_axes = before.front().lower.size();
  for (const std::vector<box>* boxes : {&before, &after}) {
    for (std::size_t rank = 0; rank < boxes->size(); ++rank) {
      const box& each = (*boxes)[rank];
      bool is_valid = each.lower.size() == n_axes && each.upper.size() == n_axes;
      for (std::size_t i = 0; is_valid && i < n_axes; ++i) {
        is_valid = each.lower[i] <= each.upper[i];
      }
      reject_if(!is_valid,
                "the box of rank {} is no box of {} axes; give lower <= upper of "
                "each axis",
                rank, n_axes);
      if (distributing::rounded_span(each) > max_elements) {
        reject("the box of rank {} has about {:.3g} elements; give at most {:.3g}", rank,
               distributing::rounded_span(each), max_elements);
      }
      if (has_room(each)) continue;
      reject(
          "the strides of rank {}'s box are not {} or let elements share memory; give each axis at "
          "least the length times the stride of those within it, or none",
          rank, n_axes);
    }
  }
}

/// Overlapping boxes of one list contain some elements twice.
void require_apart(const std::vector<box>& boxes) {
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (common_part(boxes[i], boxes[j]).count() == 0) continue;
      reject("the boxes of ranks {} and {} overlap; every element is in one box", j, i);
    }
  }
}

/// Refuses an array that is cut along an axis that it does not have, or among no ranks.
void require_cut(const std::vector<std::size_t>& lengths, std::size_t axis, std::size_t ranks) {
  reject_if(axis >= lengths.size(), "axis {} was given of an array of {} axes; axes count from 0",
            axis, lengths.size());
  if (ranks >= 1 && ranks <= max_boxes) return;
  reject("axis {} was to be cut into {} parts; give 1 to {}", axis, ranks, max_boxes);
}

/// Refuses a part that is not in a box, or a box without memory.
void require_within(const box& part, const box& whole, const void* memory, std::string_view name) {
  const std::size_t n_axes = part.lower.size();
  bool is_within = part.upper.size() == n_axes && whole.lower.size() == n_axes &&
                   whole.upper.size() == n_axes &&
                   (whole.strides.empty() || whole.strides.size() == n_axes);
  for (std::size_t i = 0; is_within && i < n_axes; ++i) {
    is_within = whole.lower[i] <= part.lower[i] && part.lower[i] <= part.upper[i] &&
                part.upper[i] <= whole.upper[i];
  }
  reject_if(
      !is_within,
      "a part was to be copied that does not lie in the box of the {}; give what both boxes have "
      "in common",
      name);
  if (memory != nullptr) return;
  reject("the {} of a copy has no memory; give the address of its box", name);
}

/// Moves to the next row along the last axis of a box; returns false after the last one.
bool advance(const box& inside, std::vector<std::size_t>& row) {
  for (std::size_t i = row.size() - 1; i-- > 0;) {
    if (++row[i] < inside.upper[i]) return true;
    row[i] = inside.lower[i];
  }
  return false;
}

}  // namespace

std::size_t box::count() const {
  std::size_t product = lower.empty() ? 0 : 1;
  for (std::size_t i = 0; i < lower.size(); ++i) product *= length(i);
  return product;
}

std::size_t box::span() const {
  if (count() == 0) return 0;
  const std::vector<std::size_t> distances = distributing::distances_of(*this);
  std::size_t last = 0;
  for (std::size_t i = 0; i < lower.size(); ++i) last += (length(i) - 1) * distances[i];
  return last + 1;
}

box common_part(const box& a, const box& b) {
  box part;
  for (std::size_t i = 0; i < a.lower.size(); ++i) {
    part.lower.push_back(std::max(a.lower[i], b.lower[i]));
    part.upper.push_back(std::max(part.lower[i], std::min(a.upper[i], b.upper[i])));
  }
  return part;
}

index_range share_of(std::size_t length, std::size_t rank, std::size_t ranks) {
  distributing::require_rank(rank, ranks);
  const device::functors::rank_shares shares{length, ranks};
  return {shares.begin(rank), shares.begin(rank) + shares.count(rank)};
}

std::vector<box> slabs(const std::vector<std::size_t>& lengths, std::size_t axis,
                       std::size_t ranks) {
  require_cut(lengths, axis, ranks);
  return distributing::cut_along({std::vector<std::size_t>(lengths.size()), lengths}, axis, ranks);
}

std::vector<box> pencils(const std::vector<std::size_t>& lengths, std::size_t first_axis,
                         std::size_t first_ranks, std::size_t second_axis,
                         std::size_t second_ranks) {
  require_cut(lengths, first_axis, first_ranks);
  require_cut(lengths, second_axis, second_ranks);
  reject_if(second_ranks > max_boxes / first_ranks,
            "{} times {} parts were requested; give at most {} in all", first_ranks, second_ranks,
            max_boxes);
  std::vector<box> boxes;
  for (const box& slab : slabs(lengths, first_axis, first_ranks)) {
    for (box& pencil : distributing::cut_along(slab, second_axis, second_ranks)) {
      boxes.push_back(std::move(pencil));
    }
  }
  return boxes;
}

void copy_part(const box& part, const box& from, const void* source, const box& to, void* target,
               std::size_t element_bytes) {
  if (part.upper.size() == part.lower.size() && part.count() == 0) return;
  require_within(part, from, source, "source");
  require_within(part, to, target, "target");
  const std::size_t last = part.lower.size() - 1;
  const std::size_t from_stride = distributing::distances_of(from)[last];
  const std::size_t to_stride = distributing::distances_of(to)[last];
  // Elements that are not neighbours are copied one by one.
  const std::size_t n_runs = from_stride == 1 && to_stride == 1 ? 1 : part.length(last);
  const std::size_t run_bytes = part.length(last) / n_runs * element_bytes;
  std::vector<std::size_t> row = part.lower;
  do {
    auto* target_row =
        static_cast<std::byte*>(target) + distributing::place_of(to, row) * element_bytes;
    const auto* source_row =
        static_cast<const std::byte*>(source) + distributing::place_of(from, row) * element_bytes;
    for (std::size_t i = 0; i < n_runs; ++i) {
      std::memcpy(target_row + i * to_stride * element_bytes,
                  source_row + i * from_stride * element_bytes, run_bytes);
    }
  } while (advance(part, row));
}

redistribution::redistribution(std::vector<box> before, std::vector<box> after)
    : before_(std::move(before)), after_(std::move(after)) {
  require_boxes(before_, after_);
  require_apart(before_);
  require_apart(after_);
  std::size_t moved = 0;
  for (std::size_t sender = 0; sender < before_.size(); ++sender) {
    for (std::size_t receiver = 0; receiver < after_.size(); ++receiver) {
      box part = common_part(before_[sender], after_[receiver]);
      if (part.count() == 0) continue;
      moved += part.count();
      transfers_.push_back({sender, receiver, std::move(part)});
    }
  }
  if (moved == count_of(before_) && moved == count_of(after_)) return;
  reject(
      "boxes hold {} elements before and {} after, of which {} are the same; "
      "give boxes of the same elements",
      count_of(before_), count_of(after_), moved);
}

std::size_t redistribution::sent() const {
  std::size_t sum = 0;
  for (const transfer& each : transfers_) {
    if (each.sender != each.receiver) sum += each.elements.count();
  }
  return sum;
}

std::size_t redistribution::most_sent() const {
  std::vector<std::size_t> sums(before_.size());
  for (const transfer& each : transfers_) {
    if (each.sender != each.receiver) sums[each.sender] += each.elements.count();
  }
  return *std::max_element(sums.begin(), sums.end());
}

void redistribution::copy(const transfer& moved, const void* sent, void* received,
                          std::size_t element_bytes) const {
  reject_if(
      moved.sender >= before_.size() || moved.receiver >= after_.size(),
      "a transfer from rank {} to {} was to be copied and there are {}; give one of transfers()",
      moved.sender, moved.receiver, before_.size());
  copy_part(moved.elements, before_[moved.sender], sent, after_[moved.receiver], received,
            element_bytes);
}

}  // namespace wingbeat
