// SPDX-License-Identifier: Apache-2.0
#include "spead/heap.hpp"

#include <algorithm>  // sort, upper_bound
#include <utility>    // move

namespace wingbeat::spead {

heap::heap(std::uint64_t id, std::vector<item_pointer> pointers, std::vector<std::byte> payload)
    : id_(id), payload_(std::move(payload)) {
  std::vector<std::uint64_t> ends{payload_.size()};
  for (const item_pointer next : pointers) {
    if (!next.is_immediate() && next.id() > item::payload_length) ends.push_back(next.value());
  }
  std::sort(ends.begin(), ends.end());
  is_valid_ = ends.back() == payload_.size();
  if (!is_valid_) return;
  for (const item_pointer next : pointers) {
    if (next.id() == item::stream_control) {
      is_stop_ |= next.is_immediate() && next.value() == stop_stream;
    } else if (next.id() > item::payload_length) {
      heap_item found{.id = next.id(), .is_immediate = next.is_immediate(), .value = 0, .bytes{}};
      if (next.is_immediate()) {
        found.value = next.value();
      } else {
        const auto end = std::upper_bound(ends.begin(), ends.end(), next.value());
        const std::uint64_t last = end == ends.end() ? payload_.size() : *end;
        found.bytes =
            std::span<const std::byte>(payload_).subspan(next.value(), last - next.value());
      }
      items_.push_back(found);
    }
  }
}

const heap_item* heap::find(std::uint16_t id) const {
  for (const heap_item& candidate : items_) {
    if (candidate.id == id) return &candidate;
  }
  return nullptr;
}

std::optional<std::uint64_t> heap::value(std::uint16_t id) const {
  for (const heap_item& candidate : items_) {
    if (candidate.id == id && candidate.is_immediate) return candidate.value;
  }
  return {};
}

}  // namespace wingbeat::spead
