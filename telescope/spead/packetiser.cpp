// SPDX-License-Identifier: Apache-2.0
#include "spead/packetiser.hpp"

#include <algorithm>  // min
#include <utility>    // move

#include "spead/packet.hpp"  // header_magic
#include "text/reject.hpp"   // reject

namespace wingbeat::spead {
namespace {

constexpr std::size_t n_own_pointers = 4;  // heap id and length, payload offset and length
constexpr std::size_t min_room = 8;        // payload bytes of a packet that is not the last
constexpr std::byte nothing[1] = {};

std::size_t preamble_bytes(std::size_t n_pointers) {
  return header_bytes + (n_own_pointers + n_pointers) * pointer_bytes;
}

}  // namespace

packetiser::packetiser(outgoing_heap heap, const packet_shape& shape)
    : heap_(std::move(heap)), payload_(heap_.payload), shape_(shape) {
  if (payload_.empty()) {
    heap_.pointers.push_back(item_pointer::addressed(item::null, 0));
    payload_ = nothing;
  }
  shape_.packet_bytes -= shape_.packet_bytes % 8;
  const std::size_t preamble = preamble_bytes(heap_.pointers.size());
  reject_if(preamble + min_room > shape_.packet_bytes,
            "packets of {} bytes have no room for {} items and 8 bytes of payload; give "
            "packets {} bytes or more",
            shape.packet_bytes, heap_.pointers.size(), preamble + min_room);
  reject_if(heap_.id > max_address || payload_.size() > max_address,
            "heap {} of {} bytes cannot be sent; ids and lengths have 48 bits in SPEAD-64-48",
            heap_.id, payload_.size());
  preamble_.resize(preamble);
}

std::size_t packetiser::payload_room(bool has_pointers) const {
  return shape_.packet_bytes - preamble_bytes(has_pointers ? heap_.pointers.size() : 0);
}

std::size_t packetiser::n_packets() const {
  const std::size_t first = payload_room(true), later = payload_room(shape_.repeats_pointers);
  const std::size_t rest = payload_.size() - std::min(payload_.size(), first);
  return 1 + (rest + later - 1) / later;
}

packetiser::piece packetiser::next() {
  const bool has_pointers = shape_.repeats_pointers || position_ == 0;
  const std::size_t n_pointers = has_pointers ? heap_.pointers.size() : 0;
  const std::size_t length = std::min(payload_room(has_pointers), payload_.size() - position_);
  store_big_endian(preamble_.data(), header_magic << 16 | (n_own_pointers + n_pointers));
  std::byte* position = &preamble_[header_bytes];
  const auto put = [&position](item_pointer p) {
    store_big_endian(position, p.word());
    position += pointer_bytes;
  };
  put(item_pointer::immediate(item::heap_id, heap_.id));
  put(item_pointer::immediate(item::heap_length, payload_.size()));
  put(item_pointer::immediate(item::payload_offset, position_));
  put(item_pointer::immediate(item::payload_length, length));
  for (std::size_t i = 0; i < n_pointers; ++i) put(heap_.pointers[i]);
  const piece result{std::span(preamble_).first(preamble_bytes(n_pointers)),
                     payload_.subspan(position_, length)};
  position_ += length;
  return result;
}

std::vector<std::vector<std::byte>> packets_of(const outgoing_heap& heap,
                                               const packet_shape& shape) {
  packetiser source(heap, shape);
  std::vector<std::vector<std::byte>> packets;
  while (!source.is_done()) {
    const packetiser::piece next = source.next();
    auto& packet = packets.emplace_back(next.preamble.begin(), next.preamble.end());
    packet.insert(packet.end(), next.payload.begin(), next.payload.end());
  }
  return packets;
}

void heap_builder::add_immediate(std::uint16_t id, std::uint64_t value) {
  pointers_.push_back(item_pointer::immediate(id, value));
}

void heap_builder::add(std::uint16_t id, std::span<const std::byte> bytes) {
  pointers_.push_back(item_pointer::addressed(id, payload_.size()));
  payload_.insert(payload_.end(), bytes.begin(), bytes.end());
}

void heap_builder::add(std::uint16_t id, std::string_view text) {
  add(id, std::as_bytes(std::span(text)));
}

outgoing_heap stop_heap(std::uint64_t id) {
  return {.id = id,
          .pointers = {item_pointer::immediate(item::stream_control, stop_stream)},
          .payload = {}};
}

}  // namespace wingbeat::spead
