// SPDX-License-Identifier: Apache-2.0
#include "spead/heap_assembler.hpp"

#include <algorithm>  // find_if, max, min
#include <iterator>   // prev
#include <utility>    // move

#include "wingbeat/error.hpp"  // plan_error

namespace wingbeat::spead {
namespace {

/// Appends bytes; reserves at most twice of what was received, and no more than a heap's length.
void append(std::vector<std::byte>& to, std::span<const std::byte> bytes, std::size_t length) {
  const std::size_t n_bytes = to.size() + bytes.size();
  if (n_bytes > to.capacity()) {
    to.reserve(std::min(length, std::max(n_bytes, 2 * to.capacity())));
  }
  to.insert(to.end(), bytes.begin(), bytes.end());
}

}  // namespace

heap_assembler::heap_assembler(const assembler_spec& spec) : spec_(spec) {
  if (spec.most_heaps == 0 || spec.most_heap_bytes == 0 || spec.most_pointers == 0) {
    throw plan_error(
        "a heap assembler with a limit of 0 heaps, bytes or pointers accepts nothing; every limit "
        "is 1 or more");
  }
}

std::optional<heap> heap_assembler::add(std::span<const std::byte> datagram) {
  packet next;
  const packet_fault fault = decode(datagram, next);
  if (fault != packet_fault::none) {
    ++counts_.undecodable[static_cast<std::size_t>(fault)];
    return {};
  }
  if (next.heap_length > spec_.most_heap_bytes) {
    ++counts_.too_long;
    return {};
  }
  return add(next);
}

std::optional<heap> heap_assembler::add(const packet& next) {
  auto found = find(next.heap_id);
  if (next.is_whole_heap()) {
    if (found != partials_.end()) {
      partials_.erase(found);
      ++counts_.incomplete;
    }
    partial whole{.id = next.heap_id, .length = next.heap_length};
    return accept(whole, next) ? finished(std::move(whole)) : std::nullopt;
  }
  if (found == partials_.end()) {
    // Kept only once its first packet is accepted: rejects must not displace incomplete heaps.
    partial fresh{.id = next.heap_id, .length = next.heap_length};
    if (!accept(fresh, next)) return {};
    if (partials_.size() == spec_.most_heaps) {
      partials_.pop_back();
      ++counts_.incomplete;
    }
    partials_.push_front(std::move(fresh));
    return {};
  }
  if (!accept(*found, next)) return {};
  partials_.splice(partials_.begin(), partials_, found);
  if (partials_.front().n_received < partials_.front().length) return {};
  partial whole = std::move(partials_.front());
  partials_.pop_front();
  return finished(std::move(whole));
}

bool heap_assembler::accept(partial& to, const packet& next) {
  if (next.heap_length != to.length) {
    ++counts_.inconsistent;
    return false;
  }
  if (!spec_.allow_out_of_order && next.payload_offset != to.n_received) {
    const bool is_known = next.payload_offset + next.payload.size() <= to.n_received;
    ++(is_known ? counts_.duplicates : counts_.out_of_order);
    return false;
  }
  if (!accept_part(to, next)) return false;
  ++counts_.packets;
  return true;
}

bool heap_assembler::overlaps(const partial& to, std::uint64_t begin, std::uint64_t end) const {
  const auto above = to.parts.lower_bound(begin);
  if (above != to.parts.end() && above->first < end) return true;
  if (above == to.parts.begin()) return false;
  const auto& [offset, bytes] = *std::prev(above);
  return offset + bytes.size() > begin && begin < end;
}

/// Enters the payload, where no byte of it is there yet, and the pointers.
bool heap_assembler::accept_part(partial& to, const packet& next) {
  const std::uint64_t begin = next.payload_offset, end = begin + next.payload.size();
  if (overlaps(to, begin, end)) {
    ++counts_.duplicates;
    return false;
  }
  auto part = to.parts.lower_bound(begin);
  const bool continues =
      part != to.parts.begin() && std::prev(part)->first + std::prev(part)->second.size() == begin;
  if (!continues && to.parts.size() == spec_.most_parts) {
    ++counts_.out_of_order;
    return false;
  }
  if (!add_pointers(to, next)) {
    ++counts_.too_many_pointers;
    return false;
  }
  if (begin == end) return true;
  part = continues ? std::prev(part) : to.parts.emplace(begin, std::vector<std::byte>{}).first;
  append(part->second, next.payload, to.length - part->first);
  to.n_received += end - begin;
  return true;
}

bool heap_assembler::add_pointers(partial& to, const packet& next) {
  const auto is_kept = [](item_pointer p) { return p.id() > item::payload_length; };
  std::unordered_set<std::uint64_t> fresh;
  for (std::size_t i = 0; i < next.n_pointers(); ++i) {
    const item_pointer p = next.pointer(i);
    if (!is_kept(p) || to.known.contains(p.word())) continue;
    fresh.insert(p.word());
    if (to.known.size() + fresh.size() > spec_.most_pointers) return false;
  }
  if (fresh.empty()) return true;
  for (std::size_t i = 0; i < next.n_pointers(); ++i) {
    const item_pointer p = next.pointer(i);
    if (is_kept(p) && to.known.insert(p.word()).second) to.pointers.push_back(p);
  }
  return true;
}

std::optional<heap> heap_assembler::finished(partial&& whole) {
  std::vector<std::byte> payload;
  if (!whole.parts.empty()) payload = std::move(whole.parts.begin()->second);
  for (auto& [offset, bytes] : whole.parts) {
    if (offset > 0) append(payload, bytes, whole.length);
  }
  heap result(whole.id, std::move(whole.pointers), std::move(payload));
  if (!result.is_valid()) {
    ++counts_.invalid;
    return {};
  }
  ++counts_.heaps;
  return result;
}

std::list<heap_assembler::partial>::iterator heap_assembler::find(std::uint64_t id) {
  return std::find_if(partials_.begin(), partials_.end(),
                      [&](const partial& candidate) { return candidate.id == id; });
}

void heap_assembler::clear() {
  counts_.incomplete += partials_.size();
  partials_.clear();
}

std::size_t heap_assembler::held_bytes() const {
  std::size_t n_bytes = 0;
  for (const partial& held : partials_) {
    for (const auto& [offset, bytes] : held.parts) n_bytes += bytes.capacity();
  }
  return n_bytes;
}

}  // namespace wingbeat::spead
