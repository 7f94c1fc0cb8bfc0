// SPDX-License-Identifier: Apache-2.0
#include "spead/heap_assembler.hpp"
#include "text/reject.hpp"  // reject

#include <algorithm>  // copy, find_if
#include <utility>    // move

namespace wingbeat::spead {

heap_assembler::heap_assembler(const assembler_spec& spec) : spec_(spec) {
  reject_if(
      spec.max_heaps == 0 || spec.max_heap_bytes == 0 || spec.max_pointers == 0,
      "a heap assembler with a limit of 0 heaps, bytes or pointers accepts nothing; every limit "
      "is 1 or more");
}

std::optional<heap> heap_assembler::add(std::span<const std::byte> datagram) {
  packet next;
  if (const packet_fault fault = decode(datagram, next); fault != packet_fault::none) {
    ++counts_.undecodable[static_cast<std::size_t>(fault)];
    return {};
  }
  if (next.heap_length > spec_.max_heap_bytes) {
    ++counts_.too_long;
    return {};
  }
  auto place = std::find_if(partials_.begin(), partials_.end(),
                            [&](const partial& each) { return each.id == next.heap_id; });
  if (place != partials_.end() && next.is_whole_heap()) {
    partials_.erase(place);
    place = partials_.end();
    ++counts_.incomplete;
  }
  // Kept only once its first packet is accepted: rejects must not displace incomplete heaps.
  std::list<partial> own;
  if (place == partials_.end()) {
    own.push_back({.id = next.heap_id,
                   .parts = received_parts{spec_.max_parts},
                   .payload = std::vector<std::byte>(next.heap_length)});
    if (!accept(own.front(), next)) return {};
  } else {
    if (!accept(*place, next)) return {};
    own.splice(own.begin(), partials_, place);
  }
  partial& reached = own.front();
  if (reached.parts.n_bytes() < reached.payload.size()) {
    if (partials_.size() == spec_.max_heaps) {
      partials_.pop_back();
      ++counts_.incomplete;
    }
    partials_.splice(partials_.begin(), own);
    return {};
  }
  heap whole(reached.id, std::move(reached.pointers), std::move(reached.payload));
  ++(whole.is_valid() ? counts_.heaps : counts_.invalid);
  return whole.is_valid() ? std::optional(std::move(whole)) : std::nullopt;
}

/// Enters pointers and payload, if none of the payload's bytes has arrived before.
bool heap_assembler::accept(partial& heap, const packet& next) {
  if (next.heap_length != heap.payload.size()) {
    ++counts_.inconsistent;
    return false;
  }
  if (!add_pointers(heap, next)) {
    ++counts_.too_many_pointers;
    return false;
  }
  if (!next.payload.empty() && !heap.parts.add(next.payload_offset, next.payload.size())) {
    ++counts_.duplicates;
    return false;
  }
  std::copy(next.payload.begin(), next.payload.end(),
            heap.payload.begin() + static_cast<std::ptrdiff_t>(next.payload_offset));
  ++counts_.packets;
  return true;
}

bool heap_assembler::add_pointers(partial& heap, const packet& next) const {
  for (std::size_t i = 0; i < next.n_pointers(); ++i) {
    const item_pointer pointer = next.pointer(i);
    if (pointer.id() <= item::payload_length || heap.known.contains(pointer.word())) continue;
    if (heap.known.size() == spec_.max_pointers) return false;
    heap.known.insert(pointer.word());
    heap.pointers.push_back(pointer);
  }
  return true;
}

}  // namespace wingbeat::spead
